import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { findRunningPostgres } from '@saldo/postgres/embedded.ts';
import { backUp } from '../src/backup/backup.ts';
import { SALDO } from '../src/platform/db/embedded.ts';
import { openBrowser } from './browser.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { PROGRAM_ENVIRONMENT, runCommand } from './command-line.ts';
import { createEmptyDatabase } from './databases.ts';
import { createDemoFolder } from './demo-folder.ts';
import { client, walk } from './harness.ts';
import { type Product, startProduct } from './product.ts';
import { programFile } from './programs.ts';

/** Backs up the real product with its embedded database while it runs, and restores the backups. */

const DAY_MS = 86_400_000;
const PROGRAM = programFile('server/src/backup/main.ts');
const folder = await temporaryFolder();

const dirOf = (name: string) => path.join(folder, name);
/** A sandbox: its clock stays away from gates and midnight, and a restored platform continues with it. */
async function start(environment: Record<string, string> & { DATA_DIR: string }): Promise<Product> {
  const product = await startProduct({ RATE_LIMIT: '1000000', SANDBOX: 'on', ...environment });
  atEnd(() => product.end('SIGTERM'));
  return product;
}
const saldo = (args: string[], env: Record<string, string>) => runCommand(args, { folder, env });

const DATA_DIR = dirOf('first');
await createDemoFolder(DATA_DIR);
const first = await start({ DATA_DIR, DEMO: 'on' });
const demo = await first.demo();
const [brp, otherBrp] = demo.brps;
const [account] = demo.accounts;
const user = demo.users.find(({ role }) => role === 'brp');
assert.ok(brp && otherBrp && account && user);
const operatorOf = ({ baseUrl }: Product) => client(baseUrl, demo.operator_key);
const operator = operatorOf(first);
const today = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
assert.equal((await operator.put('/operator/v1/clock', { now: `${today}T08:00:00Z` })).status, 200);
/** The demo has no volumes this far ahead, so position-days of this day have only what the tests write. */
const AHEAD = new Date(Date.parse(today) + 5 * DAY_MS).toISOString().slice(0, 10);
const slots = (await client(first.baseUrl, brp.api_key)(`/v1/delivery-days/${AHEAD}`)).body
  .slot_count as number;
const [contract] = (
  await walk(operator, '/operator/v1/contracts?status=in_progress', 'contracts', 100)
).filter(
  ({ type, source, delivery_end }) =>
    type === 'ppa' && source === null && Date.parse(delivery_end) > Date.parse(AHEAD) + 2 * DAY_MS,
);
const ofBrp = client(first.baseUrl, brp.api_key);
const [customer] = (await ofBrp('/v1/customers?limit=1')).body.customers;

const writeVolumes = async (count: number) => {
  const volumes = Array.from({ length: slots }, (_, slot) =>
    slot % (1 + (count % 4)) === 0 ? 1 + count / 1000 : 1,
  );
  const answer = await operator.put(`/operator/v1/contracts/${contract.id}/days/${AHEAD}`, { volumes });
  assert.equal(answer.status, 200, answer.text);
};
const setCounter = async (count: number) => {
  const body = { metadata: { counter: String(count) } };
  const answer = await ofBrp.patch(`/v1/customers/${customer.id}`, body);
  assert.equal(answer.status, 200, answer.text);
};

/** Calls `write` with 1, 2, … until `done` is settled, at least three times. Returns the last count. */
async function keepWriting(write: (count: number) => Promise<void>, done: Promise<unknown>): Promise<number> {
  const goesOn = () => false;
  const isDone = done.then(() => true);
  for (let count = 1; ; count++) {
    await write(count);
    if (count >= 3 && (await Promise.race([isDone, Promise.resolve().then(goesOn)]))) return count;
  }
}

assert.equal((await saldo(['backup', 'first.saldo'], { DATA_DIR })).code, 0);

