// Pairs this phone with the PIN, once; then it may change settings and, where allowed, fire.

import {h} from './preact.js';
import {t} from './words.js';
import {link} from './link.js';
import {ask, say, send, update} from './state.js';
import {button} from './ui.js';

// Gives whether this phone is paired, after asking for the PIN if it is not yet.
export async function needPairing() {
  if (link.hello.paired) return true;
  if (!link.hello.can_pair) {
    say(t('pin.none'), true);
    return false;
  }
  let typed = '';
  const pin = await ask(t('pin.title'), done => h('form', {onSubmit: event => {
    event.preventDefault();
    done(typed);
  }},
  h('label', {class: 'field'}, t('pin.label'),
    h('input', {type: 'password', inputMode: 'numeric', autocomplete: 'off', maxLength: 12,
      onInput: event => { typed = event.target.value; }})),
  h('p', {class: 'quiet'}, t('pin.where')),
  h('button', {type: 'submit', class: 'btn btn-main'}, t('pin.pair'))));
  if (!pin) return false;
  const ok = await send('pair', {pin});
  if (ok) {
    link.hello.paired = true;
    say(t('pin.paired'));
  }
  return ok;
}

export function unpairButton() {
  return button(t('pin.forget'), async () => {
    if (await send('pair', {})) {
      link.hello.paired = false;
      update({});
    }
  }, {kind: 'small'});
}
