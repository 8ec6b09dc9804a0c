// Settings are behind the PIN; a wrong one is told; the page can be installed and joined.

import {check, equal, scenario, base} from './phones.mjs';

scenario(async open => {
  const phone = await open({strict: false});
  await phone.go('launcher');
  await phone.see('To change them, pair this phone with the PIN.');
  const odds = phone.page.locator('label.field', {hasText: 'Odds'}).locator('select').first();
  await odds.selectOption('even');
  await phone.page.fill('.sheet input', '00000');
  await phone.page.keyboard.press('Enter');
  await phone.see('That is not the PIN.');
  await phone.page.getByRole('button', {name: 'Pair', exact: true}).first().click();
  await phone.page.fill('.sheet input', '13579');
  await phone.checkAccessible('the PIN');
  await phone.page.keyboard.press('Enter');
  await phone.see('This phone is paired.');
  await odds.selectOption('even');
  await phone.see('Changed. The launcher starts anew');
  await phone.page.reload();
  await phone.go('launcher');
  await phone.see('Unpair this phone');

  const manifest = await (await phone.page.request.get(base + 'manifest.webmanifest')).json();
  equal(manifest.display, 'standalone', 'it opens like an app');
  for (const icon of manifest.icons) {
    const answer = await phone.page.request.get(base.replace(/\/$/, '') + icon.src);
    check(answer.ok(), icon.src);
  }
  check((await phone.page.request.get(base + 'static/icon-180.png')).ok(), 'an icon for iPhones');
  const join = await open({at: 'join'});
  await join.see('Everybody can join');
  await join.see('To let phones in, start the launcher like this:');
});
