// The end of a round: the cards left in each hand, entered with big keys and a running sum.

import {h} from './preact.js';
import {t} from './words.js';
import {link} from './link.js';
import {S, act, update} from './state.js';
import {askNumber, askPlayer, button, name} from './ui.js';
import {long} from './laying.js';

export function countingView(table) {
  const waiting = table.to_count;
  const entered = S.counting && waiting.indexOf(S.counting.player) >= 0
    ? S.counting : {player: waiting[0], cards: []};
  return h('div', {class: 'counting'},
    h('div', {class: 'banner tone-good'}, h('div', null,
      h('p', {class: 'banner-words'}, t('table.round_won', {name: table.winner})),
      h('p', {class: 'banner-advice'}, t('count.lead')))),
    h('div', {class: 'counting-who', role: 'group', 'aria-label': t('count.who')},
      table.players.filter(player => counts(table, player)).map(player => whoButton(player, entered))),
    keys(entered),
    summed(entered),
    h('div', {class: 'actions actions-more'}, otherWinner(table)));
}

function counts(table, player) {
  return player.name !== table.winner && player.name !== table.partner;
}

function whoButton(player, entered) {
  const done = player.counted !== null;
  return h('button', {type: 'button', key: player.name, disabled: done,
    'aria-pressed': player.name === entered.player,
    class: 'btn' + (player.name === entered.player ? ' chosen' : ''),
    onClick: () => update({counting: {player: player.name, cards: []}})},
  name(player.name), done ? ' ' + player.counted : '');
}

// One key for each rank: what a card is worth does not hang on its colour.
function ranks() {
  const seen = {};
  return link.parts.deck.cards.filter(card => {
    const known = seen[card.rank];
    seen[card.rank] = true;
    return !known;
  });
}

function keys(entered) {
  return h('div', {class: 'pad-cards counting-keys'}, ranks().map(card =>
    h('button', {type: 'button', key: card.rank, class: 'face face-' + (card.wild ? 'wild' : 'plain') + long(card.label),
      onClick: () => update({counting: {player: entered.player, cards: [...entered.cards, card]}})},
    h('span', null, card.label),
    h('small', null, card.points, h('span', {class: 'unseen'}, ' ', t('scores.points'))))));
}

function summed(entered) {
  const sum = entered.cards.reduce((total, card) => total + card.points, 0);
  const drop = () => update({counting: {player: entered.player, cards: entered.cards.slice(0, -1)}});
  return h('div', {class: 'counting-sum'},
    h('p', {class: 'counting-cards', role: 'status'},
      entered.cards.length ? entered.cards.map(card => card.label).join(' + ') : t('count.none_yet'),
      h('b', null, ' = ' + sum)),
    h('div', {class: 'actions'},
      button(t('count.done', {name: entered.player, points: sum}), () => finish(entered), {kind: 'main'}),
      button(t('count.drop'), drop, {disabled: !entered.cards.length}),
      button(t('count.points'), () => points(entered))));
}

// The last card may have been entered for the wrong one.
export function otherWinner(table) {
  if (!table.winner) return null;
  return button(t('count.other_winner'), async () => {
    const others = table.players.map(one => one.name).filter(one => one !== table.winner);
    const by = await askPlayer(t('count.who_won'), others);
    if (by && await act({do: 'won', by})) update({counting: null});
  });
}

async function finish(entered) {
  const cards = entered.cards.map(card => card.name);
  if (await act({do: 'count', by: entered.player, cards})) update({counting: null});
}

// For a hand that somebody has summed up already: three digits, one after the other.
async function points(entered) {
  let sum = 0;
  for (const place of [100, 10, 1]) {
    const digit = await askNumber(t('count.digit_' + place, {sum}), 0, 9);
    if (digit === undefined) return;
    sum += digit * place;
  }
  if (await act({do: 'count', by: entered.player, points: sum})) update({counting: null});
}
