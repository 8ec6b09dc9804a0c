// The table view: whose turn it is, what is owed, and all that can be said at the table now.

import {h} from './preact.js';
import {t} from './words.js';
import {link} from './link.js';
import {S, act, ask, send} from './state.js';
import {askNumber, askPlayer, askSure, button, choices, colourKeys, listed} from './ui.js';
import {layFor, pad} from './laying.js';
import {ring} from './ring.js';
import {countingView, otherWinner} from './counting.js';
import {scoresPanel} from './scores.js';
import {newGame} from './newgame.js';
import {pastSheet} from './past.js';
import {peopleSheet} from './people.js';
import {headline, stateBanner} from './play.js';

export function tableView() {
  const {table} = link.parts;
  return h('div', {class: 'view table'},
    h('h1', {class: 'unseen'}, t('tab.table')),
    table.unkept ? h('p', {class: 'remarks remark-bad', role: 'alert'}, table.unkept) : null,
    unclaimed(table),
    (VIEWS[table.phase] || playing)(table));
}

const VIEWS = {
  setup: beginning,
  ended: beginning,
  first_card: firstCard,
  round_end: countingView,
  round_over: roundOver,
  game_over: gameOver,
};

function beginning(table) {
  return h('div', null,
    h('div', {class: 'banner tone-good'}, h('p', {class: 'banner-words'}, t('table.none'))),
    h('p', {class: 'lead'}, t('table.lead')),
    h('div', {class: 'actions'}, button(t('new.title'), newGame, {kind: 'main'})),
    table.rounds && table.rounds.length ? scoresPanel(table) : null);
}

function firstCard(table) {
  return h('div', null,
    notes(table),
    h('div', {class: 'banner tone-good'}, h('p', {class: 'banner-words'},
      t('table.first_card', {name: table.dealer}))),
    pad(t('table.first_pad'), null, action => act({do: 'first', card: action.card}), {first: true, all: true}),
    more(table));
}

function playing(table) {
  return h('div', {class: 'playing'},
    notes(table),
    h('div', {class: 'playing-left'},
      stateBanner(toDo(table)),
      ring(table)),
    h('div', {class: 'playing-right'},
      catching(table),
      (PHASES[table.phase] || turn)(table),
      more(table)));
}

// At the table the launcher matters where it stops the game.
function toDo(table) {
  const {launcher} = link.parts;
  const pressing = table.phase === 'owed' || table.phase === 'final_penalty' || table.phase === 'dealing';
  if (pressing && launcher.tone !== 'good') return headline(launcher, table);
  if (table.phase === 'refill') return {tone: 'wait', words: t('table.refill'), advice: t('table.refill_how')};
  if (table.owed.length) {
    const advice = table.winner ? t('table.final', {name: table.winner}) : t('play.press_now');
    return {tone: 'good', words: table.owed[0].words, advice};
  }
  if (table.choosing) return {tone: 'good', words: t('table.chooses', {name: table.choosing})};
  if (table.phase === 'drawn') return {tone: 'good', words: t('table.drawn', {name: table.turn})};
  const advice = link.parts.deck.draws ? t('table.turn_draws') : t('play.turn_advice');
  return {tone: 'good', words: t('play.turn', {name: table.turn}), advice};
}

const PHASES = {
  owed: owing,
  dealing: owing,
  final_penalty: owing,
  refill: refilling,
  colour: colouring,
  drawn: drawn,
  turn: turn,
};

function turn(table) {
  const {deck} = link.parts;
  const by = table.turn;
  const draw = deck.draws && deck.by_hand;
  return h('div', null,
    pad(t('table.lays', {name: by}), by, layFor(by, 'lay')),
    h('div', {class: 'actions'},
      draw ? null : simulatedPress(),
      button('UNO!', () => act({do: 'uno', by: unoBy(table)}), {kind: 'uno'}),
      deck.draws
        ? button(t(draw ? 'table.draws' : 'table.deals'), () => act({do: draw ? 'draw' : 'press', by}))
        : button(t('table.by_hand'), () => pressedByHand(t('table.came_for', {name: by})))));
}

// A simulated launcher has no button that a hand could reach but this one.
function simulatedPress() {
  return link.hello.simulated ? button(t('hand.press'), () => send('hand', {do: 'press'}), {kind: 'main'}) : null;
}

