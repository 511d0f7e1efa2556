import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { createSealer, keyIdOf } from '../src/platform/auth/sealed-secrets.ts';
import { readSecretsKeys } from '../src/start/secrets-key-file.ts';
import { webhookSecretUse } from '../src/webhooks/store.ts';
import { PROGRAM_ENVIRONMENT } from './command-line.ts';
import { programFile } from './programs.ts';

/** More than two batches of sealing. */
export const ENDPOINTS = 1200;

export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Secrets in hexadecimal, by the id of their webhook endpoint. */
export type Secrets = ReadonlyMap<string, string>;

/** Inserts webhook endpoints as checkouts from before the key file have stored them, in the order of their ids. */
export async function insertPlain(url: string, count = ENDPOINTS): Promise<Secrets> {
  const secrets = Array.from({ length: count }, () => [randomUUID(), randomBytes(32)] as const);
  await onDatabase(url, (client) =>
    client.query(
      `insert into webhook_endpoint (id, tenant, feeds, url, types, secret, previous_secret, previous_secret_ends_at,
         after_sequence, created_at, disabled_at, disabled_reason)
       select id, 'operator', '{operator}', 'https://x.example/', '{*}', secret, secret, now(), 0, now(), now(), 'owner'
       from unnest($1::uuid[], $2::bytea[]) as given (id, secret)`,
      [secrets.map(([id]) => id), secrets.map(([, secret]) => secret)],
    ),
  );
  return new Map(secrets.map(([id, secret]) => [id, secret.toString('hex')]));
}

/** All secrets of webhook endpoints, opened with the keys of the file. */
export const readSealed = (url: string, file: string): Promise<Secrets> =>
  onDatabase(url, async (client) => {
    const sealer = createSealer(readSecretsKeys(file));
    const { rows } = await client.query<{ id: string; sealed: Buffer[] }>(
      `select id, array[sealed_secret, sealed_previous_secret] as sealed from webhook_endpoint
       where sealed_previous_secret is not null`,
    );
    const open = (id: string, sealed: Buffer) => sealer.open(sealed, webhookSecretUse(id)).toString('hex');
    return new Map(
      rows.map(({ id, sealed }) => [id, [...new Set(sealed.map((one) => open(id, one)))].join()]),
    );
  });

/** How many webhook secrets each form has: the id of a key, or `plain`. */
export const countForms = (url: string): Promise<Record<string, number>> =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query<{ form: string; count: number }>(
      `select coalesce(encode(substring(sealed_secret from 1 for 8), 'hex'), 'plain') as form, count(*)::int as count
       from webhook_endpoint group by 1`,
    );
    return Object.fromEntries(rows.map(({ form, count }) => [form, count]));
  });

export const keyIdsOf = (file: string): string[] => readSecretsKeys(file).map(keyIdOf);

/** A transaction that another process waits for: it locks the endpoint that is sealed last. Returns what ends it. */
export async function lockLastEndpoint(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('select from webhook_endpoint order by ctid desc limit 1 for update');
  return () => client.end();
}

/** `saldo secrets …` as a process that can be killed. */
export function startSecretsCommand(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [programFile('server/src/secrets/main.ts'), ...args], {
    env: { ...PROGRAM_ENVIRONMENT, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const closed = once(child, 'close');
  return {
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
