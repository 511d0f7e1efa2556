import assert from 'node:assert/strict';
import type { UserPermissions } from '@saldo/api';
import type { Owner } from '../src/platform/auth/principal.ts';
import { createUser } from '../src/users/actions.ts';
import { hashPassword } from '../src/users/passwords.ts';
import { setPassword } from '../src/users/sessions.ts';
import { type Answer, type Client, client, type TestPlatform, withMethods } from './harness.ts';

/** Simulates a browser with a page of the portal: it keeps its cookies and sends the origin headers. */
export type Browser = {
  request: Client;
  signIn(email: string, password: string): Promise<Answer>;
  /** Its address, if the platform trusts its proxy. */
  readonly address: string;
  /** The session cookie as it would be sent; empty without one. */
  cookie: string;
  /** The same for the device cookie. */
  device: string;
  /** The same for the cookie of a passkey's challenge. */
  challenge: string;
  /** The same for the cookie of a sign-in with an identity provider. */
  step: string;
};

const COOKIES: Readonly<Record<string, 'device' | 'challenge' | 'step'>> = {
  device: 'device',
  passkey: 'challenge',
  sign_in: 'step',
};

let browsers = 0;

/** With `TRUST_PROXY=on` each browser has an address of its own, so that no limit of an address is shared. */
export function openBrowser({ baseUrl }: Pick<TestPlatform, 'baseUrl'>): Browser {
  const ask = client(baseUrl);
  const address = `198.18.${Math.floor(++browsers / 250)}.${(browsers % 250) + 1}`;
  const browser: Browser = {
    address,
    cookie: '',
    device: '',
    challenge: '',
    step: '',
    request: withMethods(async (pathAndQuery, options = {}) => {
      const cookie = [browser.cookie, browser.device, browser.challenge, browser.step]
        .filter((one) => one !== '')
        .join('; ');
      const headers = { origin: baseUrl, 'x-forwarded-for': address, ...(cookie === '' ? {} : { cookie }) };
      const answer = await ask(pathAndQuery, { ...options, headers: { ...headers, ...options.headers } });
      for (const set of answer.headers.getSetCookie()) {
        const kept = /Max-Age=0;/.test(set) ? '' : (set.split(';')[0] ?? '');
        browser[COOKIES[/saldo_(\w+)=/.exec(set)?.[1] ?? ''] ?? 'cookie'] = kept;
      }
      return answer;
    }),
    signIn: (email, password) => browser.request.post('/portal/v1/session', { email, password }),
  };
  return browser;
}

let count = 0;
const PASSWORD = 'a password of all test users';
/** Hashed once per process: a hash is deliberately slow. */
let hash: Promise<string> | null = null;

/** Creates a user with a password, as if an invitation had been accepted. */
export async function newUser(
  { db, clock }: Pick<TestPlatform, 'db' | 'clock'>,
  owner: Owner,
  permissions: UserPermissions = 'admin',
) {
  const email = `user${++count}@saldo.example`;
  hash ??= hashPassword(PASSWORD);
  const passwordHash = await hash;
  const { id } = await db.transaction(async (tx) => {
    const user = await createUser(tx, { email, name: `User ${count}`, owner, permissions }, clock.now());
    await setPassword(tx, user.id, passwordHash);
    return user;
  });
  return { id, email, password: PASSWORD };
}

/** A browser in which a new user has signed in. */
export async function signedIn(platform: TestPlatform, owner: Owner, permissions: UserPermissions = 'admin') {
  const user = await newUser(platform, owner, permissions);
  const browser = openBrowser(platform);
  const answer = await browser.signIn(user.email, user.password);
  assert.equal(answer.status, 200, answer.text);
  return { ...browser, user, state: answer.body, browser };
}