// Who says UNO: whoever holds this phone, else who is in need of it, else who is on turn.
function unoBy(table) {
  const open = table.players.filter(player => player.open).map(player => player.name);
  const mine = table.players.some(player => player.name === S.me);
  if (mine && (S.me === table.turn || open.indexOf(S.me) >= 0)) return S.me;
  return open.length ? open[0] : table.turn;
}

function drawn(table) {
  const by = table.turn;
  return h('div', null,
    pad(t('table.plays_drawn', {name: by}), by, layFor(by, 'play')),
    h('div', {class: 'actions'},
      button(t('table.keeps'), () => act({do: 'keep', by}), {kind: 'main'}),
      button('UNO!', () => act({do: 'uno', by}), {kind: 'uno'})));
}

function colouring(table) {
  const by = table.choosing;
  return h('section', {class: 'pad'}, h('h2', null, t('lay.which_colour')),
    colourKeys(link.parts.deck.colours, colour => act({do: 'colour', by, colour})));
}

function owing(table) {
  const {deck} = link.parts;
  const owed = table.owed[0];
  const byHand = owed.cards && deck.by_hand;
  return h('section', {class: 'pad owing'},
    h('p', {class: 'owing-count'}, owed.until ? '∞' : owed.count),
    h('p', {class: 'owing-words'}, owed.by !== owed.takes ? t('table.takes', {name: owed.takes}) : null),
    table.owed.length > 1 ? listed(table.owed.slice(1).map(one => one.words)) : null,
    h('div', {class: 'actions'},
      byHand ? null : simulatedPress(),
      table.answer ? button(t('table.answers', {name: table.answer}), () => answer(table)) : null,
      table.challenge ? button(t('table.challenge'), () => challenge(table)) : null,
      owed.until === 'colour' ? button(t('table.appeared'), () => act({do: 'appeared'})) : null,
      byHand ? button(t('table.drawn_by_hand'), () => act({do: 'draw', by: owed.by}), {kind: 'main'}) : null,
      button(t('table.by_hand'), () => pressedByHand(owed.words)),
      button(t('table.waive'), () => waive(owed))));
}

function refilling(table) {
  return h('section', {class: 'pad owing'},
    h('ol', {class: 'steps'}, [1, 2, 3, 4].map(n => h('li', {key: n}, t('table.refill_step_' + n)))),
    h('div', {class: 'actions'},
      button(t('table.refilled'), () => act({do: 'refill'}), {kind: 'main'}),
      button(t('table.nothing_left'), () => act({do: 'refill', cards: 0}))));
}

function catching(table) {
  const open = table.players.filter(player => player.open);
  if (!open.length) return null;
  return h('div', {class: 'actions catching', role: 'alert'}, open.map(player =>
    h('span', {key: player.name, class: 'row'},
      button(t('table.catch', {name: player.name}), () => catchOne(table, player.name), {kind: 'bad'}),
      button(t('table.says_uno', {name: player.name}), () => act({do: 'uno', by: player.name}), {kind: 'uno'}))));
}

function catchOne(table, caught) {
  const others = table.players.map(player => player.name).filter(one => one !== caught);
  const by = others.indexOf(S.me) >= 0 ? S.me : others[0];
  return act({do: 'catch', by, player: caught});
}

async function pressedByHand(words) {
  const cards = await askNumber(t('table.how_many') + ' ' + words, 0, 15, {words: t('unknown'), value: 'unknown'});
  if (cards !== undefined) await act({do: 'pressed', cards, from: 'hand'});
}

async function waive(owed) {
  if (await askSure(t('table.waive'), owed.words, t('table.waive'))) await act({do: 'waive', by: owed.by});
}

async function answer(table) {
  const by = table.answer;
  await ask(t('table.answers', {name: by}), done => pad(t('table.answers', {name: by}), by, async action => {
    done(true);
    return act(Object.assign({do: 'lay', by}, action));
  }));
}

async function challenge(table) {
  const {by, layer, colour} = table.challenge;
  const verdict = await ask(t('table.challenge'), done => h('div', null,
    h('p', null, t('table.challenge_ask', {name: layer, colour})),
    choices([
      {value: 'guilty', words: t('table.guilty')},
      {value: 'innocent', words: t('table.innocent')},
    ], done)));
  if (verdict) await act({do: 'challenge', by, verdict});
}

