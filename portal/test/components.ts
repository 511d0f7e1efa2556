import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  brpEndpoints,
  type Endpoint,
  operatorEndpoints,
  portalEndpoints,
  type SessionState,
  type UserPermissions,
  type UserRole,
} from '@saldo/api';
import type { Language } from '@saldo/core/messages/language.ts';
import { Window } from 'happy-dom';
import { transformSync } from 'rolldown/utils';
import { eventually, until } from '../../server/test/until.ts';

// Shows pages of the portal in happy-dom: the real router, queries, session and SDK, over a `fetch` that answers with the
// examples of the API. What needs layout, focus or the server's own answers is tested in Chromium.

/** Node runs no JSX. The router takes its files for browsers, else it renders as on a server. */
const LOADING: Parameters<typeof registerHooks>[0] = {
  resolve: (specifier, context, next) =>
    specifier.startsWith('@tanstack/')
      ? next(specifier, { ...context, conditions: ['browser', ...context.conditions] })
      : next(specifier, context),
  load: (url, context, next) => {
    if (!url.endsWith('.tsx')) return next(url, context);
    const file = fileURLToPath(url);
    const { code } = transformSync(file, readFileSync(file, 'utf8'), { jsx: { runtime: 'automatic' } });
    return { format: 'module', source: code, shortCircuit: true };
  },
};

function* namesOf(object: object): Generator<string> {
  for (let at = object; at !== Object.prototype; at = Object.getPrototypeOf(at))
    yield* Object.getOwnPropertyNames(at);
}

/** Node has these, too, without a page. */
const OF_PAGE = ['navigator', 'localStorage', 'sessionStorage'];

/** One of Node would keep the process from ending. */
class SilentChannel extends EventTarget {
  postMessage(): void {}
}

/** Makes this process a browser's page at the URL until the stack is disposed: other tests share the process. */
function openPage(
  url: string,
  language: Language,
  fetch: typeof globalThis.fetch,
  stack: AsyncDisposableStack,
): void {
  const page = new Window({ url });
  stack.defer(() => page.happyDOM.close());
  page.localStorage.setItem('saldo.language', language);
  const values = new Map<string, unknown>([
    ['fetch', fetch],
    ['BroadcastChannel', SilentChannel],
  ]);
  for (const name of new Set(namesOf(page))) {
    if (name in globalThis && !OF_PAGE.includes(name)) continue;
    const value: unknown = page[name as keyof typeof page];
    values.set(name, typeof value === 'function' && /^[a-z]/.test(name) ? value.bind(page) : value);
  }
  for (const [name, value] of values) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    stack.defer(() => {
      if (before) Object.defineProperty(globalThis, name, before);
      else Reflect.deleteProperty(globalThis, name);
    });
  }
  const hooks = registerHooks(LOADING);
  stack.defer(() => hooks.deregister());
}

/** A body, a whole response, or a function that answers a request with one of them. */
type Answer = object | ((request: Sent) => unknown);
type Sent = { readonly method: string; readonly url: URL; readonly body: unknown };

/** By method and path: `GET /v1/contracts`. Requests without an answer get the example of their endpoint. */
export type Answers = Readonly<Record<string, Answer>>;

const ENDPOINTS = [brpEndpoints, operatorEndpoints, portalEndpoints].flatMap((table) =>
  Object.values<Endpoint>(table),
);

function endpointOf({ method, url }: Sent): Endpoint {
  const parts = url.pathname.split('/');
  const isPath = (known: readonly string[]) =>
    known.length === parts.length && known.every((part, at) => part.startsWith('{') || part === parts[at]);
  const found = ENDPOINTS.find((known) => known.method === method && isPath(known.path.split('/')));
  assert.ok(found, `no endpoint: ${method} ${url.pathname}`);
  return found;
}

/** A problem of the server. */
export const problem = (status: number, code: string, errors: readonly object[] = []): Response =>
  Response.json({ type: 'about:blank', title: code, status, code, detail: code, errors }, { status });

/** The example of a list with these records in the place of its own: each has the members of the first one and its own. */
export function listOf(endpoint: Endpoint, name: string, records: readonly object[] = []) {
  const example = endpoint.example.response as Record<string, readonly object[]>;
  return { ...example, [name]: records.map((record) => ({ ...example[name]?.[0], ...record })) };
}

export type Visit = {
  readonly role?: UserRole;
  readonly permissions?: UserPermissions;
  readonly language?: Language;
  readonly answers?: Answers;
};

const ORIGIN = 'http://saldo.test';

