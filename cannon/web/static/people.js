// Who is at the table: this phone's owner, joining, leaving, taking over; and what was done so far.

import {h} from './preact.js';
import {t} from './words.js';
import {link} from './link.js';
import {S, act, ask, say, setMe} from './state.js';
import {askNumber, askPlayer, askSure, button, choices, cleaned, name} from './ui.js';

const LONGEST = 40;

export async function peopleSheet() {
  const {table} = link.parts;
  const mine = table.players.some(player => player.name === S.me);
  const chosen = await ask(t('people.title'), done => h('div', null,
    h('p', {class: 'quiet'}, mine ? t('people.me_is', {name: S.me}) : t('people.me_none')),
    choices([
      {value: 'me', words: t('people.me')},
      {value: 'join', words: t('people.join')},
      {value: 'leave', words: t('people.leave')},
      {value: 'takeOver', words: t('people.take_over')},
    ], done)));
  if (chosen) await DEEDS[chosen](table);
}

const DEEDS = {
  me: async table => {
    const nobody = {value: '', words: t('people.nobody')};
    const chosen = await ask(t('people.me'), done => choices([nobody,
      ...names(table).map(one => ({value: one, words: one, shown: name(one)}))], done));
    if (chosen !== undefined) setMe(chosen);
  },
  join: async table => {
    const who = await askName(t('people.join'));
    const after = who && await askPlayer(t('people.left_of', {name: who}), names(table));
    if (after) await act({do: 'join', name: who, after});
  },
  leave: async table => {
    const by = await askPlayer(t('people.leave'), names(table));
    if (!by || !(await askSure(t('people.leave'), by, t('people.leave')))) return;
    const owes = table.owed.some(owed => owed.by === by || owed.takes === by);
    let owed;
    if (owes) {
      owed = await ask(t('people.owes', {name: by}), done => choices([
        {value: 'waive', words: t('people.waive')},
        {value: 'hand-on', words: t('people.hand_on')}], done));
      if (!owed) return;
    }
    if (await act(Object.assign({do: 'leave', by}, owed ? {owed} : {}))) say(t('people.hand_under'));
  },
  takeOver: async table => {
    const by = await askPlayer(t('people.take_over'), names(table));
    const who = by && await askName(t('people.new_name', {name: by}));
    if (who) await act({do: 'take-over', by, name: who});
  },
};

function names(table) {
  return table.players.map(player => player.name);
}

export function askName(title) {
  let typed = '';
  return ask(title, done => h('form', {onSubmit: event => {
    event.preventDefault();
    done(cleaned(typed) || undefined);
  }},
  h('label', {class: 'field'}, t('people.name'),
    h('input', {type: 'text', maxLength: LONGEST, autocomplete: 'off', dir: 'auto',
      onInput: event => { typed = event.target.value; }})),
  h('button', {type: 'submit', class: 'btn btn-main'}, t('ok'))));
}

// What was done, the newest first. Any of it can be taken out or, where it is a number, changed.
export async function pastSheet() {
  const {table} = link.parts;
  const chosen = await ask(t('past.title'), done => table.past.length
    ? h('div', null, h('p', {class: 'quiet'}, t('past.lead')), choices(table.past.map(entry =>
      ({key: entry.at, value: entry, words: entry.at + '. ' + entry.words})), done))
    : h('p', null, t('past.none')));
  if (!chosen) return;
  const kind = chosen.action.do;
  const items = [{value: 'out', words: t('past.take_out')}];
  if (kind === 'count') items.unshift({value: 'points', words: t('past.other_points')});
  if (kind === 'pressed' || kind === 'taken') items.unshift({value: 'cards', words: t('past.other_cards')});
  const how = await ask(chosen.words, done => choices(items, done));
  if (how === 'out') await act({do: 'correct', at: chosen.at});
  else if (how === 'points') await otherPoints(chosen);
  else if (how === 'cards') {
    const cards = await askNumber(t('past.other_cards'), 0, 15);
    if (cards !== undefined) {
      await act({do: 'correct', at: chosen.at, actions: [Object.assign({}, chosen.action, {cards})]});
    }
  }
}

function otherPoints(chosen) {
  let typed = '';
  return ask(t('past.other_points'), done => h('form', {onSubmit: async event => {
    event.preventDefault();
    const points = parseInt(typed, 10);
    done(true);
    const action = {do: 'count', by: chosen.action.by, points};
    if (points >= 0) await act({do: 'correct', at: chosen.at, actions: [action]});
  }},
  h('label', {class: 'field'}, t('scores.points'),
    h('input', {type: 'text', inputMode: 'numeric', maxLength: 5,
      onInput: event => { typed = event.target.value; }})),
  h('button', {type: 'submit', class: 'btn btn-main'}, t('ok'))));
}
