// The launcher as a drawing: lid, stack, motor, lamp, button, and the cards as they come out.

import {h} from './preact.js';
import {t} from './words.js';

const FULL = 112;
const MOST_DRAWN = 13;
const WINDOW = {x: 62, bottom: 118, width: 108, height: 62};

// How many cards lie before the slot: those of this shot, or of the last one.
export function cardsOut(launcher) {
  if (launcher.cards !== null && launcher.cards !== undefined) return launcher.cards;
  const last = launcher.shots && launcher.shots[0];
  return last && last.cards ? last.cards : 0;
}

export function launcherDrawing(launcher, stack, hands) {
  const press = launcher.shots && launcher.shots[0] ? launcher.shots[0].press : 0;
  const out = Math.min(MOST_DRAWN, cardsOut(launcher));
  const jammed = launcher.state === 'jammed';
  return h('svg', {class: 'machine machine-' + launcher.state, viewBox: '0 -16 360 252',
    role: 'img', 'aria-label': described(launcher, stack)},
  h('ellipse', {class: 'm-shadow', cx: 176, cy: 224, rx: 168, ry: 10}),
  cards(out, press),
  launcher.protruding || jammed ? stuck(jammed) : null,
  h('path', {class: 'm-tray', d: 'M236 196h104a10 10 0 0 1 10 10v12H236Z'}),
  h('path', {class: 'm-back', d: 'M54 46h124v80H54Z'}),
  stacked(stack),
  h('path', {class: 'm-glass', d: 'M54 46h124v80H54Z'}),
  h('path', {class: 'm-lid' + (launcher.lid_open ? ' m-open' : ''),
    d: 'M46 46a8 8 0 0 1 8-12h124a8 8 0 0 1 8 12Z', onClick: hands && (() => hands('lid'))}),
  h('path', {class: 'm-body',
    d: 'M38 112h190q22 0 24 22l4 84H20l4-84q2-22 14-22Z'}),
  h('path', {class: 'm-slot', d: 'M226 172h31v14h-31z'}),
  wheel(launcher.motor),
  h('g', {class: 'm-button' + (launcher.button_down ? ' m-down' : ''), onClick: hands && (() => hands('press'))},
    launcher.state === 'suspense' ? h('circle', {class: 'm-ring', cx: 186, cy: 176, r: 32}) : null,
    h('circle', {class: 'm-rim', cx: 186, cy: 176, r: 29}),
    h('circle', {key: 'dome' + launcher.presses, class: 'm-dome', cx: 186, cy: 174, r: 23})),
  h('circle', {class: 'm-lamp m-lamp-' + launcher.light, cx: 226, cy: 138, r: 7}),
  launcher.tune && launcher.tune[0]
    ? h('text', {class: 'm-tune', key: 'tune' + launcher.tune[1], x: 214, y: 104}, '♪') : null,
  jammed || launcher.state === 'fault'
    ? h('path', {class: 'm-sign', d: 'M292 98l26 46h-52ZM289 112v16h6v-16zM289 132v6h6v-6z',
      'fill-rule': 'evenodd'}) : null);
}

function described(launcher, stack) {
  const parts = [launcher.headline, t(launcher.lid_open ? 'drawing.lid_open' : 'drawing.lid_closed'),
    t(launcher.motor ? 'drawing.motor_on' : 'drawing.motor_off'),
    t('drawing.out', {count: cardsOut(launcher)})];
  if (stack !== null && stack !== undefined) parts.push(t('drawing.stack', {count: stack}));
  return parts.join(' · ');
}

function cards(out, press) {
  const drawn = [];
  for (let n = 0; n < out; n++) {
    const x = 252 + Math.round(n * 52 / MOST_DRAWN);
    const turn = -14 + n * 4;
    drawn.push(h('g', {key: press + '-' + n,
      transform: `translate(${x} ${146 - n}) rotate(${turn} 17 26)`},
    h('g', {class: 'm-card'}, h('rect', {width: 36, height: 54, rx: 5}),
      h('path', {d: 'M9 27 18 12l9 15-9 15Z'}))));
  }
  return h('g', null, drawn);
}

function stuck(jammed) {
  return h('g', {transform: jammed ? 'translate(232 158) rotate(24)' : 'translate(234 160)'},
    h('g', {class: 'm-stuck'}, h('rect', {width: 46, height: 32, rx: 5}),
      h('path', {d: 'M26 6 37 16 26 26 15 16Z'})));
}

function stacked(stack) {
  if (stack === null || stack === undefined) {
    return h('text', {class: 'm-unknown', x: 116, y: 100}, '?');
  }
  const high = Math.min(1, stack / FULL) * WINDOW.height;
  const lines = [];
  for (let y = 3; y < high; y += 3) {
    lines.push(h('path', {key: y, d: `M${WINDOW.x} ${WINDOW.bottom - y}h${WINDOW.width}`}));
  }
  return h('g', {class: 'm-stack'},
    h('rect', {x: WINDOW.x, y: WINDOW.bottom - high, width: WINDOW.width, height: high, rx: 2}),
    lines);
}

function wheel(motor) {
  const turning = motor > 0 ? ' m-forward' : motor < 0 ? ' m-reverse' : '';
  return h('g', {transform: 'translate(92 176)'},
    h('circle', {class: 'm-hole', r: 32}),
    h('g', {class: 'm-wheel' + turning},
      h('circle', {class: 'm-tyre', r: 25}),
      h('path', {d: 'M0-17V17M-15-8 15 8M-15 8 15-8'})));
}
