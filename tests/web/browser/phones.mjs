// Phones in a real browser, for the scenarios beside this file. Everything is done as a person
// does it: by tapping what is to be seen. Run by tests/web/test_browser.py.

import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';
import fs from 'node:fs';
import path from 'node:path';

const modules = createRequire(path.resolve(process.env.CANNON_BROWSER, 'package.json'));
const {chromium} = modules('playwright-core');
const axeSource = fs.readFileSync(modules.resolve('axe-core/axe.min.js'), 'utf8');
export const acorn = modules('acorn');

export const [base, out] = process.argv.slice(2);
export const SIZES = {
  small: {width: 320, height: 568},
  portrait: {width: 390, height: 844},
  landscape: {width: 844, height: 390},
  desktop: {width: 1280, height: 800},
};
const PATIENCE_MS = 30000;
const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium';
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage'];

export function check(fact, what) {
  if (!fact) throw new Error('not so: ' + what);
}

export function equal(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: found ${a}, wanted ${b}`);
}

// Asks the test beside us to do something to the launcher or the page; gives its answer.
const answers = createInterface({input: process.stdin})[Symbol.asyncIterator]();
export async function ask(what) {
  process.stdout.write(JSON.stringify(what) + '\n');
  return JSON.parse((await answers.next()).value);
}

export async function scenario(play) {
  const browser = await chromium.launch({executablePath: CHROMIUM, args: ARGUMENTS});
  const opened = [];
  const open = async (how = {}) => {
    const phone = await Phone.open(browser, how);
    opened.push(phone);
    return phone;
  };
  let failed = null;
  try {
    await play(open);
    for (const phone of opened) phone.checkQuiet();
  } catch (error) {
    failed = error;
    for (const [number, phone] of opened.entries()) {
      await phone.page.screenshot({path: `${out}/failed-${number}.png`}).catch(() => {});
    }
  }
  await browser.close();
  if (failed) {
    console.error(failed.stack);
    process.exit(1);
  }
  process.exit(0);
}

// Some of the pictures side by side in one, small enough for a README.
export async function collage(name, pictures) {
  const browser = await chromium.launch({executablePath: CHROMIUM, args: ARGUMENTS});
  const page = await browser.newPage({viewport: {width: 1240, height: 540}});
  const images = pictures.map(one => {
    const data = fs.readFileSync(`${out}/${one}.png`).toString('base64');
    return `<img src="data:image/png;base64,${data}">`;
  });
  await page.setContent(`<style>body{margin:10px;display:flex;justify-content:space-between;background:#8b88a8}
    img{height:520px;border-radius:14px}</style>` + images.join(''));
  await page.screenshot({path: `${out}/${name}.png`});
  await browser.close();
}

export class Phone {
  static async open(browser, {size = 'portrait', dark = false, locale = 'en-GB', still = true, at = '', strict = true}) {
    const context = await browser.newContext({
      viewport: SIZES[size], deviceScaleFactor: 2, hasTouch: size !== 'desktop', locale,
      isMobile: size !== 'desktop', colorScheme: dark ? 'dark' : 'light',
      reducedMotion: still ? 'reduce' : 'no-preference',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const phone = new Phone(context, await context.newPage(), strict);
    await phone.page.goto(base + at);
    await phone.page.waitForSelector('.frame');
    return phone;
  }

  constructor(context, page, strict) {
    this.context = context;
    this.page = page;
    this.noise = [];
    this.bytes = 0;
    this.strict = strict;
    const away = request => !request.url().startsWith(base) && !request.url().startsWith('data:');
    page.on('request', request => away(request) && this.noise.push('asked elsewhere: ' + request.url()));
    page.on('console', message => message.type() === 'error' && this.noise.push(message.text()));
    page.on('pageerror', error => this.noise.push('error: ' + error.stack));
    page.on('dialog', dialog => {
      this.noise.push('dialog: ' + dialog.message());
      dialog.dismiss();
    });
    page.on('requestfinished', async request => {
      const sizes = await request.sizes().catch(() => null);
      if (sizes) this.bytes += sizes.responseBodySize + sizes.responseHeadersSize;
    });
  }

  // No errors, nothing asked for elsewhere. The browser tells of every refusal (409), and of lost
  // connections; where a scenario cuts them, they are expected.
  checkQuiet() {
    const lost = /ERR_|Failed to load resource|net::/;
    const noise = this.noise.filter(line => !/status of 409/.test(line) && (this.strict || !lost.test(line)));
    check(!noise.length, 'a quiet browser; it said: ' + noise.join(' | '));
  }

  button(name, exact = true) {
    return this.page.getByRole('button', {name, exact}).filter({visible: true}).first();
  }

  async tap(name, exact = true) {
    const found = this.button(name, exact);
    await found.scrollIntoViewIfNeeded();
    await found.click();
  }

  // A text of the page by its key, in this phone's language.
  word(key) {
    return this.page.evaluate(async wanted => (await import('/static/words.js')).t(wanted), key);
  }

  async tapWord(key) {
    await this.tap(await this.word(key));
  }

  // Taps in the sheet that is open, and waits until it has made room for the next one or for none.
  async choose(name) {
    const dialog = this.page.getByRole('dialog');
    const sheet = await dialog.elementHandle();
    await dialog.getByRole('button', {name, exact: true}).click();
    await sheet.waitForElementState('hidden');
  }

  // Adds players to a new game; `shown` is what becomes of their names.
  async seat(names, shown = names) {
    for (const [number, name] of names.entries()) {
      await this.page.fill('.sheet input[type=text]', name);
      await this.tapWord('new.add');
      await this.shows('.seating .name', shown.slice(0, number + 1), 'who plays');
    }
  }

  async go(view) {
    await this.page.click(`nav a[href="#${view}"]`);
    await this.page.waitForSelector(`nav a[href="#${view}"][aria-current="page"]`);
  }

  async see(text) {
    await this.page.getByText(text).filter({visible: true}).first().waitFor();
  }

  // Waits until the texts of all that is selected are these.
  async shows(selector, wanted, what) {
    const texts = () => this.page.locator(selector).allTextContents();
    const end = Date.now() + PATIENCE_MS;
    while (JSON.stringify(await texts()) !== JSON.stringify(wanted) && Date.now() < end) {
      await this.page.waitForTimeout(50);
    }
    equal(await texts(), wanted, what);
  }

  async gone(text) {
    await this.page.waitForFunction(
      wanted => !document.getElementById('app').innerText.includes(wanted), text);
  }

  // Everything that can be read or is read out, piece by piece; but not the program's name.
  said() {
    return this.page.evaluate(() => {
      const found = [];
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const node = text.parentElement;
        if (node.getClientRects().length && !node.closest('.brand')) found.push(text.data.trim());
      }
      for (const node of document.querySelectorAll('[aria-label]')) found.push(node.ariaLabel);
      return found.filter(Boolean);
    });
  }

  // What the page knows: the parts as the server sent them.
  state() {
    return this.page.evaluate(async () => {
      const {link} = await import('/static/link.js');
      return JSON.parse(JSON.stringify(
        {run: link.run, version: link.version, fresh: link.fresh, parts: link.parts, hello: link.hello}));
    });
  }

  // `test` is called here, not on the page: waitForFunction takes a promise for true.
  async until(test, what, patience_ms = PATIENCE_MS) {
    const end = Date.now() + patience_ms;
    for (;;) {
      const state = await this.state();
      if (test(state.parts, state)) return state;
      if (Date.now() > end) {
        throw new Error('waited in vain until ' + what + ': ' + JSON.stringify(state.parts.table));
      }
      await this.page.waitForTimeout(50);
    }
  }

  // Sends an action past the buttons, as another program or an old page would.
  act(action, version) {
    return this.page.evaluate(async ([wanted, at]) => {
      const {link, post} = await import('/static/link.js');
      return post('table', {version: at === null ? link.parts.table.version : at, action: wanted});
    }, [action, version === undefined ? null : version]);
  }

  async does(...actions) {
    for (const action of actions) {
      const before = (await this.state()).parts.table.version;
      const answer = await this.act(action);
      check(answer.ok, JSON.stringify(action) + ' → ' + JSON.stringify(answer));
      await this.until(parts => parts.table.version > before, 'the action is shown');
    }
  }

  async shoot(name, whole = false) {
    await this.page.evaluate(() => document.fonts.ready);
    await this.page.screenshot({path: `${out}/${name}.png`, fullPage: whole});
  }

  // Nothing sticks out at the side, and everything to be tapped is large enough for a finger.
  async checkLayout(what) {
    const found = await this.page.evaluate(() => {
      const wide = document.documentElement.scrollWidth > window.innerWidth + 1;
      const small = [...document.querySelectorAll('button, nav a, select, summary, input')]
        .map(node => [node, node.getBoundingClientRect()])
        .filter(([node, box]) => box.width && box.height && !node.closest('.unseen')
          && node.type !== 'checkbox' && (box.height < 43.5 || box.width < 40))
        .map(([node, box]) => `${node.className} "${node.innerText}" ${Math.round(box.width)}x${Math.round(box.height)}`);
      const cut = [...document.querySelectorAll('button, nav a, .badge, .face, .banner')]
        .filter(node => node.clientWidth && (node.scrollWidth > node.clientWidth + 1))
        .map(node => `${node.className} "${node.innerText}"`);
      // A word of the page's own is never broken; a person's name may be.
      const broken = [];
      for (const node of document.querySelectorAll('button, nav a, .badge, .face')) {
        const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
          if (text.parentElement.closest('.unseen, .name')) continue;
          for (const word of text.data.matchAll(/[^\s-]+/g)) {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const tops = [...range.getClientRects()].map(box => Math.round(box.top));
            if (word[0].length <= 14 && Math.max(...tops) - Math.min(...tops) > 4) broken.push(word[0]);
          }
        }
      }
      return {wide, small, cut, broken};
    });
    check(!found.wide, `${what} fits the width`);
    equal(found.cut, [], `${what}: cut off`);
    equal(found.broken, [], `${what}: words broken`);
    equal(found.small, [], `${what}: too small for a finger`);
  }

  async checkAccessible(what) {
    await this.page.evaluate(axeSource);
    const violations = await this.page.evaluate(async () => {
      const found = await axe.run(document, {resultTypes: ['violations']});
      return found.violations.map(one => `${one.id}: ${one.help}: ${one.nodes.length} times, ` +
        one.nodes.slice(0, 3).map(node => node.html.slice(0, 160) + ' ' + (node.any[0] ? node.any[0].message : '')).join(' || '));
    });
    equal(violations, [], `${what}: accessibility`);
  }
}
