// Every view in every size, light and dark: nothing sticks out, everything is large enough, axe
// finds nothing. A picture of each is left in the folder given, to be looked at by people.

import {ask, check, collage, scenario} from './phones.mjs';

const PLAYERS = ['Anna', 'Bo', 'Clara', 'Ditte'];
const TEN = ['Anna', 'Bo', 'Clara', 'Ditte', 'Emil', 'Freja', 'Gustav Adolf', 'Ida', 'Jens', 'Karen'];
const start = (players, more = {}) => Object.assign(
  {do: 'start', edition: 'extreme', players, dealer: players[players.length - 1], first: 'red 5'}, more);

// Each scene: its view, how to get there, and what may be opened on top.
const SCENES = [
  {name: 'play-ready', view: 'play'},
  {name: 'table-none', view: 'table'},
  {name: 'new-game', view: 'table', open: async phone => {
    await phone.tapWord('new.title');
    await phone.seat(PLAYERS);
    await phone.page.click('.options summary');
  }},
  {name: 'table-first', view: 'table', act: [start(PLAYERS, {first: undefined})]},
  {name: 'table-turn', view: 'table', act: [{do: 'first', card: 'red 5'}]},
  {name: 'lay-wild', view: 'table', open: async phone => {
    await phone.page.click('.pad-colours .colour-wild');
    await phone.page.click('.pad-cards .face:first-child');
  }},
  {name: 'table-more', view: 'table', open: phone => phone.tapWord('table.more')},
  {name: 'table-owed', view: 'table', act: [{do: 'lay', by: 'Anna', card: 'red hit-2'}]},
  {name: 'play-owed', view: 'play'},
  {name: 'play-feeding', view: 'play', launcher: 'feed'},
  {name: 'play-cards', view: 'play', launcher: 'fed'},
  {name: 'play-jam', view: 'play', launcher: 'jam'},
  {name: 'table-jam', view: 'table'},
  {name: 'play-lid', view: 'play', launcher: 'open'},
  {name: 'play-again', view: 'play', launcher: 'clear'},
  {name: 'table-uno', view: 'table', launcher: 'press', act: [
    {do: 'hand', by: 'Clara', cards: 2}, {do: 'lay', by: 'Clara', card: 'red 7'}]},
  {name: 'table-refill', view: 'table', act: [{do: 'catch', by: 'Anna', player: 'Clara'}, {do: 'empty'}]},
  {name: 'table-colour', view: 'table', act: [{do: 'refill'}, {do: 'waive'}, {do: 'lay', by: 'Ditte', card: 'wild'}]},
  {name: 'table-count', view: 'table', act: [{do: 'colour', by: 'Ditte', colour: 'red'},
    {do: 'hand', by: 'Anna', cards: 1}, {do: 'lay', by: 'Anna', card: 'red 8'}], open: async phone => {
    for (const at of [8, 11, 13]) await phone.page.click(`.counting-keys .face:nth-child(${at})`);
  }, keep: true},
  {name: 'table-round-over', view: 'table', act: [
    {do: 'count', by: 'Bo', points: 77}, {do: 'count', by: 'Clara', points: 12}, {do: 'count', by: 'Ditte', points: 30},
    {do: 'next', first: 'red 5'}, {do: 'lay', by: 'Bo', card: 'red 3', last: true},
    {do: 'count', by: 'Anna', points: 44}, {do: 'count', by: 'Clara', points: 20}, {do: 'count', by: 'Ditte', points: 61},
    {do: 'next', first: 'red 5'}, {do: 'lay', by: 'Clara', card: 'red 3', last: true},
    {do: 'count', by: 'Bo', points: 9}, {do: 'count', by: 'Anna', points: 20}, {do: 'count', by: 'Ditte', points: 61}]},
  {name: 'people', view: 'table', open: phone => phone.tapWord('people.title')},
  {name: 'past', view: 'table', open: phone => phone.tapWord('past.title')},
  {name: 'past-round', view: 'table', open: phone => phone.page.click('tbody tr:first-child button')},
  {name: 'launcher', view: 'launcher'},
  {name: 'launcher-open', view: 'launcher', whole: true, open: async phone => {
    await phone.page.click('.panel details summary');
    await phone.tapWord('check.machine');
    for (const part of ['.panel p[role=status]', '.verdict-fits', '.bar-found', '.mark-good', '.mark-bad']) {
      await phone.page.waitForSelector(part);
    }
  }, keep: true},
  {name: 'join', view: 'join'},
  {name: 'table-ten', view: 'table', act: [{do: 'end'}, start(TEN), {do: 'lay', by: 'Anna', card: 'red hit-2'}]},
];

const LOOKS = [
  ['portrait', false], ['portrait', true], ['landscape', false], ['desktop', false], ['desktop', true], ['small', false],
  ['small', false, 'da-DK'],
];

scenario(async open => {
  const problems = [];
  const phones = [];
  for (const [size, dark, locale] of LOOKS) {
    phones.push({size, dark, locale, phone: await open({size, dark, locale})});
  }
  const first = phones[0].phone;
  const english = await ask({launcher: 'english'});
  check(first.bytes < 100000, `the first view is small: ${first.bytes} bytes`);
  for (const scene of SCENES) {
    if (scene.launcher) {
      await ask({launcher: scene.launcher});
      await first.page.waitForTimeout(500);
    }
    for (const action of scene.act || []) await first.does(action);
    const version = (await first.state()).parts.table.version;
    await Promise.all(phones.map(async ({size, dark, locale, phone}) => {
      await phone.until(parts => parts.table.version >= version, 'it is up to date');
      await phone.go(scene.view);
      if (scene.view === 'launcher') await phone.page.waitForSelector('.facts dd');
      if (scene.open) await scene.open(phone);
      const name = `${scene.name}-${size}${dark ? '-dark' : ''}${locale ? '-danish' : ''}`;
      await phone.page.evaluate(() => window.scrollTo(0, 0));
      await phone.shoot(name, scene.whole);
      for (const look of ['checkLayout', 'checkAccessible']) {
        await phone[look](name).catch(error => problems.push(error.message));
      }
      if (locale) {
        const left = (await phone.said()).filter(words => english.includes(words));
        if (left.length) problems.push(`${name} says in English: ${left.join(' | ')}`);
      }
      if (scene.open && !scene.keep) {
        await phone.page.keyboard.press('Escape');
        await phone.page.waitForSelector('.sheet', {state: 'detached'});
      }
    }));
  }
  await collage('readme', ['play-feeding-portrait', 'table-turn-portrait', 'table-owed-portrait-dark',
    'table-round-over-portrait', 'launcher-portrait-dark']);
  check(!problems.length, 'all is well:\n' + problems.join('\n'));
});
