// Phones sleep, lose the network, and the page's server dies in mid-game. Whatever they missed,
// they show the present state within 3 s, grey out what is old, and repeat nothing blindly.

import {ask, check, equal, scenario} from './phones.mjs';

const SOON_MS = 3000;

// The phone shows the present number of presses, and is not stale, at most 3 s later.
async function awake(phone, presses, what) {
  await phone.until(
    (parts, now) => now.fresh && parts.launcher.presses === presses, what, SOON_MS);
  equal(await phone.page.locator('.stale').count(), 0, what);
}

scenario(async open => {
  const a = await open({strict: false});
  const b = await open({strict: false});
  await a.does({do: 'start', edition: 'extreme', players: ['Anna', 'Bo', 'Clara'], dealer: 'Clara', first: 'red 5'});

  // Frozen, as a phone in a pocket is: nothing runs, and then it is taken out again.
  const devtools = await b.context.newCDPSession(b.page);
  await devtools.send('Page.setWebLifecycleState', {state: 'frozen'});
  await ask({launcher: 'three presses'});
  await devtools.send('Page.setWebLifecycleState', {state: 'active'});
  await awake(b, 3, 'awake from being frozen');

  // The network is gone: it greys out and says so, and nothing can be sent.
  await b.go('table');
  await b.context.setOffline(true);
  await b.page.evaluate(async () => {  // a silently dead socket: no error, no end
    const {link} = await import('/static/link.js');
    link.heard = Date.now() - 60000;
  });
  await b.page.waitForSelector('.stale');
  await b.see('No connection – this may be old.');
  await b.checkAccessible('a stale page');
  const version = (await a.state()).parts.table.version;
  await b.tap('UNO!');
  await b.see('No connection. It comes back by itself; then try again.');
  await ask({launcher: 'three presses'});
  await b.context.setOffline(false);
  await awake(b, 6, 'awake after being offline');
  await b.page.waitForTimeout(500);
  const {parts} = await a.state();
  check(!parts.table.players.some(one => one.called), 'what was tapped while offline was not sent later');
  check(parts.table.version > version, 'the presses were counted meanwhile');

  // An answer gets lost: the phone sends the same id again, and it counts once.
  await a.go('table');
  let dropped = 0;
  await a.page.route('**/api/table', async route => {
    if (dropped++ === 0) {
      await route.fetch();  // it arrives, and the answer does not
      await route.abort('connectionreset');
    } else {
      await route.continue();
    }
  });
  const before = (await a.state()).parts.table;
  const by = before.turn;
  await a.tap('red');
  await a.tap('red 7');
  await a.until(now => now.table.turn !== by, 'the card lies');
  await a.page.waitForTimeout(1000);
  equal((await a.state()).parts.table.version, before.version + 1, 'it counted once');
  check(dropped >= 2, 'it was sent again');
  await a.page.unroute('**/api/table');

  // The server is killed in mid-game. Both come back to the same game, by themselves.
  const table = (await a.state()).parts.table;
  const {run} = await a.state();
  await ask({launcher: 'kill page'});
  for (const phone of [a, b]) {
    await phone.until((_, now) => now.fresh && now.run !== run, 'it hears of the new page');
    await phone.page.waitForSelector('.stale', {state: 'detached'});
    const now = (await phone.state()).parts.table;
    equal([now.version, now.turn, now.players], [table.version, table.turn, table.players], 'the same game');
  }
  await a.tap('Undo');
  await b.until(now => now.table.turn === by, 'and it goes on, also backwards');
  await a.page.reload();
  await a.page.waitForSelector('.frame');
  equal((await a.state()).parts.launcher.presses, 6, 'to load it anew presses nothing');
});
