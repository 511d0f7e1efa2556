/** The search of the documentation. It loads the index when the field gets the focus for the first time. */
const box = document.querySelector('search');
const input = box.querySelector('input');
const status = box.querySelector('[role=status]');
const list = box.querySelector('ol');

const MAX_RESULTS = 12;
const EXCERPT_LENGTH = 120;
/** A word in a title counts more than one in the text. */
const WEIGHTS = { page: 4, section: 6, text: 1 };
/** Greater than what a word can count. */
const PHRASE_WEIGHT = 25;

let index = null;

const load = () => {
  index ??= readIndex().catch(() => {
    // The next key press tries again.
    index = null;
    return null;
  });
  return index;
};

async function readIndex() {
  const answer = await fetch('/docs/assets/search.json');
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const entries = await answer.json();
  return entries.map(([url, page, section, text]) => ({ url, page, section, text }));
}

/** Zero if a word is missing everywhere. */
function scoreOf(entry, words) {
  let sum = 0;
  for (const word of words) {
    let score = 0;
    for (const [member, weight] of Object.entries(WEIGHTS)) {
      const found = entry[member].toLowerCase().indexOf(word);
      // The beginning of a title is the best match.
      if (found >= 0) score += found === 0 ? weight * 2 : weight;
    }
    if (score === 0) return 0;
    sum += score;
  }
  // Of entries that have the words, those with the whole phrase in a title come first.
  const phrase = words.join(' ');
  const hasPhrase = [entry.section, entry.page].some((title) => title.toLowerCase().includes(phrase));
  return words.length > 1 && hasPhrase ? sum + PHRASE_WEIGHT * words.length : sum;
}

function excerptOf(text, word) {
  const start = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT_LENGTH / 3);
  const excerpt = text.slice(start, start + EXCERPT_LENGTH);
  return `${start > 0 ? '…' : ''}${excerpt}${start + EXCERPT_LENGTH < text.length ? '…' : ''}`;
}

function resultOf({ url, page, section, text }, word) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = url;
  const title = document.createElement('strong');
  title.textContent = section === '' ? page : `${page}: ${section}`;
  const excerpt = document.createElement('span');
  excerpt.textContent = excerptOf(text, word);
  link.append(title, excerpt);
  item.append(link);
  return item;
}

async function search() {
  const query = input.value.trim().toLowerCase();
  const words = query.split(/\s+/).filter((word) => word !== '');
  const entries = words.length === 0 ? [] : await load();
  // A later key press has started another search.
  if (query !== input.value.trim().toLowerCase()) return;
  if (entries === null) {
    list.replaceChildren();
    status.textContent = 'The search is not available';
    return;
  }
  const found = entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  list.replaceChildren(...found.slice(0, MAX_RESULTS).map(({ entry }) => resultOf(entry, words[0])));
  const count = found.length === 1 ? '1 result' : `${found.length} results`;
  status.textContent = words.length === 0 ? '' : found.length === 0 ? 'Nothing found' : count;
}

/** Arrow keys move between the field and the results. */
function move(event) {
  const stops = [input, ...list.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement);
  const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (at < 0 || next === undefined) return;
  event.preventDefault();
  next.focus();
}

function close() {
  input.value = '';
  void search();
}

input.addEventListener('focus', () => void load(), { once: true });
input.addEventListener('input', () => void search());
box.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event);
  if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click();
  if (event.key === 'Escape') {
    close();
    input.focus();
  }
});
list.addEventListener('click', close);
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input')) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener('click', (event) => {
  if (!box.contains(event.target)) list.replaceChildren();
});
