import { once } from 'node:events';
import { existsSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type Check, checkOffset, failed, ok } from '@saldo/core/check.ts';
import type { Config } from '../start/config.ts';
import { checkLedgerKeyFile } from '../start/ledger-key-file.ts';
import { refuseOthers } from '../start/private-file.ts';
import { checkSecretsKeyFile } from '../start/secrets-key-file.ts';
import { failedBy } from './explain.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A platform under load answers late. A port that refuses connections does so at once. */
const ANSWER_WITHIN_MS = 30_000;

type Options = { readonly now?: () => number; readonly answerWithinMs?: number };

type Listener = { setting: string; host: string; port: number; address: string; sign: RegExp };

function listenersOf({ host, port, customerPort, adminHost, adminPort, tls }: Config): Listener[] {
  const base = `http${tls === null ? '' : 's'}://${reachable(host)}`;
  const api = (setting: string, own: number): Listener => ({
    setting,
    host,
    port: own,
    address: `${base}:${own}/openapi.json`,
    sign: /"title": ?"Saldo /,
  });
  const metrics = `http://${reachable(adminHost)}:${adminPort}/metrics`;
  return [
    api('PORT', port),
    api('CUSTOMER_PORT', customerPort),
    { setting: 'ADMIN_PORT', host: adminHost, port: adminPort, address: metrics, sign: /^saldo_/m },
  ];
}

/** The address at which a listener of all addresses is reached on its own machine. */
const reachable = (host: string): string => {
  const own = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return own.includes(':') ? `[${own}]` : own;
};

/** The code of the error, or null if a server could listen there now. */
async function whyNotFree({ host, port }: Listener): Promise<string | null> {
  const server = createServer();
  try {
    await once(server.listen({ host, port }), 'listening');
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

type Answer = { body: string; date: number; asked: number; answered: number };

/**
 * Null if no server answers by HTTP. The times are those of the request and of the headers of its answer, because the server has
 * read its clock for these headers. The certificate is not checked, because no secret is sent.
 */
async function ask(
  address: string,
  { now, answerWithinMs }: Required<Options>,
): Promise<Answer | 'timeout' | null> {
  const signal = AbortSignal.timeout(answerWithinMs);
  const asked = now();
  const request = address.startsWith('https:')
    ? https.get(address, { rejectUnauthorized: false, signal })
    : http.get(address, { signal });
  try {
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
    const answered = now();
    return { body: await text(answer), date: Date.parse(answer.headers.date ?? ''), asked, answered };
  } catch {
    return signal.aborted ? 'timeout' : null;
  }
}

async function checkListener(listener: Listener, options: Required<Options>): Promise<Check[]> {
  const { setting, host, port, address, sign } = listener;
  const at = `${host}:${port}`;
  const name = 'ports';
  if (port === 0) return [ok(name, `${setting} is 0: the start takes a free port.`)];
  const reason = await whyNotFree(listener);
  if (reason === null) return [ok(name, `${setting}: ${at} is free.`)];
  if (reason !== 'EADDRINUSE')
    return [
      failed(
        name,
        `${setting}: a server cannot listen on ${at} (${reason}).`,
        reason === 'EACCES'
          ? 'Take a port from 1024 on, or let the service manager grant the right to lower ones.'
          : 'Set HOST and ADMIN_HOST to addresses of this machine, such as 127.0.0.1 or 0.0.0.0.',
      ),
    ];
  const answer = await ask(address, options);
  if (answer === 'timeout')
    return [
      failed(
        name,
        `${setting}: ${at} is in use by a program that has not answered within ${options.answerWithinMs / 1000} s.`,
        `If it is Saldo, look into its log. Else end it, or set ${setting} to another port.`,
      ),
    ];
  if (answer === null || !sign.test(answer.body))
    return [
      failed(
        name,
        `${setting}: ${at} is in use by another program.`,
        `End it, or set ${setting} to another port.`,
      ),
    ];
  return [
    ok(name, `${setting}: Saldo answers on ${at}.`),
    ...(setting === 'PORT' && !Number.isNaN(answer.date)
      ? // The header has no fraction of a second.
        [checkOffset('clock', 'the platform', answer.date + 500, answer)]
      : []),
  ];
}

/** In sequence: a check listens on its port for a moment, which another one must not find in use. */
export async function checkListeners(
  config: Config,
  { now = Date.now, answerWithinMs = ANSWER_WITHIN_MS }: Options = {},
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const listener of listenersOf(config))
    checks.push(...(await checkListener(listener, { now, answerWithinMs })));
  return checks;
}

/** `readConfig` has rejected folders that cannot be written to. */
export function checkFolders({ dataDir, exchange: { hasFolders, outboxDir, inboxDir } }: Config): Check[] {
  const folders = {
    DATA_DIR: dataDir,
    ...(hasFolders ? { OUTBOX_DIR: outboxDir, INBOX_DIR: inboxDir } : {}),
  };
  return Object.entries(folders).map(([name, dir]) =>
    ok(
      'folders',
      existsSync(dir) ? `${name}: ${dir} can be written to.` : `${name}: the start creates ${dir}.`,
    ),
  );
}

/** Files with keys and passwords that the settings name. The start accepts them with any mode. */
const namedKeyFiles = (env: Environment): [setting: string, file: string][] => {
  const inTransports = (env['EXCHANGE_TRANSPORTS'] ?? '').matchAll(
    /[?&](key_file|password_file)=([^&,\s]+)/g,
  );
  const named: [string, string | undefined][] = [
    ['TLS_KEY', env['TLS_KEY']],
    ['OIDC_FILE', env['OIDC_FILE']],
    ...[...inTransports].map(([, name, file = '']): [string, string] => [
      `${name} in EXCHANGE_TRANSPORTS`,
      decodeURIComponent(file),
    ]),
  ];
  return named.flatMap(([setting, file]) =>
    file && existsSync(file) ? [[setting, path.resolve(file)]] : [],
  );
};

export function checkKeyFiles(config: Config, env: Environment): Check[] {
  const attempt = (setting: string, file: string, check: () => void): Check => {
    try {
      check();
      const state = existsSync(file) ? 'can be read by its owner only' : 'is made by the first start';
      return ok('keys', `${setting}: ${file} ${state}.`);
    } catch (error) {
      return failedBy('keys', error);
    }
  };
  const { secretsKeyFile, ledgerKeyFile } = config;
  return [
    attempt('SECRETS_KEY_FILE', secretsKeyFile, () => checkSecretsKeyFile(secretsKeyFile)),
    attempt('LEDGER_KEY_FILE', ledgerKeyFile, () => checkLedgerKeyFile(ledgerKeyFile)),
    ...namedKeyFiles(env).map(([setting, file]): Check => {
      const found = attempt(setting, file, () => refuseOthers(setting, file));
      return found.status === 'failed' ? { ...found, status: 'warning' } : found;
    }),
  ];
}
