// Who is at the table: this phone's owner, joining, leaving, taking over.

import {h} from './preact.js';
import {t} from './words.js';
import {link} from './link.js';
import {S, act, ask, say, setMe} from './state.js';
import {askPlayer, askSure, choices, cleaned, name} from './ui.js';

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
