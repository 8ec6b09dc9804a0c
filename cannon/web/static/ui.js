// Small parts that all views are made of. Whatever comes from people is shown as text, never as
// markup: everything here goes through `h`.

import {h} from './preact.js';
import {t} from './words.js';
import {ask} from './state.js';

// Colour is never the only sign: each has a shape too.
const SHAPES = {
  red: 'M12 3 22 21H2Z',
  yellow: 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Z',
  green: 'M3 3h18v18H3Z',
  blue: 'M12 1 23 12 12 23 1 12Z',
};
const STAR = 'M12 1l3 7.5 8 .6-6.200 5.200 2 7.800L12 17.700 5.200 22.100l2-7.800L1 9.100l8-.6Z';

const ICONS = {
  play: 'M7 4v16l13-8Z',
  table: 'M12 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM4 21a8 8 0 0 1 16 0Z',
  launcher: 'M3 10h15a3 3 0 0 1 3 3v7H3ZM7 3h5v6H7Zm7 2h4v4h-4Z',
  join: 'M3 3h8v8H3Zm10 0h8v8h-8ZM3 13h8v8H3Zm12 0h2v2h-2Zm4 0h2v4h-2Zm-4 4h2v4h-2Zm4 2h2v2h-2Z',
  undo: 'M9 4 3 10l6 6v-4h6a4 4 0 0 1 0 8h-4v2h4a6 6 0 0 0 0-12H9Z',
  redo: 'M15 4l6 6-6 6v-4H9a4 4 0 0 0 0 8h4v2H9A6 6 0 0 1 9 10h6Z',
  close: 'M5 3 12 10 19 3l2 2-7 7 7 7-2 2-7-7-7 7-2-2 7-7-7-7Z',
  up: 'M12 6l8 9H4Z',
  down: 'M12 18 4 9h16Z',
  good: 'M9 20 2 13l3-3 4 4L19 4l3 3Z',
  wait: 'M10 2h4v13h-4Zm0 16h4v4h-4Z',
  bad: 'M12 2 23 21H1ZM11 9v6h2V9Zm0 8v2h2v-2Z',
  busy: 'M12 2a10 10 0 1 1-9 5.600l2.600 1.300A7 7 0 1 0 12 5Z',
};

export function shape(colour) {
  return h('svg', {class: 'shape', viewBox: '0 0 24 24', 'aria-hidden': 'true'},
    h('path', {d: SHAPES[colour] || STAR}));
}

export function icon(name) {
  return h('svg', {class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true'},
    h('path', {d: ICONS[name], 'fill-rule': 'evenodd'}));
}

export function button(label, onClick, more) {
  const given = more || {};
  const classes = 'btn' + (given.kind ? ' btn-' + given.kind : '');
  const props = Object.assign({type: 'button'}, given, {class: classes, onClick});
  delete props.kind;
  return h('button', props, given.icon ? icon(given.icon) : null, h('span', null, label));
}

export function iconButton(name, label, onClick, more) {
  return h('button', Object.assign(
    {type: 'button', class: 'icon-btn', 'aria-label': label, title: label, onClick}, more),
  icon(name));
}

// The name of a person. Its letters may run either way, and must not upset what is around it.
export function name(text) {
  return h('bdi', {class: 'name'}, text);
}

// What people type as a name, without what the table takes in none: characters that steer a
// terminal, or turn the way of writing of what stands beside.
const STEERING = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function cleaned(typed) {
  return typed.replace(STEERING, '').trim();
}

export function card(title, ...content) {
  return h('section', {class: 'panel'}, title ? h('h2', null, title) : null, ...content);
}

export function choices(items, done) {
  return h('div', {class: 'choices'}, items.map(item =>
    h('button', {type: 'button', class: 'btn btn-big', key: item.key || item.words,
      onClick: () => done(item.value)}, item.shown || item.words,
    item.why ? h('small', null, item.why) : null)));
}

export function askPlayer(title, players) {
  return ask(title, done => choices(
    players.map(one => ({value: one, words: one, shown: name(one)})), done));
}

export function colourKeys(colours, done) {
  return h('div', {class: 'colours'}, colours.map(colour =>
    h('button', {type: 'button', key: colour.name, class: 'colour colour-' + colour.name,
      onClick: () => done(colour.name)}, shape(colour.name), h('span', null, colour.words))));
}

export function askColour(title, colours) {
  return ask(title, done => colourKeys(colours, done));
}

// Asks for a number. `extra` is one more choice, as {words, value}.
export function askNumber(title, from, to, extra) {
  const numbers = [];
  for (let n = from; n <= to; n++) numbers.push(n);
  return ask(title, done => h('div', null,
    h('div', {class: 'keys'}, numbers.map(n =>
      h('button', {type: 'button', class: 'key', key: n, onClick: () => done(n)}, n))),
    extra ? button(extra.words, () => done(extra.value), {kind: 'wide'}) : null));
}

export function askSure(title, words, yes) {
  return ask(title, done => h('div', null, h('p', null, words), h('div', {class: 'row'},
    button(t('no'), () => done()), button(yes, () => done(true), {kind: 'bad'}))));
}

export function listed(items) {
  return h('ul', {class: 'lines'}, items.map((line, at) => h('li', {key: at + line}, line)));
}
