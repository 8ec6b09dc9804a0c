// What was done, and how any of it is corrected: the last actions, or what settled a round.

import {h} from './preact.js';
import {t} from './words.js';
import {link} from './link.js';
import {act, ask} from './state.js';
import {askNumber, askPlayer, choices} from './ui.js';

// The newest first.
export async function pastSheet() {
  const {past} = link.parts.table;
  const chosen = await ask(t('past.title'), done => past.length
    ? h('div', null, h('p', {class: 'quiet'}, t('past.lead')), choices(past.map(entry => entryChoice(entry)), done))
    : h('p', null, t('past.none')));
  if (chosen) await correctOne(chosen);
}

// Who won a round that is over, and what the others were caught with.
export async function roundSheet(number) {
  const round = link.parts.table.rounds[number];
  const another = {value: 'winner', words: t('count.other_winner')};
  const chosen = await ask(t('past.round', {round: number + 1, name: round.winner}), done => h('div', null,
    h('p', {class: 'quiet'}, t('past.lead')),
    choices([another, ...round.settled.actions.map(entry => entryChoice(entry))], done)));
  if (chosen === 'winner') await correctWinner(number);
  else if (chosen) await correctOne(chosen);
}

function entryChoice(entry) {
  return {key: entry.at, value: entry, words: entry.at + '. ' + entry.words};
}

// Any action can be taken out or, where it is a number, changed.
async function correctOne(entry) {
  const kind = entry.action.do;
  const items = [{value: 'out', words: t('past.take_out')}];
  if (kind === 'count') items.unshift({value: 'points', words: t('past.other_points')});
  if (kind === 'pressed' || kind === 'taken') items.unshift({value: 'cards', words: t('past.other_cards')});
  const how = await ask(entry.words, done => choices(items, done));
  if (how) await WAYS[how](entry);
}

const WAYS = {
  out: entry => correct(entry, []),
  points: async entry => {
    const points = await askPoints(t('past.other_points'));
    if (points !== undefined) await correct(entry, [{do: 'count', by: entry.action.by, points}]);
  },
  cards: async entry => {
    const cards = await askNumber(t('past.other_cards'), 0, 15);
    if (cards !== undefined) await correct(entry, [Object.assign({}, entry.action, {cards})]);
  },
};

// The other one won: said right after what closed the round, with what the first one then holds.
async function correctWinner(number) {
  const {others, spared} = settledNow(number);
  const by = await askPlayer(t('count.who_won'), others);
  if (by === undefined) return;
  const said = [{do: 'won', by}];
  for (const name of spared.indexOf(by) < 0 ? spared : []) {
    const points = await askPoints(t('past.points_of', {name}));
    if (points === undefined) return;
    said.push({do: 'count', by: name, points});
  }
  const closing = settledNow(number).actions.slice(-1)[0];
  await correct(closing, [closing.action, ...said]);
}

function settledNow(number) {
  return link.parts.table.rounds[number].settled;
}

function correct(entry, actions) {
  return act({do: 'correct', at: entry.at, actions});
}

function askPoints(title) {
  let typed = '';
  return ask(title, done => h('form', {onSubmit: event => {
    event.preventDefault();
    const points = parseInt(typed, 10);
    done(points >= 0 ? points : undefined);
  }},
  h('label', {class: 'field'}, t('scores.points'),
    h('input', {type: 'text', inputMode: 'numeric', maxLength: 5,
      onInput: event => { typed = event.target.value; }})),
  h('button', {type: 'submit', class: 'btn btn-main'}, t('ok'))));
}
