// The play view: what the launcher does now, in words and as a drawing; in a simulation with hands.

import {h} from './preact.js';
import {t} from './words.js';
import {link} from './link.js';
import {S, ask, say, send, update} from './state.js';
import {button, card, choices, icon, listed, name} from './ui.js';
import {needPairing} from './pairing.js';
import {cardsOut, launcherDrawing} from './drawing.js';

const ALL_FAULTS = ['jam', 'stick', 'empty', 'misfeed', 'double', 'weak_battery', 'low_battery',
  'sensor_blocked', 'sensor_blind', 'lid_wire', 'noise'];

// The one thing to know now, as {tone, words, advice}.
export function headline(launcher, table) {
  const calm = launcher.tone === 'good';
  if (!calm) return {tone: launcher.tone, words: launcher.headline, advice: launcher.advice, since: launcher.since};
  if (table.owed && table.owed.length) {
    return {tone: 'good', words: table.owed[0].words, advice: t('play.press_now')};
  }
  if (table.phase === 'turn' && table.turn) {
    return {tone: 'good', words: t('play.turn', {name: table.turn}), advice: t('play.turn_advice')};
  }
  return {tone: 'good', words: launcher.headline, advice: launcher.advice};
}

export function stateBanner(now) {
  return h('div', {class: 'banner tone-' + now.tone},
    h('span', {class: 'banner-icon'}, icon(now.tone)),
    h('div', null, h('p', {class: 'banner-words', role: 'status'}, now.words),
      now.advice ? h('p', {class: 'banner-advice'}, now.advice) : null,
      now.since ? h('p', {class: 'banner-advice'}, now.since) : null));
}

// What keeps the history from being written, as long as it does.
export function troubles(launcher) {
  return (launcher.trouble || []).map(words =>
    h('p', {key: words, class: 'remarks remark-bad', role: 'alert'}, words));
}

export function playView() {
  const {launcher, table} = link.parts;
  const simulated = link.hello.simulated;
  const stack = known(table.launcher) ? table.launcher : launcher.stack;
  const shown = simulated ? launcher.stack : stack;
  return h('div', {class: 'view play'},
    h('h1', {class: 'unseen'}, t('tab.play')),
    h('div', {class: 'above'}, simulated ? h('p', {class: 'simulation'}, t('simulation')) : null,
      troubles(launcher)),
    stateBanner(headline(launcher, table)),
    h('div', {class: 'stage'},
      launcherDrawing(launcher, shown, simulated ? hand : null),
      came(launcher)),
    remarks(launcher, table),
    buttons(launcher, simulated),
    h('div', {class: 'columns'}, shots(launcher), happened(launcher)));
}

function known(value) {
  return value !== null && value !== undefined;
}

function came(launcher) {
  if (launcher.state === 'suspense') {
    return h('p', {class: 'came suspense'}, '• '.repeat(Math.min(5, launcher.wait + 1)));
  }
  const last = launcher.shots && launcher.shots[0];
  if (!last) return h('p', {class: 'came'}, h('small', null, t('play.no_press_yet')));
  const busy = known(launcher.cards);
  const count = cardsOut(launcher);
  const big = last.kind === 'unknown' ? '?' : count;
  return h('p', {class: 'came'},
    h('span', {class: 'came-count', key: last.press + '-' + big}, busy || last.kind !== 'blank' ? big : '–'),
    h('small', null, busy ? t('play.coming') : last.words,
      last.whose ? [' → ', name(last.whose)] : null));
}

function remarks(launcher, table) {
  const said = [];
  if (launcher.refusal) said.push(h('li', {key: 'refused', class: 'remark-bad'}, launcher.refusal));
  if (launcher.owed_words) said.push(h('li', {key: 'owed'}, launcher.owed_words));
  if (table.refill_soon) said.push(h('li', {key: 'refill'}, t('play.refill_soon')));
  if (launcher.battery_low) said.push(h('li', {key: 'battery'}, t('play.battery_low')));
  for (const hint of launcher.hints || []) said.push(h('li', {key: hint}, hint));
  for (const fault of launcher.faults || []) {
    said.push(h('li', {key: fault, class: 'remark-planted'}, t('fault.planted') + ' ' + t('fault.' + fault)));
  }
  return said.length ? h('ul', {class: 'remarks'}, said) : null;
}

function hand(what) {
  return send('hand', {do: what});
}

function buttons(launcher, simulated) {
  const stopped = ['jammed', 'fault', 'empty'].indexOf(launcher.state) >= 0;
  const shown = [];
  if (simulated) {
    shown.push(button(t('hand.press'), () => hand('press'), {kind: 'main'}),
      button(t(launcher.lid_open ? 'hand.close_lid' : 'hand.open_lid'), () => hand('lid')),
      button(t('hand.refill'), () => hand('refill')),
      button(t('hand.take'), () => hand('take')),
      button(t('hand.plant'), plant));
    if (launcher.faults && launcher.faults.length) {
      shown.push(button(t('hand.mend'), () => hand('mend')));
    }
  } else if (link.hello.remote_firing) {
    shown.push(button(t('do.press'), () => launch('press'), {kind: 'main'}));
  }
  if (stopped) shown.push(button(t('do.acknowledge'), () => launch('acknowledge')));
  if (launcher.state === 'empty' && !simulated) {
    shown.push(button(t('do.refilled'), () => launch('refilled')));
  }
  if (launcher.owed) {
    if (link.hello.owed === 'command') shown.push(button(t('do.deliver'), deliver, {kind: 'main'}));
    shown.push(button(t('do.cancel'), () => launch('cancel')));
  }
  return shown.length ? h('div', {class: 'actions'}, shown) : null;
}

async function launch(what) {
  const moves = what === 'press' || what === 'acknowledge';
  if (moves && !link.hello.simulated && !(await needPairing())) return;
  await send('launcher', {do: what});
}

async function deliver() {
  if (await send('launcher', {do: 'deliver'})) say(t('play.rest_next'));
}

async function plant() {
  const fault = await ask(t('hand.plant'), done => choices(
    ALL_FAULTS.map(one => ({value: one, words: t('fault.' + one)})), done));
  if (fault) await send('hand', {do: 'plant', fault});
}

function shots(launcher) {
  const all = launcher.shots || [];
  return card(t('play.shots'), all.length ? h('ol', {class: 'shots'}, all.map(shot =>
    h('li', {key: shot.press, class: 'shot shot-' + shot.kind},
      h('span', {class: 'shot-press'}, shot.press),
      h('span', null, shot.words, shot.whose ? [' → ', name(shot.whose)] : null))))
    : h('p', {class: 'quiet'}, t('play.no_press_yet')));
}

function happened(launcher) {
  const lines = launcher.lines || [];
  const most = S.looks.allLines ? 40 : 6;
  return card(t('play.happened'), listed(lines.slice(0, most)),
    lines.length > most ? button(t('show_more'), () => update({looks: Object.assign({}, S.looks, {allLines: true})}), {kind: 'small'}) : null);
}
