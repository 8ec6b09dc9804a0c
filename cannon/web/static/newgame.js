// A new game: which box is on the table, who sits where, who deals, and the rules to play by.

import {h} from './preact.js';
import {t} from './words.js';
import {link, look} from './link.js';
import {S, act, ask, say, update} from './state.js';
import {button, cleaned, iconButton, name} from './ui.js';

const LONGEST = 40;

export async function newGame() {
  let offered;
  try {
    offered = await look('editions');
  } catch (error) {
    say(t('unsent'), true);
    return;
  }
  const players = link.parts.table.players ? link.parts.table.players.map(one => one.name) : [];
  update({draft: {
    offered, players: players.length ? players : [], edition: offered.editions[0].name,
    dealer: '', options: {}, typed: '', deck: {},
  }});
  await ask(t('new.title'), () => form(S.draft));
}

function change(values) {
  update({draft: Object.assign({}, S.draft, values)});
}

function form(draft) {
  const edition = draft.offered.editions.find(one => one.name === draft.edition);
  return h('div', {class: 'new-game'},
    h('h3', null, t('new.which')),
    h('div', {class: 'editions', role: 'radiogroup', 'aria-label': t('new.which')},
      draft.offered.editions.map(one => h('button', {type: 'button', key: one.name, role: 'radio',
        'aria-checked': one.name === draft.edition ? 'true' : 'false',
        class: 'edition' + (one.name === draft.edition ? ' chosen' : ''),
        onClick: () => change({edition: one.name, options: {}, deck: {}})},
      h('b', null, one.title), h('small', null, one.cards.join(' · '))))),
    h('h3', null, t('new.who')),
    seats(draft),
    adding(draft, edition),
    partners(draft),
    draft.players.length ? dealing(draft) : null,
    edition.unknown.length ? unknownCards(draft, edition) : null,
    options(draft, edition),
    h('div', {class: 'actions'},
      button(t('new.start'), () => start(draft, edition), {kind: 'main',
        disabled: draft.players.length < edition.players[0]})),
    draft.players.length < edition.players[0] ? h('p', {class: 'quiet'}, t('new.too_few')) : null);
}

function seats(draft) {
  return h('ol', {class: 'seating'}, draft.players.map((one, at) => h('li', {key: one},
    name(one),
    iconButton('up', t('new.up', {name: one}), () => swap(draft, at, at - 1), {disabled: at === 0}),
    iconButton('down', t('new.down', {name: one}), () => swap(draft, at, at + 1),
      {disabled: at === draft.players.length - 1}),
    iconButton('close', t('new.remove', {name: one}), () =>
      change({players: draft.players.filter(other => other !== one)})))));
}

function swap(draft, one, other) {
  const players = draft.players.slice();
  [players[one], players[other]] = [players[other], players[one]];
  change({players});
}

function adding(draft, edition) {
  const room = draft.players.length < edition.players[1];
  const known = draft.offered.names.filter(one => draft.players.indexOf(one) < 0).slice(0, 12);
  const add = one => {
    const wanted = cleaned(one);
    if (!wanted || draft.players.indexOf(wanted) >= 0) return;
    change({players: [...draft.players, wanted], typed: ''});
  };
  if (!room) return null;
  return h('div', null,
    h('form', {class: 'row', onSubmit: event => {
      event.preventDefault();
      add(draft.typed);
    }},
    h('label', {class: 'field'}, t('people.name'),
      h('input', {type: 'text', maxLength: LONGEST, autocomplete: 'off', dir: 'auto', value: draft.typed,
        onInput: event => change({typed: event.target.value})})),
    h('button', {type: 'submit', class: 'btn'}, t('new.add'))),
    known.length ? h('div', {class: 'chips', role: 'group', 'aria-label': t('new.again')}, known.map(one =>
      h('button', {type: 'button', class: 'chip', key: one, onClick: () => add(one)}, '+ ', name(one)))) : null);
}

function partners(draft) {
  if (draft.options.scoring !== 'partners' || draft.players.length !== 4) return null;
  const [a, b, c, d] = draft.players;
  return h('p', {class: 'quiet'}, t('new.partners', {a, b, c, d}));
}

function dealing(draft) {
  const dealer = dealerOf(draft);
  return h('label', {class: 'field'}, t('new.dealer'),
    h('select', {value: dealer, onChange: event => change({dealer: event.target.value})},
      draft.players.map(one => h('option', {key: one, value: one}, one))),
    h('small', {class: 'quiet'}, t('new.dealer_why')));
}

function dealerOf(draft) {
  return draft.players.indexOf(draft.dealer) >= 0 ? draft.dealer : draft.players[draft.players.length - 1];
}

// Of some printings nobody knows how many there are of each card: whoever has the box counts them.
function unknownCards(draft, edition) {
  return h('details', null, h('summary', null, t('new.deck')),
    h('p', {class: 'quiet'}, t('new.deck_why', {total: edition.total})),
    edition.unknown.map(({name: rank, label}) => h('label', {class: 'field field-number', key: rank}, label,
      h('input', {type: 'number', min: 0, max: edition.total, value: draft.deck[rank],
        onInput: event => {
          const deck = Object.assign({}, draft.deck);
          const count = parseInt(event.target.value, 10);
          if (count >= 0) deck[rank] = count;
          else delete deck[rank];
          change({deck});
        }}))));
}

function options(draft, edition) {
  return h('details', {class: 'options'}, h('summary', null, t('new.rules', {count: edition.options.length})),
    edition.options.map(option => h('div', {class: 'option', key: option.name},
      control(draft, option), h('small', {class: 'quiet'}, option.why))));
}

function control(draft, option) {
  const value = option.name in draft.options ? draft.options[option.name] : option.default;
  const set = chosen => {
    const chosenOptions = Object.assign({}, draft.options);
    if (chosen === option.default) delete chosenOptions[option.name];
    else chosenOptions[option.name] = chosen;
    change({options: chosenOptions});
  };
  if (option.values.length) {
    return h('label', {class: 'field'}, option.label,
      h('select', {value, onChange: event => set(event.target.value)},
        option.values.map(one => h('option', {key: one.value, value: one.value}, one.words))));
  }
  if (typeof option.default === 'boolean') {
    return h('label', {class: 'check'}, h('input', {type: 'checkbox', checked: value,
      onChange: event => set(event.target.checked)}), option.label);
  }
  const number = typeof option.default === 'number';
  return h('label', {class: 'field'}, option.label,
    h('input', {type: number ? 'number' : 'text', min: option.min, max: option.max, value, maxLength: 200,
      onChange: event => set(number ? parseInt(event.target.value, 10) : event.target.value)}));
}

async function start(draft, edition) {
  const action = {do: 'start', edition: draft.edition, players: draft.players, dealer: dealerOf(draft)};
  if (Object.keys(draft.options).length) action.options = draft.options;
  if (Object.keys(draft.deck).length) action.deck = draft.deck;
  if (await act(action)) {
    S.sheet.done(true);
    update({view: 'table'});
    location.hash = 'table';
  }
}
