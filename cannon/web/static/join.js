// How others come to this page: a code to photograph, and the address to type.

import {h} from './preact.js';
import {t} from './words.js';
import {link} from './link.js';
import {card} from './ui.js';

export function joinView() {
  const {address, local} = link.hello;
  return h('div', {class: 'view join'},
    h('h1', null, t('join.title')),
    local
      ? card(t('join.local'),
        h('p', null, t('join.local_how')), h('p', null, h('code', null, 'cannon play --web :8080')),
        h('p', null, t('join.local_make')), h('p', null, h('code', null, 'make play WEB=:8080')))
      : h('div', null,
        h('img', {class: 'qr', src: '/qr.svg', alt: t('join.code'), width: 240, height: 240}),
        h('p', {class: 'join-address'}, h('a', {href: address}, address))),
    card(t('join.how'),
      h('ol', {class: 'steps'}, [1, 2, 3].map(n => h('li', {key: n}, t('join.step_' + n))))),
    card(t('join.keep'), h('p', null, t('join.keep_how'))));
}