function unclaimed(table) {
  const found = table.unclaimed;
  if (!found) return null;
  return h('p', {class: 'remarks remark-bad', role: 'alert'},
    t('table.unclaimed', {press: found.press, cards: found.cards}) + ' ' + found.words);
}

function notes(table) {
  return table.notes.length ? h('div', {class: 'notes', role: 'status'}, listed(table.notes)) : null;
}

function roundOver(table) {
  const dealer = table.next_dealer;
  return h('div', null,
    notes(table),
    h('div', {class: 'banner tone-good'}, h('p', {class: 'banner-words'},
      table.winner ? t('table.round_won', {name: table.winner}) : t('table.no_winner'))),
    scoresPanel(table),
    h('div', {class: 'actions'},
      button(t('table.next_round', {name: dealer}), () => act({do: 'next'}), {kind: 'main'}),
      button(t('table.other_dealer'), async () => {
        const chosen = await askPlayer(t('table.other_dealer'), table.players.map(one => one.name));
        if (chosen) await act({do: 'next', dealer: chosen});
      }),
      otherWinner(table)),
    more(table));
}

function gameOver(table) {
  return h('div', null,
    h('div', {class: 'banner tone-good'}, h('p', {class: 'banner-words'},
      t('table.game_won', {name: table.winners.join(', ')}))),
    scoresPanel(table),
    h('div', {class: 'actions'}, button(t('new.title'), newGame, {kind: 'main'}), otherWinner(table)),
    more(table));
}

function more(table) {
  return h('div', {class: 'actions actions-more'},
    button(t('table.more'), () => moreSheet(table)),
    button(t('people.title'), peopleSheet),
    table.rounds.length && table.stage === 'play' ? button(t('scores.title'), () =>
      ask(t('scores.title'), () => scoresPanel(link.parts.table))) : null,
    button(t('past.title'), pastSheet));
}

async function moreSheet(table) {
  const {deck} = link.parts;
  const playing = table.stage === 'play' && !table.winner;
  const items = [];
  const add = (value, why) => items.push({value, words: t('more.' + value), why: why && t('more.' + value + '_why')});
  if (playing) {
    if (deck.advice) add('advice', true);
    if (deck.wrong && table.phase === 'turn') add('wrong', true);
    if (deck.jump_in) add('jump_in', true);
    add('penalty', true);
    add('hand', true);
    add('pressed', true);
    add('empty');
    add('refill');
  }
  if (table.stage !== 'ended') add('end');
  const chosen = await ask(t('table.more'), done => h('div', null, choices(items, done), rulesHere(deck)));
  if (chosen) await MORE[chosen](table);
}

// Which edition is played, and what this table plays differently.
function rulesHere(deck) {
  return h('section', {class: 'rules-here'}, h('h3', null, deck.title),
    deck.changed.length ? listed(deck.changed) : h('p', {class: 'quiet'}, t('table.rules_unchanged')));
}

const MORE = {
  advice: async table => {
    const by = await askPlayer(t('more.advice'), names(table));
    if (by) await act({do: 'advice', by});
  },
  wrong: table => act({do: 'wrong', by: table.turn}),
  jump_in: async table => {
    const by = await askPlayer(t('more.jump_in'), names(table));
    if (by) await act({do: 'jump-in', by, card: table.top.name});
  },
  penalty: async table => {
    const by = await askPlayer(t('more.penalty'), names(table));
    const presses = by && await askNumber(t('more.penalty_how_many'), 1, 10);
    if (presses) await act({do: 'penalty', by, presses});
  },
  hand: async table => {
    const by = await askPlayer(t('more.hand'), names(table));
    const cards = by && await askNumber(t('more.hand_how_many'), 1, 30, {words: t('unknown'), value: 'unknown'});
    if (cards) await act({do: 'hand', by, cards});
  },
  pressed: () => pressedByHand(''),
  empty: () => act({do: 'empty'}),
  refill: () => act({do: 'refill'}),
  end: async () => {
    if (await askSure(t('more.end'), t('more.end_sure'), t('more.end'))) await act({do: 'end'});
  },
};

function names(table) {
  return table.players.map(player => player.name);
}