/** Shows the page at this path while `act` runs. */
export async function show(
  path: string,
  visit: Visit,
  act: (shown: Shown) => Promise<unknown>,
): Promise<void> {
  const { role = 'brp', permissions = 'admin', language = 'en', answers = {} } = visit;
  const { response: state } = portalEndpoints.getSession.example as { response: SessionState };
  const user = { ...state.user, role, permissions, brp: role === 'brp' ? state.user.brp : null };
  const known: Answers = { 'GET /portal/v1/session': { ...state, user }, ...answers };
  const requests: Sent[] = [];
  let announced = Promise.withResolvers<object>();
  const send: typeof fetch = async (target, { method = 'GET', body: sent, signal } = {}) => {
    const url = new URL(String(target), ORIGIN);
    const request = { method, url, body: typeof sent === 'string' ? (JSON.parse(sent) as unknown) : sent };
    // The long poll waits for `change`.
    if (url.searchParams.has('wait')) return Response.json(await untilAborted(announced.promise, signal));
    requests.push(request);
    const answer = known[`${method} ${url.pathname}`];
    const given = typeof answer === 'function' ? await answer(request) : answer;
    if (given instanceof Response) return given.clone();
    const { example, status } = endpointOf(request);
    const init = { status: status ?? 200, headers: { etag: '"1"' } };
    return status === 204 ? new Response(null, init) : Response.json(given ?? example.response, init);
  };
  const change = (...changed: string[]) => {
    announced.resolve({ changed, next: 'next', server_time: state.server_time });
    announced = Promise.withResolvers();
  };
  await using stack = new AsyncDisposableStack();
  openPage(new URL(path, ORIGIN).href, language, send, stack);
  stack.defer(untilIdle);
  const { mount } = await import('./mount.tsx');
  stack.defer(await mount(document.body));
  await act({ requests, change });
}

/**
 * Queries report their end by timers of 0 ms, and React ends its work in an immediate. Both need the page. A timer and an
 * immediate that are set later run later, so this waits for their turn and not for a time.
 */
async function untilIdle(): Promise<void> {
  await setTimeout(0);
  await setImmediate();
}

export type Shown = {
  /** All requests but the long poll, in order. */
  readonly requests: readonly Sent[];
  /** Announces changes of these kinds, as the server does. */
  readonly change: (...changed: string[]) => void;
};

const untilAborted = <T>(promise: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> =>
  Promise.race([
    promise,
    new Promise<never>((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    ),
  ]);

const textOf = (element: Element | null): string =>
  element?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';

/** The label of a control, else its text. */
function nameOf(element: Element): string {
  const label =
    element.getAttribute('aria-label') ?? textOf(element.closest('label')?.querySelector('span') ?? null);
  if (label !== '') return label;
  const labelled = element.id === '' ? null : document.querySelector(`label[for="${element.id}"]`);
  return textOf(labelled ?? element);
}

/** Waits for the element with this name. */
export const find = (selector: string, name: string | RegExp): Promise<HTMLElement> =>
  until(
    () =>
      Array.from(document.querySelectorAll<HTMLElement>(selector)).find((element) =>
        typeof name === 'string' ? nameOf(element) === name : name.test(nameOf(element)),
      ),
    () => `${selector} ${name} in: ${textOf(document.body)}`,
  );

/** Waits until the page has this text. */
export const findText = (text: string | RegExp): Promise<string> =>
  until(
    () => {
      const shown = textOf(document.body);
      return (typeof text === 'string' ? shown.includes(text) : text.test(shown)) && shown;
    },
    () => `${text} in: ${textOf(document.body)}`,
  );

export async function press(selector: string, name: string | RegExp): Promise<void> {
  (await find(selector, name)).click();
}

/** Types into a field, or chooses an option of it. */
export async function fill(selector: string, name: string | RegExp, value: string): Promise<void> {
  const field = (await find(selector, name)) as HTMLInputElement | HTMLSelectElement;
  // React would not notice a value that is assigned to the element's own property.
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value') ?? {};
  set?.call(field, value);
  for (const type of ['input', 'change']) field.dispatchEvent(new window.Event(type, { bubbles: true }));
}

/** Waits until the first cells of the table begin with these texts, in this order. */
export const hasOrder = (texts: readonly string[]): Promise<void> =>
  eventually(async () => {
    const cells = Array.from(document.querySelectorAll('tbody tr'), (row) => textOf(row.firstElementChild));
    assert.equal(cells.length, texts.length, cells.join(', '));
    for (const [at, text] of texts.entries()) assert.ok(cells[at]?.startsWith(text), cells.join(', '));
  });

/** Waits until the URL has this parameter, or with null none of the name. */
export const hasParameter = (name: string, value: string | null): Promise<void> =>
  eventually(async () => assert.equal(new URLSearchParams(location.search).get(name), value));
