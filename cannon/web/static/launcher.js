// The launcher view: its odds and whether it keeps them, faults and what to do, settings, history.

import {h} from './preact.js';
import {t, words} from './words.js';
import {link, look} from './link.js';
import {S, say, send, update} from './state.js';
import {askSure, button, card, icon, listed} from './ui.js';
import {needPairing, unpairButton} from './pairing.js';
import {headline, stateBanner, troubles} from './play.js';

const WIDTH = 320, HEIGHT = 150, LEFT = 30, BOTTOM = 24, TOP = 8;

// What is looked up each time the view is opened, and again after each press.
export async function lookAll() {
  for (const what of ['odds', 'settings', 'history', 'diagnostics']) {
    try {
      const found = await look(what);
      update({looks: Object.assign({}, S.looks, {[what]: found})});
    } catch (error) {
      update({looks: Object.assign({}, S.looks, {[what]: null})});
    }
  }
}

export function launcherView() {
  const {launcher} = link.parts;
  const {odds, settings, history, diagnostics} = S.looks;
  return h('div', {class: 'view'},
    h('h1', {class: 'unseen'}, t('tab.launcher')),
    troubles(launcher),
    stateBanner(headline(launcher, {owed: []})),
    h('div', {class: 'columns'},
      hints(launcher),
      odds ? oddsPanel(odds) : null,
      settings ? settingsPanel(settings) : null,
      diagnostics && diagnostics.calibration ? calibrationPanel(diagnostics.calibration) : null,
      diagnostics && diagnostics.check ? checkPanel(diagnostics.check) : null,
      history && history.totals ? historyPanel(history) : null,
      diagnostics ? diagnosticsPanel(diagnostics) : null));
}

function hints(launcher) {
  const all = [...(launcher.hints || [])];
  if (launcher.owed_words) all.unshift(launcher.owed_words);
  return card(t('launcher.care'), all.length ? listed(all) : h('p', null, t('launcher.well')));
}

function oddsPanel(odds) {
  const waits = Object.keys(odds.shares);
  const measured = odds.measured.launches_by_wait;
  const launches = Object.keys(measured).reduce((sum, wait) => sum + measured[wait], 0);
  return card(t('odds.title'),
    h('p', null, h('b', null, odds.title), odds.about ? ' – ' + odds.about : null),
    h('p', null, t('odds.figures', {
      launches: percent(odds.launches_per_press), cards: number(odds.cards_per_launch, 1)})),
    bars(waits, odds.shares, measured, launches),
    h('p', {class: 'legend'}, h('span', {class: 'key-model'}), t('odds.by_model'), ' ',
      h('span', {class: 'key-found'}), t('odds.found', {count: launches})),
    h('p', {class: 'verdict verdict-' + odds.verdict}, odds.words),
    odds.measured.decided ? h('p', {class: 'quiet'}, t('odds.delivered', {
      delivered: odds.measured.delivered, decided: odds.measured.decided})) : null,
    h('details', null, h('summary', null, t('odds.table')), oddsTable(waits, odds, measured, launches)));
}

