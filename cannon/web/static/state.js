// What this phone itself has in mind: which view is open, which sheet, who holds it.

import {keep, t} from './words.js';
import {link, post} from './link.js';

const ME = 'cannon.me';
const TOAST_MS = 6000;

export const S = {
  view: 'play',
  sheet: null,
  toast: null,
  sending: 0,
  me: keep(ME) || '',
  pad: {colour: null, last: false},
  looks: {},
};

let draw = () => {};
let toastTimer = 0;

export function onDraw(how) {
  draw = how;
}

export function update(change) {
  Object.assign(S, change);
  draw();
}

export function setMe(name) {
  keep(ME, name || null);
  update({me: name});
}

export function say(words, bad) {
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => update({toast: null}), TOAST_MS);
  update({toast: {words, bad: !!bad, number: Date.now()}});
}

// Opens a sheet and gives what was chosen there, or undefined where it was closed. `make` is
// given `done(value)` and makes the sheet's content.
export function ask(title, make) {
  return new Promise(resolve => {
    const opener = S.sheet ? S.sheet.opener : document.activeElement;
    const sheet = {title, opener, number: Date.now() + Math.random()};
    sheet.done = value => {
      if (S.sheet === sheet) update({sheet: null});
      giveBack(opener);
      resolve(value);
    };
    sheet.make = () => make(sheet.done);
    update({sheet});
  });
}

// The focus goes back to where it was, once the sheet is gone and if no other has opened.
function giveBack(opener) {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (!S.sheet && opener && opener.focus) opener.focus();
  }));
}

// Sends a change and tells why it was refused, if it was. Gives whether it was done.
export async function send(name, body) {
  if (!link.fresh) {
    say(t('stale.wait'), true);
    return false;
  }
  update({sending: S.sending + 1});
  const answer = await post(name, body);
  update({sending: S.sending - 1});
  if (!answer.ok) say(answer.words || t('unsent'), true);
  return answer.ok;
}

// Sends an action for the table as this phone sees it now.
export function act(action) {
  return send('table', {version: link.parts.table.version, action});
}
