// Three players: the way round, a card that names somebody, presses let off; which rules this table
// has changed; and an earlier round that is corrected, on one phone, for all of them.

import {check, equal, scenario} from './phones.mjs';

const PLAYERS = ['Anna', 'Bo', 'Clara'];
const won = (by, counts) => [
  {do: 'first', card: 'red 5'},
  {do: 'hand', by, cards: 1},
  {do: 'lay', by, card: 'red 9'},
  ...counts.map(([who, points]) => ({do: 'count', by: who, points})),
];

// Whether the arrows round the pile are drawn the other way, as in a mirror.
const mirrored = phone => phone.page.evaluate(() => document.querySelector('.arrow-head').getScreenCTM().a < 0);

scenario(async open => {
  const a = await open({size: 'portrait'});
  const b = await open({size: 'small'});
  const both = async (test, what) => {
    for (const phone of [a, b]) await phone.until(test, what);
  };
  await a.does({do: 'start', edition: 'extreme', players: PLAYERS, dealer: 'Clara', options: {limit: 300}},
    {do: 'first', card: 'red 5'});
  for (const phone of [a, b]) await phone.go('table');

  await a.tap('More …');
  await a.see('UNO Extreme');
  await a.shows('.rules-here li', ['Points limit: 300'], 'what is changed');
  await a.checkAccessible('the rules of this table');
  await a.page.keyboard.press('Escape');

  check(!(await mirrored(a)), 'it goes clockwise');
  await a.tap('red');
  await a.tap('red Reverse');
  await both(parts => parts.table.direction === 'right' && parts.table.turn === 'Clara', 'the other way');
  check(await mirrored(a) && await mirrored(b), 'the arrows have turned on both phones');

  // Whoever laid it presses; the cards are for the one who was named.
  await b.tap('Wild');
  await b.tap('Extreme Hit');
  await b.choose('Anna');
  await b.choose('blue');
  await both(parts => parts.table.owed.length === 1, 'it is owed');
  for (const phone of [a, b]) await phone.see('The cards are for Anna.');
  await a.tap('Let off');
  await a.choose('Let off');
  await both(parts => parts.table.owed.length === 0, 'nothing is owed any more');
  await a.tap('Undo');
  await both(parts => parts.table.owed.length === 1, 'it is owed again');
  await a.tap('Redo');
  await both(parts => parts.table.owed.length === 0, 'and is not');

  // Two rounds. In the first one it was not Anna who won, and Clara was caught with more.
  const turn = (await a.state()).parts.table.turn;
  const others = PLAYERS.filter(one => one !== turn);
  await a.does({do: 'hand', by: turn, cards: 1}, {do: 'lay', by: turn, card: 'blue 9'},
    ...others.map(by => ({do: 'count', by, points: 20})));
  const second = (await a.state()).parts.table.next_dealer;
  const begins = PLAYERS[(PLAYERS.indexOf(second) + 1) % 3];
  await a.does({do: 'next'}, ...won(begins, PLAYERS.filter(one => one !== begins).map(one => [one, 7])));
  await both(parts => parts.table.rounds.length === 2, 'two rounds are over');
  const before = (await a.state()).parts.table.scores;
  equal(before[turn], (turn === begins ? 14 : 0) + 40, 'the score of who won the first one');

  await b.tap('Correct round 1');
  await b.see(`Round 1, won by ${turn}`);
  await b.checkLayout('a round');
  await b.checkAccessible('a round');
  await b.shoot('round-corrected');
  await b.choose('Somebody else has won');
  await b.choose(others[0]);
  await b.see(`How many points was ${turn} caught with?`);
  await b.page.fill('.sheet input', '31');
  await b.tap('OK');
  const first = parts => parts.table.rounds[0];
  await both(parts => first(parts).winner === others[0], 'another winner');
  const {totals} = first((await a.state()).parts);
  equal(PLAYERS.map(one => totals[one]), PLAYERS.map(one => one === others[0] ? 51 : 0), 'the first round anew');
  equal((await a.state()).parts.table.scores[turn], before[turn] - 40, 'who had won it');

  await a.tap('Correct round 1');
  await a.page.getByRole('dialog').getByRole('button', {name: new RegExp(`${others[1]}.*20`)}).click();
  await a.choose('Other points');
  await a.page.fill('.sheet input', '35');
  await a.tap('OK');
  await both(parts => first(parts).totals[others[0]] === 66, 'the points follow');
  for (const phone of [a, b]) {
    await phone.shows('tbody tr:first-child td b', ['★ 66'], 'the table of rounds');
  }
  await a.tap('Undo');
  await a.tap('Undo');
  await both(parts => first(parts).winner === turn, 'all as it was');
  equal((await b.state()).parts.table.scores, before, 'the scores as they were');
});
