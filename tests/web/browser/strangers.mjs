// Names that want to be more than names; a phone in Danish; everything by keyboard alone.

import {check, equal, scenario} from './phones.mjs';

const EVIL = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  '{{7*7}} ${8*8} {by}',
  'שלום \u202eevil',
  'WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW',
  '👨‍👩‍👧‍👦 á̷̢̛̈́b̷̛̈́c',
];

scenario(async open => {
  const phone = await open({size: 'small'});
  await phone.go('table');
  await phone.tap('New game');
  const taken = EVIL.map(name => name.replace('\u202e', '').trim());  // it would turn what stands beside it
  await phone.seat(EVIL, taken);
  await phone.checkLayout('hostile names in a new game');
  await phone.shoot('strangers-new');
  await phone.page.keyboard.press('Escape');

  // Whatever the table takes of them is shown as text everywhere.
  let players = [];
  for (const name of taken) {
    const answer = await phone.act({do: 'start', edition: 'extreme', players: ['A', name], dealer: 'A'});
    if (answer.ok) {
      players.push(name);
      await phone.until(parts => parts.table.version >= answer.version, 'the game is shown');
      await phone.does({do: 'end'});
    }
  }
  check(players.length >= 3, 'some of them are names: ' + players.length);
  await phone.does({do: 'start', edition: 'extreme', players, dealer: players[0], first: 'red 5'});
  await phone.shows('.seat > .name', players, 'names at the table');
  for (const view of ['table', 'play', 'launcher']) {
    await phone.go(view);
    await phone.checkLayout('hostile names: ' + view);
    equal(await phone.page.locator('main img, main script').count(), 0, 'no markup came of them');
  }
  await phone.go('table');
  await phone.shoot('strangers-table');
  await phone.checkAccessible('hostile names');
  await phone.tap('What was done');
  await phone.checkLayout('hostile names in the past');
  await phone.page.keyboard.press('Escape');

  // Danish, by the phone's own language, and switched by hand.
  const dansk = await open({locale: 'da-DK'});
  await dansk.see('Spil');
  equal(await dansk.page.getAttribute('html', 'lang'), 'da', 'the language is told to screen readers');
  await dansk.go('launcher');
  await dansk.see('Chancerne');
  await dansk.see('For få tryk til at sige');
  await dansk.shoot('danish-launcher');
  await dansk.go('table');
  await dansk.shoot('danish-table');
  await dansk.checkLayout('Danish');
  await dansk.checkAccessible('Danish');
  await dansk.tap('EN – English');
  await dansk.see('Launcher');
  await dansk.page.reload();
  await dansk.see('Launcher');  // it is remembered

  // By keyboard: what has the focus can be seen, sheets hold it and give it back.
  const keys = await open({size: 'desktop'});
  const focused = () => keys.page.evaluate(() => document.activeElement.innerText || document.activeElement.ariaLabel);
  await keys.go('play');
  await keys.page.keyboard.press('Tab');
  for (let n = 0; (await focused()) !== 'Press'; n++) {
    check(n < 30, 'the button can be reached by keyboard');
    await keys.page.keyboard.press('Tab');
  }
  const width = await keys.page.evaluate(() => getComputedStyle(document.activeElement).outlineWidth);
  check(parseFloat(width) >= 2, 'the focus can be seen');
  await keys.page.keyboard.press('Enter');
  await keys.until(parts => parts.launcher.presses === 1, 'it was pressed');
  while ((await focused()) !== 'Plant a fault') await keys.page.keyboard.press('Tab');
  await keys.page.keyboard.press('Enter');
  await keys.page.waitForSelector('.sheet');
  for (let n = 0; n < 30; n++) {
    await keys.page.keyboard.press('Tab');
    check(await keys.page.evaluate(() => !!document.activeElement.closest('.sheet')), 'the sheet holds the focus');
  }
  await keys.page.keyboard.press('Escape');
  await keys.page.waitForSelector('.sheet', {state: 'detached'});
  for (let n = 0; (await focused()) !== 'Plant a fault'; n++) {
    check(n < 100, 'the focus is given back');
    await keys.page.waitForTimeout(50);
  }
});