function bars(waits, shares, measured, launches) {
  const found = wait => launches ? (measured[wait] || 0) / launches : 0;
  const most = Math.max(0.05, ...waits.map(wait => Math.max(shares[wait], found(wait))));
  const step = (WIDTH - LEFT) / waits.length;
  const y = share => HEIGHT - BOTTOM - share / most * (HEIGHT - TOP - BOTTOM);
  const bar = (share, x, wide, kind) => h('rect', {class: kind, x, y: y(share), width: wide,
    height: Math.max(0, HEIGHT - BOTTOM - y(share))});
  const measuredBar = (share, x, wide) => h('g', {class: 'bar-found'}, bar(share, x, wide),
    h('path', {d: stripes(x, wide, y(share))}));
  return h('svg', {class: 'chart', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': t('odds.chart')},
    h('path', {class: 'axis', d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH}`}),
    h('text', {class: 'tick tick-left', x: LEFT - 3, y: y(most) + 8}, percent(most)),
    waits.map((wait, at) => h('g', {key: wait},
      bar(shares[wait], LEFT + at * step + step * 0.12, step * 0.38, 'bar-model'),
      launches ? measuredBar(found(wait), LEFT + at * step + step * 0.52, step * 0.34) : null,
      h('text', {class: 'tick', x: LEFT + (at + 0.5) * step, y: HEIGHT - 8}, wait))));
}

// Colour is not the only sign: what was measured is striped.
function stripes(x, wide, top) {
  let d = '';
  for (let y = HEIGHT - BOTTOM - 2; y > top; y -= 4) d += `M${x} ${y}h${wide}`;
  return d;
}

function oddsTable(waits, odds, measured, launches) {
  return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('odds.table')},
    h('table', null,
      h('thead', null, h('tr', null, ['wait', 'chance', 'share', 'measured'].map(key =>
        h('th', {key, scope: 'col'}, t('odds.' + key))))),
      h('tbody', null, waits.map(wait => h('tr', {key: wait},
        h('th', {scope: 'row'}, wait), h('td', null, percent(odds.chances[wait])),
        h('td', null, percent(odds.shares[wait])),
        h('td', null, launches ? percent((measured[wait] || 0) / launches) : '–'))))));
}

function percent(share) {
  return number(100 * share, share < 0.1 ? 1 : 0) + ' %';
}

function number(value, digits) {
  return value.toLocaleString(words.language, {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

function titleOf(models) {
  return name => (models.find(model => model.name === name) || {title: name}).title;
}

function settingsPanel(settings) {
  const {values} = settings;
  const locked = !link.hello.paired;
  return card(t('settings.title'),
    locked ? h('p', {class: 'quiet'}, link.hello.can_pair ? t('settings.locked') : t('pin.none')) : null,
    choice('odds', settings.models.map(model => model.name), values.odds, titleOf(settings.models)),
    h('p', {class: 'quiet'}, (settings.models.find(model => model.name === values.odds) || {}).about),
    choice('suspense_s', [0, 1, 2, 3, 5], values.suspense_s,
      seconds => seconds ? t('settings.seconds', {count: seconds}) : t('settings.none')),
    choice('owed', ['press', 'command', 'forget'], values.owed, one => t('settings.owed_' + one)),
    choice('volume', ['loud', 'medium', 'quiet', 'off'], values.volume, one => t('settings.volume_' + one)),
    h('p', {class: 'quiet'}, t('settings.volume_why')),
    h('div', {class: 'actions'},
      locked && link.hello.can_pair ? button(t('pin.pair'), needPairing) : null,
      locked ? null : unpairButton(),
      link.hello.shutdown ? button(t('settings.halt'), halt, {kind: 'bad'}) : null));
}

function choice(key, all, value, words) {
  const options = all.indexOf(value) >= 0 ? all : [value, ...all];
  return h('label', {class: 'field'}, t('settings.' + key),
    h('select', {value: String(value), onChange: event => {
      set(key, options[event.target.selectedIndex]);
    }}, options.map(one => h('option', {key: one, value: String(one)}, words(one)))));
}

// The launcher starts anew with what was changed, which takes a moment and fires nothing.
async function set(key, value) {
  if (await needPairing()) {
    if (await send('settings', {values: {[key]: value}})) say(t('settings.changed'));
  }
  lookAll();
}

async function halt() {
  if (!(await askSure(t('settings.halt'), t('settings.halt_sure'), t('settings.halt')))) return;
  if (await needPairing()) await send('power', {do: 'halt'});
}

function calibrationPanel(found) {
  return card(t('calibration.title'),
    h('p', null, t('calibration.of', {measured: dated(found.measured), cards: found.cards})),
    h('dl', {class: 'facts'}, Object.keys(found.feed).map(key => [
      h('dt', {key: 't' + key}, key), h('dd', {key: 'd' + key}, found.feed[key])])));
}

function checkPanel(found) {
  return card(t('check.title'),
    h('p', {class: 'quiet'}, dated(found.at)),
    h('ul', {class: 'lines'}, found.steps.map((step, at) => h('li', {key: at},
      verdict(step.verdict === 'good', step.verdict === 'skipped'), step.title,
      step.words ? h('p', {class: 'quiet'}, step.words, ' ', step.fix) : null))));
}

function verdict(good, skipped) {
  const kind = good ? 'good' : skipped ? 'wait' : 'bad';
  return h('span', {class: 'mark mark-' + kind}, icon(kind),
    h('span', {class: 'unseen'}, t('check.' + kind) + ' '));
}

async function examine() {
  update({looks: Object.assign({}, S.looks, {examining: true})});
  const found = await look('doctor').catch(() => ({examined: false, checks: []}));
  update({looks: Object.assign({}, S.looks, {examining: false, doctor: found})});
}

function doctorPanel(found) {
  if (!found.examined) return h('p', {role: 'status'}, t('check.unexamined'));
  const wrong = found.checks.filter(one => !one.ok);
  return h('div', null, h('p', {role: 'status'}, t('check.found', {count: wrong.length, all: found.checks.length})),
    h('ul', {class: 'lines'}, [...wrong, ...found.checks.filter(one => one.ok)].map(one => h('li', {key: one.name},
      verdict(one.ok), h('b', null, one.title), h('p', {class: 'quiet'}, one.detail, one.fix ? ' – ' + one.fix : '')))));
}

function historyPanel(history) {
  const {totals} = history;
  const lines = history.lines.slice().reverse().slice(0, 40);
  return card(t('history.title'),
    h('p', null, t('history.totals', totals)),
    h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('history.title')},
      h('table', null,
        h('thead', null, h('tr', null, ['time', 'what', 'decided', 'delivered', 'owed'].map(key =>
          h('th', {key, scope: 'col'}, t('history.' + key))))),
        h('tbody', null, lines.map(line => h('tr', {key: line.seq},
          h('td', null, clock(line.wall_time)),
          h('td', null, line.kind === 'press' ? t('history.press', {press: line.shot})
            : line.words),
          h('td', null, line.decided), h('td', null, line.unknown ? '?' : line.delivered),
          h('td', null, line.owed)))))));
}

// The time of today, by the phone's clock; of another day with its date.
function clock(seconds) {
  const at = new Date(seconds * 1000);
  return at.toDateString() === new Date().toDateString() ? timeOf(at) : dated(seconds);
}

function dated(seconds) {
  const at = new Date(seconds * 1000);
  const day = at.toLocaleDateString(words.language, {day: 'numeric', month: 'short', year: 'numeric'});
  return day + ' ' + timeOf(at);
}

function timeOf(at) {
  return at.toLocaleTimeString(words.language, {hour12: false, hour: '2-digit', minute: '2-digit'});
}

function diagnosticsPanel(diagnostics) {
  return card(t('diagnostics.title'),
    h('dl', {class: 'facts'}, Object.keys(diagnostics.items).filter(key => diagnostics.items[key] !== '')
      .map(key => [h('dt', {key: 't' + key}, t('diagnostics.' + key)),
        h('dd', {key: 'd' + key}, String(diagnostics.items[key]))])),
    h('div', {class: 'actions'}, button(t('check.machine'), examine, {disabled: !!S.looks.examining})),
    S.looks.doctor ? doctorPanel(S.looks.doctor) : null);
}
