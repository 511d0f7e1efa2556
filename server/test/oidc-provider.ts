import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from './browser.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import type { Answer, TestPlatform } from './harness.ts';
import type { ProgramProvider } from './oidc-program.ts';

const PROGRAM = fileURLToPath(new URL('oidc-program.ts', import.meta.url));
/** With characters that have to be encoded in the header of the token request. */
const SECRET = 'a:secret%20of+the&client';

export const DOMAINS = { plain: 'nordwind.example', required: 'sso.example', other: 'other.example' };

/** Two identity providers in a process of their own, and the settings for a platform that uses them. */
export type OidcProviders = {
  /** OIDC_FILE of the platform. */
  readonly file: string;
  readonly issuers: { readonly nordwind: string; readonly other: string };
  /** Starts the process. The platforms must have started: the providers know their addresses. */
  start(...platforms: Pick<TestPlatform, 'baseUrl'>[]): Promise<void>;
  /** Kills the process. */
  kill(): Promise<void>;
};

/** Holds a port as long as the test file runs, and forwards connections to the port that is set. Null: they are closed. */
async function holdPort() {
  const held = { port: 0, target: null as number | null };
  const server = createServer((socket) => {
    if (held.target === null) return void socket.destroy();
    const forwarded = connect(held.target, '127.0.0.1');
    // Either side may end at any time.
    for (const [one, other] of [
      [socket, forwarded],
      [forwarded, socket],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    socket.pipe(forwarded).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => void server.close());
  held.port = (server.address() as AddressInfo).port;
  return held;
}

/**
 * Chooses the addresses of the providers, for the settings of a platform. Their host names differ, because cookies of one
 * host are sent to all of its ports.
 */
export async function prepareProviders(): Promise<OidcProviders> {
  const folder = await temporaryFolder();
  const secretFile = path.join(folder, 'secret');
  await writeFile(secretFile, `${SECRET}\n`);
  const ports = [await holdPort(), await holdPort()] as const;
  const issuers = {
    nordwind: `http://localhost:${ports[0].port}`,
    other: `http://127.0.0.1:${ports[1].port}`,
  };
  const settings = {
    providers: [
      {
        ...{ id: 'nordwind', issuer: issuers.nordwind, client_id: 'saldo', label: 'Nordwind directory' },
        ...{ client_secret_file: secretFile, email_domains: [DOMAINS.plain, DOMAINS.required] },
        required_for: [DOMAINS.required],
      },
      {
        ...{ id: 'other', issuer: issuers.other, client_id: 'saldo', label: 'Other directory' },
        ...{ client_secret_file: secretFile, email_domains: [DOMAINS.other, DOMAINS.plain] },
      },
    ],
  };
  const file = path.join(folder, 'oidc.json');
  await writeFile(file, JSON.stringify(settings));
  let child: ChildProcess | null = null;
  const kill = async () => {
    for (const held of ports) held.target = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  atEnd(kill);
  return {
    file,
    issuers,
    kill,
    async start(...platforms) {
      const providers: ProgramProvider[] = settings.providers.map(({ id, issuer, client_id }) => ({
        ...{ issuer, clientId: client_id, clientSecret: SECRET, hasEmailInToken: id === 'other' },
        redirectUris: platforms.map(({ baseUrl }) => `${baseUrl}/sign-in/return/${id}`),
        logoutUris: platforms.map(({ baseUrl }) => `${baseUrl}/sign-in`),
      }));
      const started = spawn(process.execPath, [PROGRAM, JSON.stringify(providers)], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      let printed = '';
      started.stderr.on('data', (text) => (printed += String(text)));
      started.stdout.on('data', (text) => (printed += String(text)));
      const isReady = () => /^ports (.*)$/m.exec(printed)?.[1];
      while (isReady() === undefined) {
        await Promise.race([once(started.stdout, 'data'), once(started, 'exit')]);
        assert.equal(started.exitCode, null, printed);
      }
      const targets = JSON.parse(isReady() ?? '') as number[];
      for (const [at, held] of ports.entries()) held.target = targets[at] ?? null;
    },
  };
}

/** A person's browser at the provider: signs in there, and returns the query with which the provider sends it back. */
async function signInAtProvider(url: string, person: Record<string, string> | 'cancel'): Promise<string> {
  const cookies = new Map<string, string>();
  const ask = async (address: string, body?: URLSearchParams) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie },
      ...(body && { method: 'POST', body }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    assert.ok(location !== null || response.ok, await response.clone().text());
    return location === null ? null : new URL(location, address);
  };
  let next = await ask(url);
  while (next !== null && !next.pathname.startsWith('/sign-in/return/')) {
    if (!next.pathname.startsWith('/interaction/')) next = await ask(next.href);
    else if (person === 'cancel') next = await ask(`${next.href}/abort`);
    else {
      const login = new URLSearchParams(person).toString();
      next = await ask(next.href, new URLSearchParams({ prompt: 'login', login, password: 'any' }));
    }
  }
  assert.ok(next, 'the provider sends the browser back');
  return next.search;
}

type Start = { readonly return_to?: string; readonly invitation?: string };

/** Starts a sign-in, and returns the query with which the provider sends the browser back. */
export async function reachCallback(
  browser: Browser,
  person: Record<string, string> | 'cancel',
  id = 'nordwind',
  body: Start = {},
): Promise<string> {
  const started = await browser.request.post(`/portal/v1/sign-in/providers/${id}`, body);
  assert.equal(started.status, 200, started.text);
  return signInAtProvider(started.body.url, person);
}

export const complete = (browser: Browser, query: string, id = 'nordwind'): Promise<Answer> =>
  browser.request.post(`/portal/v1/sign-in/providers/${id}/callback`, { query });

/** Signs a person in with a provider, from the first page to the session. */
export const signInWith = async (
  browser: Browser,
  person: Record<string, string> | 'cancel',
  id = 'nordwind',
  body: Start = {},
): Promise<Answer> => complete(browser, await reachCallback(browser, person, id, body), id);
