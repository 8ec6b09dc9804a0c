// The pad to lay cards: a colour, then a card of it. Two taps, and what a card needs beyond that
// is asked for: a colour, a player, how many go along.

import {h} from './preact.js';
import {t} from './words.js';
import {link} from './link.js';
import {S, act, update} from './state.js';
import {askColour, askNumber, askPlayer, shape} from './ui.js';

const WILD = '*';

// `use` takes the chosen card's action: {card, colour?, player?, with?, last?}.
export function pad(title, by, use, more) {
  const {deck, table} = link.parts;
  const fitting = more && more.all ? null : table.fitting;
  const player = table.players.find(one => one.name === by);
  const unknown = !!player && player.hand === null && !(more && more.first);
  const tab = present(deck, table);
  const cards = deck.cards.filter(card => tab === WILD ? card.wild : card.colour === tab);
  return h('section', {class: 'pad', 'aria-label': title},
    h('h2', null, title),
    deck.colours.length ? h('div', {class: 'pad-colours'}, deck.colours.map(colour =>
      tabButton(colour.name, colour.words, tab)), tabButton(WILD, t('lay.wild'), tab)) : null,
    h('div', {class: 'pad-cards'}, cards.map(card => {
      const fits = !fitting || fitting.indexOf(card.name) >= 0;
      return h('button', {type: 'button', key: card.name, onClick: () => lay(card, by, use, more),
        class: 'face face-' + (card.colour || 'wild') + (fits ? '' : ' face-unfit') + long(card.label),
        'aria-label': named(card, deck) + (fits ? '' : ', ' + t('lay.unfit'))},
      card.colour ? shape(card.colour) : null, h('span', null, card.label));
    })),
    unknown ? h('label', {class: 'check'},
      h('input', {type: 'checkbox', checked: S.pad.last,
        onChange: event => update({pad: {colour: tab, last: event.target.checked}})}),
      t('lay.last')) : null);
}

// Where no colour was touched, the one that counts is open.
function present(deck, table) {
  if (!deck.colours.length) return WILD;
  const names = deck.colours.map(colour => colour.name);
  if (S.pad.colour === WILD || names.indexOf(S.pad.colour) >= 0) return S.pad.colour;
  return table.colour || names[0];
}

function tabButton(colour, words, tab) {
  return h('button', {type: 'button', key: colour, 'aria-pressed': tab === colour,
    class: 'colour colour-' + (colour === WILD ? 'wild' : colour) + (tab === colour ? ' chosen' : ''),
    onClick: () => update({pad: {colour, last: S.pad.last}})},
  colour === WILD ? null : shape(colour), h('span', null, words));
}

// Long labels are set smaller, so that no word has to be broken.
export function long(label) {
  return label.split(/[\s-]/).some(word => word.length > 6) ? ' face-long' : '';
}

function named(card, deck) {
  const colour = deck.colours.find(one => one.name === card.colour);
  return (colour ? colour.words + ' ' : '') + card.label;
}

async function lay(card, by, use, more) {
  const {deck, table} = link.parts;
  const action = {card: card.name};
  const last = S.pad.last;
  const player = table.players.find(one => one.name === by);
  const goesOut = last || (player && player.hand === 1);
  if (!(more && more.first)) {
    if (card.names && !(goesOut && !card.chooses)) {
      const others = table.players.map(one => one.name).filter(one => one !== by);
      const named = others.length === 1 ? others[0] : await askPlayer(t('lay.whom'), others);
      if (named === undefined) return;
      action.player = named;
    }
    if (card.chooses && !goesOut) {
      const colour = await askColour(t('lay.which_colour'), deck.colours);
      if (colour === undefined) return;
      action.colour = colour;
    }
    if (card.discards && !goesOut) {
      const most = player && player.hand !== null ? Math.min(20, player.hand - 1) : 20;
      const along = await askNumber(t('lay.along'), 0, most, {words: t('unknown'), value: null});
      if (along === undefined) return;
      if (along !== null) action.with = along;
    }
    if (last) action.last = true;
  }
  if (await use(action)) update({pad: {colour: null, last: false}});
}

export function layFor(by, kind) {
  return action => act(Object.assign({do: kind, by}, action));
}