type Cell = { slot_number: number; version: number; status: string; volume: number };

test('a backup during writes is one snapshot: versions without gaps, matching audit events, nominations that net to zero', async () => {
  await Promise.all([writeVolumes(0), setCounter(0)]);
  const backup = saldo(['backup', 'busy.saldo'], { DATA_DIR });
  const [run, sheets, counter] = await Promise.all([
    backup,
    keepWriting(writeVolumes, backup),
    keepWriting(setCounter, backup),
  ]);
  assert.equal(run.code, 0, run.err);
  assert.match(
    run.out,
    /^Backed up the database in \S+ to \S+busy\.saldo: [\d,]+ rows of \d+ tables, [\d.]+ [kM]B/m,
  );
  assert.equal((await stat(dirOf('busy.saldo'))).mode & 0o777, 0o600);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('busy')),
    ['busy.saldo'],
  );
  assert.ok(sheets >= 3 && counter >= 3);

  const restored = await saldo(['restore', 'busy.saldo'], { DATA_DIR: dirOf('busy') });
  assert.equal(restored.code, 0, restored.err);
  const product = await start({ DATA_DIR: dirOf('busy') });
  const ask = operatorOf(product);
  const cells: Cell[] = await walk(
    ask,
    `/operator/v1/transactions?contract_id=${contract.id}&delivery_date=${AHEAD}`,
    'transactions',
    100,
  );
  const valid = new Map<number, number>();
  for (let slot = 1; slot <= slots; slot++) {
    const versions = cells.filter(({ slot_number }) => slot_number === slot);
    assert.ok(versions.length > 0);
    assert.deepEqual(
      versions.map(({ version, status }) => `${version} ${status}`),
      versions.map((_, at) => `${at + 1} ${at + 1 === versions.length ? 'valid' : 'superseded'}`),
    );
    valid.set(slot, Math.round((versions.at(-1)?.volume ?? 0) * 1000));
  }
  const found = (await ask(`/operator/v1/customers/${customer.id}`)).body;
  const trail = (await ask(`/operator/v1/audit?subject=${customer.id}&order=newest_first&limit=1`)).body
    .entries;
  assert.deepEqual(trail[0].after.metadata, found.metadata);

  // The restored platform nets what was dirty at the time of the snapshot.
  assert.equal((await ask.post('/operator/v1/nominations/run', {})).status, 200);
  const nominations = (
    await walk(ask, `/operator/v1/nominations?delivery_date=${AHEAD}&include_slots=true`, 'nominations', 100)
  ).filter(({ status }) => status !== 'superseded');
  for (const [slot, kwh] of valid) {
    const sums = { out: 0, in: 0 };
    for (const { direction, slots: amounts } of nominations) {
      const amount = amounts.find(({ slot_number }: { slot_number: number }) => slot_number === slot).amount;
      sums[direction as 'in' | 'out'] += Math.round(amount * 1000);
    }
    assert.deepEqual(sums, { out: kwh, in: kwh });
  }
  assert.equal(await product.end('SIGTERM'), 0);
});

