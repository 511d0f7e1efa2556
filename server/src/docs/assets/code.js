/** Copy buttons of all blocks of code, and the tabs of samples. */
import { textToCopy } from './own-key.js';

const COPIED_MS = 1500;
const root = document.documentElement;

/** One for the page: screen readers announce changes of a region that was there before. */
const announced = document.createElement('p');
announced.className = 'announced';
announced.setAttribute('role', 'status');
document.body.append(announced);

async function copy(button, block) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(textToCopy(block));
  } catch {
    // Browsers deny it in pages of plain http; the text can still be selected.
    isCopied = false;
  }
  announced.textContent = isCopied ? 'Copied' : 'The browser does not allow copying here: select the text.';
  button.textContent = isCopied ? 'Copied' : 'Not allowed';
  setTimeout(() => {
    announced.textContent = '';
    button.textContent = 'Copy';
  }, COPIED_MS);
}

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => void copy(button, block));
  block.append(button);
}

const tabs = [...document.querySelectorAll('[role=tab]')];

function select(language) {
  root.dataset.language = language;
  for (const tab of tabs) {
    const isSelected = tab.textContent === language;
    tab.setAttribute('aria-selected', String(isSelected));
    tab.tabIndex = isSelected ? 0 : -1;
  }
}

/** All samples change, also those above: the tab stays where the reader sees it. */
function choose(tab) {
  const before = tab.getBoundingClientRect().top;
  select(tab.textContent);
  tab.focus({ preventScroll: true });
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
  try {
    localStorage.setItem('saldo.docs.language', tab.textContent);
  } catch {
    // Without storage the choice is that of this page.
  }
}

/** Arrow keys, Home and End move between the tabs of a sample. */
function move(event) {
  const list = [...event.currentTarget.parentElement.children];
  const at = list.indexOf(event.currentTarget);
  const target = {
    ArrowRight: list[(at + 1) % list.length],
    ArrowLeft: list.at(at - 1),
    Home: list[0],
    End: list.at(-1),
  }[event.key];
  if (target === undefined) return;
  event.preventDefault();
  choose(target);
}

for (const tab of tabs) {
  tab.addEventListener('click', () => choose(tab));
  tab.addEventListener('keydown', move);
}
select(root.dataset.language);
