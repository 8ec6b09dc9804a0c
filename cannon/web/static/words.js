// The page's own words, in the language of this phone. All other words come with the state.

const KEPT = 'cannon.language';

export const words = {language: '', texts: {}};

// The language chosen on this phone, or '' to leave it to the browser.
export function chosen() {
  return keep(KEPT) || '';
}

export async function speak(language) {
  const answer = await fetch('/api/texts/' + encodeURIComponent(language));
  if (!answer.ok) throw new Error('texts: ' + answer.status);
  words.texts = await answer.json();
  words.language = language;
  document.documentElement.lang = language;
}

export function choose(language) {
  keep(KEPT, language);
}

// The text under a key, filled in. A text with one and other goes by `values.count`.
export function t(key, values) {
  let text = words.texts['page.' + key];
  if (text === undefined) return key;
  if (typeof text === 'object') text = values && values.count === 1 ? text.one : text.other;
  return text.replace(/\{(\w+)\}/g, (all, name) => values && name in values ? values[name] : all);
}

// Reads, or with a second argument writes, what this phone keeps. Some browsers forbid it.
export function keep(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch (error) {
    if (value === undefined) return null;
  }
  return value;
}