test('a backup contains no row of any table that was committed after its snapshot', async () => {
  await setCounter(1_000);
  const isWritten = { yet: false };
  const write = `const answer = await fetch(process.argv[1], { method: 'PATCH', body: process.argv[3],
    headers: { 'x-api-key': process.argv[2], 'content-type': 'application/json' } });
    if (!answer.ok) throw new Error(await answer.text());`;
  const address = `${first.baseUrl}/v1/customers/${customer.id}`;
  const body = JSON.stringify({ metadata: { counter: '2000' } });
  const progress = {
    start: () => {},
    stop: () => {},
    // Starts with the first rows, before any audit event or customer is read. The backup waits meanwhile.
    add: () => {
      if (isWritten.yet) return;
      isWritten.yet = true;
      execFileSync(process.execPath, ['--input-type=module', '-e', write, address, brp.api_key, body]);
    },
  };
  const signal = new AbortController().signal;
  await backUp(await findRunningPostgres(SALDO, DATA_DIR), dirOf('snapshot.saldo'), {
    saldo: 'test',
    progress,
    signal,
  });
  assert.equal((await ofBrp(`/v1/customers/${customer.id}`)).body.metadata.counter, '2000');

  const restored = await saldo(['restore', 'snapshot.saldo'], { DATA_DIR: dirOf('snapshot') });
  assert.equal(restored.code, 0, restored.err);
  const product = await start({ DATA_DIR: dirOf('snapshot') });
  const ask = operatorOf(product);
  assert.equal((await ask(`/operator/v1/customers/${customer.id}`)).body.metadata.counter, '1000');
  const trail = (await ask(`/operator/v1/audit?subject=${customer.id}&order=newest_first&limit=1`)).body
    .entries;
  assert.equal(trail[0].after.metadata.counter, '1000');
  assert.equal(await product.end('SIGTERM'), 0);
});

test('from embedded to DATABASE_URL and back: the same bytes, and keys, sessions and cursors stay valid', async () => {
  const browser = openBrowser(first);
  assert.equal((await browser.signIn(user.email, user.password)).status, 200);
  const { next_cursor } = (await ofBrp('/v1/transactions?limit=7')).body.pagination;
  const sample = async ({ baseUrl, customerUrl }: Product): Promise<Record<string, string>> => {
    const pages: Record<string, string> = {};
    for (const [key, paths] of [
      [
        brp.api_key,
        [
          '/v1/contracts?limit=100',
          `/v1/transactions?limit=7&after=${encodeURIComponent(next_cursor)}`,
          `/v1/contracts/${contract.id}/transactions?delivery_date=${AHEAD}&limit=100&include_assets=true`,
          '/v1/nominations?include_slots=true&limit=100',
          '/v1/customers?limit=100',
        ],
      ],
      [otherBrp.read_only_key, ['/v1/contracts?limit=100', '/v1/nominations?status=match&limit=100']],
      [
        demo.operator_key,
        [
          '/operator/v1/audit?limit=100',
          '/operator/v1/messages?limit=100',
          '/operator/v1/assets?offered=true&limit=100',
        ],
      ],
    ] as const) {
      for (const one of paths) {
        const { status, text } = await client(baseUrl, key)(one);
        assert.equal(status, 200, text);
        // Addresses of uploaded covers start with the listener's URL.
        pages[`${key.slice(0, 12)} ${one}`] = text.replaceAll(customerUrl, '');
      }
    }
    const market = client(customerUrl, account.api_key);
    for (const one of ['/v1/assets?limit=100', '/v1/demands?limit=100'])
      pages[one] = (await market(one)).text.replaceAll(customerUrl, '');
    const session = await openBrowserWith(baseUrl, browser.cookie).request('/portal/v1/session');
    assert.equal(session.status, 200, session.text);
    pages['session'] = JSON.stringify(session.body.user);
    return pages;
  };

  // Jobs may still write, so the sample is repeated until it is the same before and after the backup.
  let expected: Record<string, string>;
  do {
    expected = await sample(first);
    const run = await saldo(['backup', 'quiet.saldo'], { DATA_DIR });
    assert.equal(run.code, 0, run.err);
  } while (JSON.stringify(expected) !== JSON.stringify(await sample(first)));
  assert.match(
    expected[`${demo.operator_key.slice(0, 12)} /operator/v1/audit?limit=100`] ?? '',
    /customer\.updated/,
  );

  const DATABASE_URL = await createEmptyDatabase();
  const out = await saldo(['restore', 'quiet.saldo'], { DATABASE_URL });
  assert.equal(out.code, 0, out.err);
  const second = await start({ DATA_DIR: dirOf('second'), DATABASE_URL });
  assertSame(await sample(second), expected);
  const back = await saldo(['backup', 'back.saldo'], { DATABASE_URL });
  assert.equal(back.code, 0, back.err);
  const refused = await saldo(['restore', 'back.saldo'], { DATABASE_URL });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /Nothing was restored: The database is not empty/);
  assertSame(await sample(second), expected);

  const home = await saldo(['restore', 'back.saldo'], { DATA_DIR: dirOf('third') });
  assert.equal(home.code, 0, home.err);
  const third = await start({ DATA_DIR: dirOf('third') });
  assertSame(await sample(third), expected);
  // Sequences continue.
  const created = await operatorOf(third).post('/operator/v1/brps', { name: 'After the restore' });
  assert.equal(created.status, 201, created.text);
  for (const product of [second, third]) assert.equal(await product.end('SIGTERM'), 0);
});

