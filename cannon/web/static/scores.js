// The score: who leads, round by round as a table, and as lines over the rounds.

import {h} from './preact.js';
import {t} from './words.js';
import {link} from './link.js';
import {button, card, name} from './ui.js';
import {roundSheet} from './past.js';

const DASHES = ['', '7 4', '2 4', '10 3 2 3', '14 4', '4 2', '1 3', '9 3 1 3 1 3', '5 5', '12 2'];
const WIDTH = 320, HEIGHT = 150, LEFT = 34, RIGHT = 66, TOP = 10, BOTTOM = 22;

export function scoresPanel(table) {
  const {deck} = link.parts;
  const low = ['own', 'challenge', 'tournament'].indexOf(deck.scoring) >= 0;
  const people = Object.keys(table.scores);
  const order = people.slice().sort((a, b) => (table.scores[b] - table.scores[a]) * (low ? -1 : 1));
  const best = table.rounds.length ? table.scores[order[0]] : null;
  return card(t('scores.title'),
    h('p', {class: 'quiet'}, t('scores.by_' + deck.scoring, {limit: deck.limit})),
    h('ol', {class: 'standing'}, order.map(one =>
      h('li', {key: one, class: table.scores[one] === best ? 'leads' : ''},
        name(one), h('b', null, table.scores[one]),
        table.scores[one] === best ? h('span', {class: 'badge badge-turn'}, t('scores.leads')) : null))),
    table.rounds.length > 1 ? chart(table, people, deck) : null,
    table.rounds.length ? h('p', {class: 'quiet'}, t('scores.tap')) : null,
    table.rounds.length ? rounds(table, people) : null);
}

function rounds(table, people) {
  return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('scores.rounds')},
    h('table', null,
      h('thead', null, h('tr', null, h('th', {scope: 'col'}, t('scores.round')),
        people.map(one => h('th', {scope: 'col', key: one}, name(one))))),
      h('tbody', null, table.rounds.map((round, at) => h('tr', {key: at},
        h('th', {scope: 'row'}, button(at + 1, () => roundSheet(at),
          {kind: 'small', 'aria-label': t('past.correct_round', {round: at + 1})})),
        people.map(one => h('td', {key: one}, cell(round, one))))))));
}

function cell(round, one) {
  if (round.winner === one || round.partner === one) return h('b', null, '★ ' + round.totals[one]);
  return round.totals[one] === undefined ? '' : round.totals[one];
}

function chart(table, people, deck) {
  const most = Math.max(1, ...people.map(one => table.scores[one]),
    deck.scoring === 'none' ? 1 : 0);
  const last = table.rounds.length;
  const x = at => LEFT + at * (WIDTH - LEFT - RIGHT) / last;
  const y = points => HEIGHT - BOTTOM - points * (HEIGHT - TOP - BOTTOM) / most;
  const ends = spread(people.map(one => ({one, y: y(table.scores[one])})));
  return h('svg', {class: 'chart', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img',
    'aria-label': t('scores.chart')},
  h('path', {class: 'axis', d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}`}),
  h('text', {class: 'tick tick-left', x: LEFT - 4, y: y(most) + 4}, most),
  h('text', {class: 'tick tick-left', x: LEFT - 4, y: y(0)}, 0),
  table.rounds.map((_, at) => last <= 12 || (at + 1) % 5 === 0
    ? h('text', {class: 'tick', key: 't' + at, x: x(at + 1), y: HEIGHT - 8}, at + 1) : null),
  people.map((one, number) => h('g', {key: one, class: 'series series-' + number % 10},
    h('path', {'stroke-dasharray': DASHES[number % 10], d: 'M' + [0, ...table.rounds.map(round =>
      round.totals[one] || 0)].map((points, at) => `${x(at).toFixed(1)} ${y(points).toFixed(1)}`).join('L')}),
    h('text', {x: WIDTH - RIGHT + 5, y: ends[one] + 4}, short(one)))));
}

// Moves labels apart that would lie on each other.
function spread(labels) {
  const sorted = labels.slice().sort((a, b) => a.y - b.y);
  const found = {};
  let free = TOP;
  for (const label of sorted) {
    found[label.one] = Math.max(label.y, free);
    free = found[label.one] + 12;
  }
  return found;
}

function short(text) {
  return text.length > 9 ? text.slice(0, 8) + '…' : text;
}
