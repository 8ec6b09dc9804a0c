// How a press looks while it lasts, with motion and without; cards that wait until somebody asks
// for them; and trouble with the disk, which is shown as long as it lasts.

import {ask, check, equal, scenario} from './phones.mjs';

const shown = async (phone, selector) => (await phone.page.locator(selector).innerText()).trim();
const moving = phone => phone.page.evaluate(() =>
  document.getAnimations().filter(one => one.playState === 'running').length > 0);

scenario(async open => {
  const lively = await open({still: false});
  const calm = await open({size: 'small'});
  const both = async (test, what) => {
    for (const phone of [lively, calm]) await phone.until(test, what);
  };

  // Suspense, with a phone that likes motion and one that does not.
  const feeding = ask({launcher: 'feed'});
  for (const phone of [lively, calm]) await phone.page.waitForSelector('.suspense');
  check((await shown(lively, '.suspense')).startsWith('•'), 'suspense is shown as dots');
  check(await moving(lively), 'something moves');
  check(!(await moving(calm)), 'nothing moves where motion is not wanted');

  // The cards, one by one: five will come, and the world stands still on the way.
  await feeding;
  for (const phone of [lively, calm]) await phone.see('coming …');
  const first = parseInt(await shown(calm, '.came-count'), 10);
  check(first >= 1 && first < 5, 'some of the cards have come: ' + first);
  await ask({launcher: 'fed'});
  await both(parts => parts.launcher.shots[0].cards === 5, 'all have come');
  await lively.shows('.came-count', ['5'], 'five in all');

  // A jam; what is owed comes when it is asked for, and not before.
  await ask({launcher: 'jam'});
  await calm.see('Jammed');
  await calm.tap('Take stuck card');
  await calm.tap('It is cleared: go on');
  await both(parts => parts.launcher.state === 'ready' && parts.launcher.owed > 0, 'cards are owed');
  const {owed} = (await calm.state()).parts.launcher;
  await ask({launcher: 'press'});
  await both(parts => parts.launcher.presses === 3, 'another press');
  equal((await calm.state()).parts.launcher.owed, owed, 'it did not bring them');
  await calm.see(/are still owed$/);
  await calm.checkLayout('cards to be asked for');
  await calm.tap('Bring the cards owed');
  await calm.see('The next press brings them.');
  await ask({launcher: 'press'});
  await both(parts => parts.launcher.owed === 0, 'they have come');
  equal((await lively.state()).parts.launcher.shots[0].kind, 'rest', 'what that press brought');
  check(!(await calm.button('Bring the cards owed').count()), 'there is nothing more to ask for');

  // The history cannot be written: every phone shows it where the launcher is shown, until it can.
  await ask({launcher: 'disk full'});
  await lively.see('The disk is full: play goes on, the history waits.');
  await calm.go('launcher');
  await calm.see('The disk is full: play goes on, the history waits.');
  await calm.checkAccessible('trouble with the disk');
  await ask({launcher: 'disk well'});
  for (const phone of [lively, calm]) await phone.gone('The disk is full');

  // The lid of a simulated launcher.
  await lively.tap('Open lid');
  await both(parts => parts.launcher.lid_open, 'the lid is open');
  await lively.tap('Close lid');
  await both(parts => parts.launcher.state === 'ready', 'it is closed');
});