test('a restore into the database of a running server is rejected', async () => {
  const run = await saldo(['restore', 'first.saldo'], { DATA_DIR });
  assert.equal(run.code, 1);
  assert.match(run.err, /Nothing was restored: Another Saldo server is using DATA_DIR/);
  assert.equal((await ofBrp('/v1/contracts?limit=1')).status, 200);
});

test('on a full disk the backup fails, leaves no partial file and keeps the earlier backup', async () => {
  const before = await stat(dirOf('first.saldo'));
  // A limit of the file size simulates a full disk: the write fails in the same way.
  const limited = spawn(
    '/bin/sh',
    ['-c', 'ulimit -f 64; exec "$0" "$@"', process.execPath, PROGRAM, 'backup', dirOf('first.saldo')],
    { env: { ...PROGRAM_ENVIRONMENT, DATA_DIR }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let error = '';
  limited.stderr.on('data', (text: Buffer) => {
    error += text.toString();
  });
  const code = await new Promise((resolve) => limited.once('close', resolve));
  assert.equal(code, 1, error);
  assert.match(
    error,
    /No backup was made: \S+first\.saldo cannot be written: EFBIG: .*\. No part of it was kept\.\n$/,
  );
  const after = await stat(dirOf('first.saldo'));
  assert.deepEqual([after.ino, after.size], [before.ino, before.size]);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.includes('partial')),
    [],
  );
});

test('a backup does not overwrite other files, and needs a folder with a database', async () => {
  await writeFile(dirOf('precious.txt'), 'something else');
  const replaced = await saldo(['backup', 'precious.txt'], { DATA_DIR });
  assert.equal(replaced.code, 1);
  assert.match(replaced.err, /precious\.txt exists and is not a Saldo backup: choose another name/);
  const none = await saldo(['backup', 'none.saldo'], { DATA_DIR: dirOf('none') });
  assert.equal(none.code, 1);
  assert.match(none.err, /There is no database in \S+none\. Set DATA_DIR or DATABASE_URL as for the server/);
  assert.ok(!(await readdir(folder)).includes('none'));
  assert.equal((await saldo(['backup'], { DATA_DIR })).code, 2);
});

test('the embedded database can be backed up while its server is stopped', async () => {
  assert.equal(await first.end('SIGTERM'), 0);
  const run = await saldo(['backup', 'stopped.saldo'], { DATA_DIR });
  assert.equal(run.code, 0, run.err);
  const restored = await saldo(['restore', 'stopped.saldo'], { DATA_DIR: dirOf('stopped') });
  assert.equal(restored.code, 0, restored.err);
});

/** Reports which pages differ instead of printing all of them. */
function assertSame(found: Record<string, string>, expected: Record<string, string>): void {
  assert.deepEqual(Object.keys(found), Object.keys(expected));
  const differing = Object.keys(expected).filter((page) => found[page] !== expected[page]);
  assert.deepEqual(differing, []);
}

/** A browser with this cookie of another platform. */
function openBrowserWith(baseUrl: string, cookie: string) {
  const browser = openBrowser({ baseUrl });
  browser.cookie = cookie;
  return browser;
}
