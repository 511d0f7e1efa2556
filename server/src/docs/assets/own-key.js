/** The reader's own key in the samples. The page itself never has more of it than its beginning. */
const form = document.querySelector('.own-key');
/** The dialog of a new key sets it: portal/src/keys/key-dialogs.tsx. */
const STORED = 'saldo.docs.key';

/** How each language refers to an environment variable, and writes a text in its place. */
const shell = {
  variable: (name) => `$${name}`,
  text: (value) => value.replaceAll(/[\\"$`]/g, '\\$&'),
};
const LANGUAGES = {
  curl: shell,
  CLI: shell,
  TypeScript: {
    variable: (name) => `process.env.${name} ?? ''`,
    text: (value) => `'${value.replaceAll(/[\\']/g, '\\$&')}'`,
  },
  Python: {
    variable: (name) => `os.environ["${name}"]`,
    text: (value) => `"${value.replaceAll(/[\\"]/g, '\\$&')}"`,
  },
};
const CLIENTS = { brp: 'BRP', operator: 'operator', market: 'customer' };

const PREFIXES = { saldo_brp_: 'brp', saldo_operator_: 'operator', saldo_account_: 'market' };
const PREFIXES_TEXT = new Intl.ListFormat('en-GB').format(Object.keys(PREFIXES));

const prefixOf = (key) => Object.keys(PREFIXES).find((prefix) => key.startsWith(prefix));

/** The operator's own key (SALDO_OPERATOR_KEY) may be any text. */
const clientOf = (key) => PREFIXES[prefixOf(key)] ?? 'operator';

/** What lists of keys show of it. */
const shortened = (key) => `${/^saldo_(?:brp|account|operator)_.{4}/.exec(key)?.[0] ?? ''}…`;

/** The addresses of the APIs, as far as they are known. */
const addresses = {};
/** Samples as the server has written them. */
const written = new Map();

function storedKey() {
  try {
    return sessionStorage.getItem(STORED);
  } catch {
    return null;
  }
}

/** The key, if it is one of this page's API. */
const ownKey = () => {
  const key = form === null ? null : storedKey();
  return key !== null && clientOf(key) === form.dataset.client ? key : null;
};

function fill(panel, key) {
  const { sample } = panel.dataset;
  const { url, key: variable, client } = form.dataset;
  const { variable: refer, text: write } = LANGUAGES[sample];
  const address = addresses[client];
  const text = written.get(panel);
  // The command line reads its own variables.
  const whole = text.startsWith('saldo ') ? `SALDO_URL="$SALDO_URL" SALDO_KEY="$SALDO_KEY" ${text}` : text;
  const withKey = whole.replaceAll(refer(variable), () => write(key));
  return address === undefined ? withKey : withKey.replaceAll(refer(url), () => write(address));
}

/** The whole text of a block of code, with the key. */
export function textToCopy(block) {
  const key = ownKey();
  return key !== null && written.has(block) ? fill(block, key) : block.querySelector('code').textContent;
}

function showKey() {
  const stored = storedKey();
  const key = ownKey();
  for (const [panel, text] of written)
    panel.querySelector('code').textContent = key === null ? text : fill(panel, shortened(key));
  const [input] = form.querySelectorAll('input');
  const [use, forget] = form.querySelectorAll('button');
  input.hidden = stored !== null;
  use.hidden = stored !== null;
  forget.hidden = stored === null;
  form.querySelector('[role=status]').textContent = stored === null ? '' : statusOf(stored, key !== null);
}

/** A mistyped key or a password is noticed by its missing prefix. */
function statusOf(key, isOfPage) {
  const place = isOfPage ? 'The samples have it.' : 'The samples of this page do not have it.';
  if (prefixOf(key) === undefined)
    return `Your text begins with none of ${PREFIXES_TEXT}. Only the operator’s own key may be such a text. ${place}`;
  return isOfPage
    ? `In the samples: ${shortened(key)}`
    : `${shortened(key)} is a key of the ${CLIENTS[clientOf(key)]} API. ${place}`;
}

/** The session tells who is signed in. Its cookie is of the listener of the portal, which has no customer API. */
async function showSession() {
  const answer = await fetch('/portal/v1/session');
  // Other answers, such as 429 and 503, come from both listeners.
  if (answer.status === 404) addresses.market = location.origin;
  if (answer.status === 200 || answer.status === 401) addresses.brp = addresses.operator = location.origin;
  if (answer.ok) {
    const { user, customer_base_url: customer, pending } = await answer.json();
    addresses.market = customer;
    if (pending === null) showUser(user);
  }
  showKey();
}

function showUser({ name, role }) {
  const link = document.createElement('a');
  link.href = role === 'operator' ? '/operator/keys' : '/keys';
  link.textContent = 'API keys';
  form.querySelector('.signed-in').replaceChildren(link, ` of ${name}`);
}

if (form !== null) {
  for (const panel of document.querySelectorAll('[data-sample]'))
    written.set(panel, panel.querySelector('code').textContent);
  const input = form.querySelector('input');
  const store = (key) => {
    if (key === null) sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, key);
    showKey();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const key = input.value.trim();
    input.value = '';
    if (key === '') return;
    store(key);
    form.querySelector('button:not([hidden])').focus();
  });
  form.querySelector('[type=button]').addEventListener('click', () => {
    store(null);
    input.focus();
  });
  showKey();
  // Without an answer the samples keep the variable of the address.
  void showSession().catch(() => {});
}
