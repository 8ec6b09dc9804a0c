// What only some games have: partners, jumping in, doubting a card, advice. All by tapping.

import {check, equal, scenario} from './phones.mjs';

const TEAM = ['Anna', 'Bo', 'Clara', 'Ditte'];

scenario(async open => {
  const phone = await open({size: 'small'});

  // Partners in a classic game; the rules are chosen with their explanations beside them.
  await phone.go('table');
  await phone.tap('New game');
  await phone.page.locator('.edition').filter({hasText: 'Wild Draw Four'}).first().click();
  await phone.seat(TEAM);
  await phone.page.click('.options summary');
  await phone.page.locator('.option').filter({hasText: 'Scoring'}).locator('select').selectOption('partners');
  await phone.see('Partners: Anna and Clara · Bo and Ditte');
  const jump = phone.page.locator('.option').filter({hasText: 'Jumping in'}).first();
  check((await jump.locator('small').innerText()).length > 10, 'an option is explained');
  await jump.locator('input[type=checkbox]').check();
  await phone.tap('Start');
  await phone.until(parts => parts.table.phase === 'first_card', 'the game is on');
  await phone.does({do: 'first', card: 'red 5'}, {do: 'lay', by: 'Anna', card: 'red 7'});

  await phone.tap('More …');
  await phone.choose(/^Somebody jumps in/);
  await phone.choose('Clara');
  await phone.until(parts => parts.table.turn === 'Ditte', 'it goes on from who jumped in');

  await phone.does({do: 'lay', by: 'Ditte', card: 'wild-draw-four', colour: 'blue'});
  await phone.tap('Challenge');
  await phone.checkAccessible('a challenge');
  await phone.choose('Yes – the card was not allowed');
  const {parts} = await phone.until(now => now.table.owed.length && !now.table.challenge, 'it is judged');
  equal(parts.table.owed[0].by, 'Ditte', 'who laid it draws');
  await phone.does({do: 'draw', by: 'Ditte'});
  await phone.until(now => !now.table.owed.length, 'drawn');

  // Remembered players begin another game; advice costs.
  await phone.tap('More …');
  await phone.choose('End the game');
  await phone.choose('End the game');
  await phone.until(now => now.table.stage === 'ended', 'the game is over');
  await phone.tap('New game');
  for (const name of ['Bo', 'Anna']) await phone.page.locator('.chip', {hasText: name}).click();
  await phone.shows('.seating .name', ['Bo', 'Anna'], 'who plays');
  await phone.tap('Start');
  await phone.until(now => now.table.phase === 'first_card', 'the next game');
  await phone.does({do: 'first', card: 'red 5'});
  await phone.tap('More …');
  await phone.choose(/^Somebody gave advice/);
  await phone.choose('Bo');
  const {parts: now} = await phone.until(one => one.table.owed.length, 'it costs');
  equal(now.table.owed[0].takes, 'Bo', 'who gave it pays');
});
