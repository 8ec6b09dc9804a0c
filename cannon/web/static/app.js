// Starts the page: words, link, views, and what surrounds them.

import {Component, h, render} from './preact.js';
import {choose, chosen, speak, t, words} from './words.js';
import {hello, link, listen, listenIn} from './link.js';
import {S, act, onDraw, update} from './state.js';
import {icon, iconButton} from './ui.js';
import {playView} from './play.js';
import {tableView} from './table.js';
import {launcherView, lookAll} from './launcher.js';
import {joinView} from './join.js';

const VIEWS = {play: playView, table: tableView, launcher: launcherView, join: joinView};
const TABS = ['play', 'table', 'launcher'];
const NAMES = {da: 'Dansk', en: 'English'};

let waiting = false;

function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    render(h(Whole), document.getElementById('app'));
  });
}

class Whole extends Component {
  componentDidCatch(error) {
    console.error(error);
    this.setState({broken: true});
  }

  render() {
    if (this.state.broken) {
      return h('p', {class: 'loading'}, h('a', {href: '/'}, t('broken')));
    }
    const {launcher, table, deck} = link.parts;
    if (!launcher || !table || !deck) return h('p', {class: 'loading'}, t('loading'));
    return h('div', {class: 'frame' + (link.fresh ? '' : ' stale')},
      header(table),
      link.fresh ? null : h('p', {class: 'stale-note', role: 'alert'}, t('stale.note')),
      h('main', {id: 'main', inert: S.sheet ? true : undefined}, VIEWS[S.view]()),
      nav(),
      S.sheet ? h(Sheet, {key: S.sheet.number, sheet: S.sheet}) : null,
      toast());
  }
}

function header(table) {
  return h('header', {inert: S.sheet ? true : undefined},
    h('a', {class: 'skip', href: '#main', onClick: skip}, t('skip')),
    h('p', {class: 'brand'}, 'card cannon'),
    h('div', {class: 'header-buttons'},
      iconButton('undo', t('undo'), () => act({do: 'undo'}), {disabled: !table.can_undo}),
      iconButton('redo', t('redo'), () => act({do: 'redo'}), {disabled: !table.can_redo}),
      h('button', {type: 'button', class: 'icon-btn language', onClick: otherLanguage,
        lang: nextLanguage(), 'aria-label': nextLanguage().toUpperCase() + ' – ' + NAMES[nextLanguage()]}, nextLanguage().toUpperCase())));
}

function skip(event) {
  event.preventDefault();
  const first = document.querySelector('main button, main a, main input');
  if (first) first.focus();
}

function nextLanguage() {
  const all = link.hello.languages;
  return all[(all.indexOf(words.language) + 1) % all.length];
}

async function otherLanguage() {
  const language = nextLanguage();
  await speak(language);
  choose(language);
  listenIn(language);
  if (S.view === 'launcher') lookAll();
  draw();
}

function nav() {
  return h('nav', {'aria-label': t('views'), inert: S.sheet ? true : undefined},
    [...TABS, 'join'].map(name =>
      h('a', {key: name, href: '#' + name, 'aria-current': S.view === name ? 'page' : null},
        icon(name), h('span', null, t('tab.' + name)))));
}

function toast() {
  const {toast: shown} = S;
  return h('div', {class: 'toasts', role: 'status', 'aria-live': 'polite'},
    shown ? h('p', {key: shown.number, class: 'toast' + (shown.bad ? ' toast-bad' : '')},
      icon(shown.bad ? 'bad' : 'good'), h('span', null, shown.words)) : null,
    S.sending ? h('span', {class: 'unseen'}, t('sending')) : null);
}

// What is asked for lies over the page, holds the focus, and can always be closed.
class Sheet extends Component {
  componentDidMount() {
    this.onKey = event => {
      if (event.key === 'Escape') this.props.sheet.done();
      else if (event.key === 'Tab') this.keepFocus(event);
    };
    document.addEventListener('keydown', this.onKey);
    this.node.querySelector('h2').focus();
  }

  componentWillUnmount() {
    document.removeEventListener('keydown', this.onKey);
  }

  keepFocus(event) {
    const all = this.node.querySelectorAll('button:not([disabled]), input, select, summary, a');
    const first = all[0], last = all[all.length - 1], now = document.activeElement;
    const outside = !this.node.contains(now) || now.tagName === 'H2';
    if (event.shiftKey ? now === first || outside : now === last) {
      event.preventDefault();
      (event.shiftKey ? last : first).focus();
    }
  }

  render({sheet}) {
    return h('div', {class: 'cover', onClick: event => {
      if (event.target === event.currentTarget) sheet.done();
    }},
    h('div', {class: 'sheet', role: 'dialog', 'aria-modal': 'true', 'aria-labelledby': 'sheet-title',
      ref: node => { this.node = node || this.node; }},
    h('div', {class: 'sheet-head'}, h('h2', {id: 'sheet-title', tabindex: -1}, sheet.title),
      iconButton('close', t('close'), () => sheet.done())),
    h('div', {class: 'sheet-body'}, sheet.make())));
  }
}

function route() {
  const wanted = location.hash.slice(1) || (location.pathname === '/join' ? 'join' : 'play');
  if (!VIEWS[wanted]) return;
  const other = wanted !== S.view;
  if (S.sheet) S.sheet.done();
  update({view: wanted});
  if (other) window.scrollTo(0, 0);
  if (wanted === 'launcher') lookAll();
}

async function begin() {
  for (let pause = 500; ; pause = Math.min(3000, pause * 2)) {
    try {
      const found = await hello(chosen());
      await speak(found.language);
      break;
    } catch (error) {
      await new Promise(done => setTimeout(done, pause));
    }
  }
  document.getElementById('app').textContent = '';
  onDraw(draw);
  window.addEventListener('hashchange', route);
  let presses = -1, run = '';
  listen(words.language, news => {
    const launcher = link.parts.launcher;
    if (news && run && run !== link.run) hello(words.language).then(draw);
    run = link.run;
    if (launcher && S.view === 'launcher' && launcher.presses !== presses) lookAll();
    if (launcher) presses = launcher.presses;
    draw();
  });
  route();
  draw();
}

begin();
