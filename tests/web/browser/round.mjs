// Two phones play a whole round of UNO Extreme against the simulated launcher, by tapping: through
// Hit 2, Extreme Hit, a jam, UNO missed and caught, an empty launcher, undo, and the counting.
// The launcher brings the numbers of cards that test_browser.py gave it: 3 0 5 2 0 1 4 2 …

import {ask, check, equal, scenario} from './phones.mjs';

const hands = parts => Object.fromEntries(parts.table.players.map(one => [one.name, one.hand]));
const owed = parts => parts.table.owed.map(one => [one.by, one.count, one.takes]);

// A finger on the button of the simulated launcher, by way of that phone.
async function press(phone) {
  const before = (await phone.state()).parts.launcher.presses;
  await phone.go('play');
  await phone.tap('Press');
  await phone.until(parts => parts.launcher.presses === before + 1, 'the press is counted');
  await phone.until(parts => ['ready', 'jammed', 'empty'].includes(parts.launcher.state), 'it is over');
}

scenario(async open => {
  const a = await open({size: 'portrait'});
  const b = await open({size: 'small'});
  const both = async (test, what) => {
    for (const phone of [a, b]) await phone.until(test, what);
  };

  // A new game, on Anna's phone. Bo's shows it.
  await a.go('table');
  await b.go('table');
  await a.tap('New game');
  await a.seat(['Anna', 'Bo']);
  await a.tap('Start');
  await b.see('Bo deals. Turn up the first card.');
  await b.tap('red');
  await b.tap('red 5');
  await both(parts => parts.table.turn === 'Anna', 'it is Anna’s turn');
  await a.see('Anna’s turn');
  await b.see('Anna’s turn');

  // Hit 2, in two taps; Bo presses twice, and with two players the turn comes back.
  await a.tap('red');
  await a.tap('red Hit 2');
  await both(parts => parts.table.owed.length === 1, 'it is owed');
  equal(owed((await b.state()).parts), [['Bo', 2, 'Bo']], 'owed after Hit 2');
  await b.see('Bo presses 2 more times (Hit 2).');
  await press(b);
  await both(parts => hands(parts).Bo === 10, 'three cards came');
  await a.see('Bo presses 1 more time (Hit 2).');
  await press(b);
  await both(parts => parts.table.owed.length === 0, 'nothing is owed');
  equal((await a.state()).parts.table.turn, 'Anna', 'the turn comes back');

  // A double tap is one card.
  await a.go('table');
  await a.page.locator('.face[aria-label="red 7"]').first().dblclick();
  await both(parts => parts.table.turn === 'Bo', 'the turn is Bo’s');
  equal((await a.state()).parts.table.version, 6, 'one action only');
  equal(hands((await a.state()).parts).Anna, 5, 'one card only');

  // A phone with an old state is told, and then shows the present one.
  const version = (await b.state()).parts.table.version;
  const old = await b.act({do: 'lay', by: 'Bo', card: 'red 8'}, version - 1);
  equal([old.status, old.refused], [409, 'stale'], 'an old version');
  const wrong = await b.act({do: 'lay', by: 'Anna', card: 'red 8'});
  equal([wrong.status, wrong.refused], [409, 'table'], 'against the rules');
  check(wrong.words.includes('Bo'), 'the reason is told: ' + wrong.words);
  await both(parts => parts.table.version === version, 'nothing was done, and both show the same');

  // Undo and redo, from the other phone.
  await b.tap('Undo');
  await both(parts => parts.table.turn === 'Anna', 'undone');
  await a.tap('Redo');
  await both(parts => parts.table.turn === 'Bo', 'done again');

  // Extreme Hit: colour chosen; with two players it can only mean the other. Bo presses twice, the
  // cards are Anna's. The first press jams after some cards: it stays owed.
  await b.go('table');
  await b.tap('Wild');
  await b.tap('Extreme Hit');
  await b.choose('blue');
  await both(parts => parts.table.owed.length === 1, 'it is owed');
  equal(owed((await a.state()).parts), [['Bo', 2, 'Anna']], 'owed after Extreme Hit');
  await b.go('play');
  await b.tap('Plant a fault');
  await b.tap('the next card jams');
  await press(b);
  await a.go('play');
  await a.see('Jammed');
  await b.see('Jammed');
  equal(owed((await a.state()).parts), [['Bo', 2, 'Anna']], 'owed after the jam');
  await a.shoot('round-jam');
  await a.tap('Take stuck card');
  await a.tap('It is cleared: go on');
  await both(parts => parts.launcher.state === 'ready', 'it is ready again');
  await press(b);
  await both(parts => parts.table.owed[0].count === 1, 'the rest came, the press counts');
  equal(hands((await a.state()).parts).Anna, 10, 'five cards in all');
  await press(b);
  await both(parts => parts.table.owed.length === 0, 'both pressed');
  equal(hands((await a.state()).parts), {Anna: 12, Bo: 9}, 'hands');

  // Whoever's turn it is now presses by choice, and the launcher runs empty in the middle of it.
  const turn = (await a.state()).parts.table.turn;
  const other = turn === 'Anna' ? 'Bo' : 'Anna';
  await a.go('table');
  await a.tap('blue');
  await a.tap('blue Hit 2');
  await both(parts => parts.table.owed.length === 1, 'it is owed');
  await b.go('play');
  await b.tap('Plant a fault');
  await b.tap('take all cards out');
  await b.until(parts => parts.launcher.stack === 0, 'it holds no card');
  await ask({launcher: 'empty'});
  await both(parts => parts.launcher.state === 'empty' && parts.table.phase === 'refill', 'it is empty');
  await a.go('table');
  await a.see('The launcher is empty');
  await a.shoot('round-refill');
  const left = (await a.state()).parts.table.owed[0].count;
  await b.tap('Refill');
  await both(parts => parts.launcher.state === 'ready' && parts.table.phase === 'owed', 'it goes on');
  equal((await a.state()).parts.table.owed[0].count, left, 'what was owed is owed');
  for (let n = 0; n < left; n++) await press(b);
  await both(parts => parts.table.owed.length === 0, 'nothing is owed');
  equal((await a.state()).parts.table.turn, turn, 'with two players the turn comes back');

  // Two cards left, no UNO: the other phone catches it, and it costs two presses.
  await a.does({do: 'hand', by: turn, cards: 2});
  await a.go('table');
  await a.tap('blue');
  await a.tap('blue 3');
  await b.go('table');
  await b.tap(`Catch ${turn}: no UNO!`);
  await both(parts => parts.table.owed.length === 1, 'caught');
  equal(owed((await a.state()).parts), [[turn, 2, turn]], 'two presses');
  await press(a);
  await press(a);
  await both(parts => parts.table.owed.length === 0, 'pressed');

  // The other one goes out, with UNO said in time.
  equal((await a.state()).parts.table.turn, other, 'whose turn it is');
  await a.does({do: 'hand', by: other, cards: 2});
  await b.go('table');
  await b.tap('UNO!');
  await b.until(parts => parts.table.players.some(one => one.called), 'UNO was said');
  await b.tap('blue');
  await b.tap('blue 4');
  await both(parts => hands(parts)[other] === 1, 'one card left');
  await a.go('table');
  await a.tap('blue');
  await a.tap('blue 6');
  await b.tap('blue');
  await b.tap('blue 9');
  await both(parts => parts.table.phase === 'round_end', 'the round is won');
  await a.see(`${other} has won the round!`);

  // Another winner can be named, and put right again.
  for (const winner of [turn, other]) {
    await b.tap('Somebody else has won');
    await b.choose(winner);
    await both(parts => parts.table.winner === winner, 'another winner');
  }

  // The cards left are counted with big keys; the score follows.
  for (const card of ['7', 'Skip', 'Wild']) {
    await a.page.locator('.counting-keys .face').filter({has: a.page.locator(`span:text-is("${card}")`)}).click();
  }
  await a.see('= 77');
  await a.tap('Take one back');
  await a.see('= 27');
  await a.tap(`${turn}: 27 points`);
  await both(parts => parts.table.phase === 'round_over', 'the round is over');
  equal((await b.state()).parts.table.scores[other], 27, 'the winner’s points');

  // Undo works across the end of the round; a wrong count is corrected, and the total follows.
  await b.tap('Undo');
  await both(parts => parts.table.phase === 'round_end', 'counting again');
  await b.tap('Redo');
  await both(parts => parts.table.phase === 'round_over', 'over again');
  await a.tap('What was done');
  await a.choose(/27 points/);
  await a.tap('Other points');
  await a.page.fill('.sheet input', '30');
  await a.tap('OK');
  await both(parts => parts.table.scores[other] === 30, 'the total follows');
  await a.shoot('round-over');
  await a.tap('Next round', false);
  await both(parts => parts.table.phase === 'first_card', 'the next round');
});
