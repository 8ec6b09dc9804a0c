// The players as they sit, the way the turn goes, and the card on the pile.

import {h} from './preact.js';
import {t} from './words.js';
import {S} from './state.js';
import {name, shape} from './ui.js';

const HEIGHTS = [0, 0, 250, 270, 280, 330, 350, 400, 410, 470, 480];

const MOST_ROUND = 6;

// Where seat number `at` of `count` is, in percent, the first one at the bottom, clockwise. A few
// sit round the table; many sit along its sides, where there is room for each.
function place(at, count) {
  if (count <= MOST_ROUND) {
    const angle = Math.PI / 2 + at * 2 * Math.PI / count;
    return {x: 50 + 35 * Math.cos(angle), y: 50 + 37 * Math.sin(angle)};
  }
  const side = Math.floor((count - 1) / 2);
  const row = n => side > 1 ? 78 - n * 58 / (side - 1) : 50;
  if (at === 0) return {x: 50, y: 92};
  if (at <= side) return {x: 16, y: row(at - 1)};
  if (at === side + 1 && count % 2 === 0) return {x: 50, y: 7};
  return {x: 84, y: row(count - 1 - at)};
}

export function ring(table) {
  const players = table.players;
  const first = Math.max(0, players.findIndex(player => player.name === S.me));
  const seated = players.map((_, at) => players[(first + at) % players.length]);
  return h('div', {class: 'ring' + (players.length <= 6 ? ' ring-few' : ''), style: {height: HEIGHTS[players.length] + 'px'}},
    arrows(table.direction),
    h('ul', {class: 'seats', 'aria-label': t('table.players')},
      seated.map((player, at) => seat(player, place(at, seated.length), table))),
    h('div', {class: 'pile'}, pile(table)));
}

function arrows(direction) {
  const turn = direction === 'left' ? '' : 'scale(-1 1) translate(-100 0)';
  return h('svg', {class: 'arrows', viewBox: '0 0 100 100', preserveAspectRatio: 'none',
    'aria-hidden': 'true'},
  h('g', {transform: turn},
    ...[45, 135, 225, 315].map(degrees => arrow(degrees))));
}

// A piece of the circle, clockwise, with a head at its end.
function arrow(degrees) {
  const at = (angle, r) => {
    const radians = angle * Math.PI / 180;
    return `${(50 + r * Math.cos(radians)).toFixed(1)} ${(50 + r * Math.sin(radians)).toFixed(1)}`;
  };
  return h('g', {key: degrees},
    h('path', {class: 'arrow', 'vector-effect': 'non-scaling-stroke',
      d: `M${at(degrees - 16, 27)}A27 27 0 0 1 ${at(degrees + 10, 27)}`}),
    h('path', {class: 'arrow-head',
      d: `M${at(degrees + 6, 23.5)} L${at(degrees + 17, 27)} L${at(degrees + 6, 30.500)}Z`}));
}

function seat(player, where, table) {
  const owes = table.owed.filter(owed => owed.by === player.name)
    .reduce((sum, owed) => sum + owed.count, 0);
  const turn = table.turn === player.name;
  const acting = (table.owed.length ? table.owed[0].by : table.choosing || table.turn) === player.name;
  const does = table.choosing ? 'table.choosing' : 'table.turn';
  return h('li', {key: player.name, 'aria-current': acting ? 'true' : null,
    class: 'seat' + (acting ? ' seat-acting' : turn ? ' seat-turn' : ''),
    style: {left: where.x + '%', top: where.y + '%'}},
  name(player.name),
  h('span', {class: 'seat-hand'}, cards(player)),
  h('span', {class: 'badges'},
    acting ? h('b', {class: 'badge badge-turn'}, owes ? t('table.presses', {count: owes}) : t(does)) : null,
    owes && !acting ? h('b', {class: 'badge badge-owes'}, t('table.owes', {count: owes})) : null,
    player.called ? h('b', {class: 'badge badge-uno'}, 'UNO') : null,
    player.open ? h('b', {class: 'badge badge-open'}, t('table.no_uno')) : null,
    player.barred ? h('b', {class: 'badge'}, t('table.barred')) : null,
    table.dealer === player.name ? h('b', {class: 'badge'}, t('table.dealer')) : null));
}

function cards(player) {
  return player.hand === null ? t('table.hand_unknown') : t('table.hand', {count: player.hand});
}

function pile(table) {
  const top = table.top;
  if (!top) return null;
  const colour = top.colour || table.colour;
  return h('div', {class: 'top face face-' + (top.colour || 'wild')},
    colour ? shape(colour) : null, h('span', null, top.label),
    !top.colour && table.colour
      ? h('small', {class: 'top-colour colour-' + table.colour}, table.colour_words) : null,
    h('span', {class: 'unseen'}, t('table.on_pile') + ' ' + top.words));
}
