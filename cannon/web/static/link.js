// The link to the server: who this phone is, the stream of states, and what is sent.
//
// The server is the truth. After every reconnect it sends the whole state; what this phone shows
// is stale as soon as it has heard nothing for a while, and says so. What is sent carries an id,
// so that it counts once however often it has to be sent, and the moment that this phone had last
// heard of, so that it is not done long after: a phone may fall asleep while it is sending.

import {keep} from './words.js';

const TOKEN = 'cannon.token';
const QUIET_MS = 5000;      // the server says something every 2 s
const ANSWER_MS = 4000;
const TRIES = 3;
const PAUSES_MS = [300, 600, 1200, 2000];

export const link = {
  hello: {}, parts: {}, run: '', version: 0, moment: '', fresh: false, heard: 0, ever: false,
};

let source = null;
let language = '';
let changed = () => {};
let failures = 0;
let timer = 0;

export async function hello(wanted) {
  const token = keep(TOKEN);
  const headers = token ? {'X-Cannon-Token': token} : {};
  const answer = await fetch('/api/hello' + (wanted ? '?lang=' + wanted : ''), {headers});
  if (!answer.ok) throw new Error('hello: ' + answer.status);
  link.hello = await answer.json();
  keep(TOKEN, link.hello.token);
  return link.hello;
}

// Listens from now on; `onChange` is called whenever there is something new to show.
export function listen(inLanguage, onChange) {
  language = inLanguage;
  changed = onChange;
  open();
  setInterval(watch, 1000);
  for (const name of ['visibilitychange', 'resume']) document.addEventListener(name, wake);
  for (const name of ['pageshow', 'online', 'focus']) window.addEventListener(name, wake);
}

export function listenIn(newLanguage) {
  language = newLanguage;
  open();
}

function open() {
  clearTimeout(timer);
  if (source) source.close();
  const mine = source = new EventSource('/api/stream?lang=' + language);
  mine.addEventListener('state', event => mine === source && take(JSON.parse(event.data), event));
  mine.addEventListener('ping', event => mine === source && hear(event));
  mine.onerror = () => {
    if (mine !== source) return;
    mine.close();
    if (failures > 0) grey();
    clearTimeout(timer);
    timer = setTimeout(open, PAUSES_MS[Math.min(failures++, PAUSES_MS.length - 1)]);
  };
}

function hear(event) {
  failures = 0;
  link.moment = event.lastEventId;
  link.heard = Date.now();
  if (!link.fresh) {
    link.fresh = link.ever = true;
    changed();
  }
}

function take(news, event) {
  if (news.run !== link.run) link.parts = {};
  link.run = news.run;
  link.version = news.version;
  Object.assign(link.parts, news.parts);
  hear(event);
  changed(news.parts);
}

function watch() {
  if (Date.now() - link.heard <= QUIET_MS) return;
  grey();
  if (source && source.readyState !== EventSource.CONNECTING) open();
}

function grey() {
  if (link.fresh) {
    link.fresh = false;
    changed();
  }
}

// The phone was asleep, or was offline: what it shows may be old, and the socket dead.
function wake() {
  if (document.visibilityState === 'hidden' || Date.now() - link.heard < QUIET_MS / 2) return;
  grey();
  open();
}

export function newId() {
  const random = new Uint32Array(3);
  crypto.getRandomValues(random);
  return Array.from(random, part => ('0000000' + part.toString(16)).slice(-8)).join('');
}

// Sends a change and gives {ok, status, ...answer}. It is tried again with the same id where no
// answer came, a few times only; the server refuses it once it is old.
export async function post(name, body) {
  const sent = JSON.stringify(Object.assign({id: newId(), moment: link.moment}, body));
  let greeted = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await once('/api/' + name, sent);
      const value = await answer.json();
      if (value.refused === 'token' && !greeted) {
        greeted = true;
        await hello(language);
        continue;
      }
      return Object.assign({ok: answer.ok, status: answer.status}, value);
    } catch (error) {
      if (attempt === TRIES) return {ok: false, status: 0, refused: 'unsent'};
      await new Promise(done => setTimeout(done, PAUSES_MS[attempt - 1]));
    }
  }
}

function once(address, body) {
  const headers = {
    'Content-Type': 'application/json',
    'Accept-Language': language,
    'X-Cannon-Token': link.hello.token,
  };
  const request = fetch(address, {method: 'POST', headers, body});
  const late = new Promise((_, fail) => setTimeout(fail, ANSWER_MS, new Error('no answer')));
  return Promise.race([request, late]);
}

export async function look(name) {
  const answer = await fetch('/api/' + name + '?lang=' + language);
  if (!answer.ok) throw new Error(name + ': ' + answer.status);
  return answer.json();
}
