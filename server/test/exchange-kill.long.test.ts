import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { Message } from '@saldo/api';
import { addDays, dayOf, slotCount } from '@saldo/core/delivery-day.ts';
import { answerFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import pg from 'pg';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { readSchedule } from './exchanging.ts';
import { client } from './harness.ts';
import { type Product, startProduct } from './product.ts';
import { until } from './until.ts';
import { createWorld } from './world.ts';

/** The product on a database that the test can read and lock. */
const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
const KEY = 'operator-key-of-this-test';
const environment = {
  DATA_DIR: path.join(folder, 'data'),
  DATABASE_URL: databaseUrl,
  DEMO: 'off',
  SALDO_OPERATOR_KEY: KEY,
  RATE_LIMIT: '1000000',
};
const outbox = path.join(environment.DATA_DIR, 'outbox');
const inbox = path.join(environment.DATA_DIR, 'inbox');
const holder = new pg.Client({ connectionString: databaseUrl });
await holder.connect();
atEnd(() => holder.end());
const db = openDatabase(databaseUrl);
atEnd(() => db.close());
const world = createWorld(db, { now: () => Date.now() });
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer, { first: '2020-01-01', last: '2099-12-31' });
let product: Product | null = null;
atEnd(() => product?.end('SIGKILL'));

/** Far enough ahead that no job sends it. */
const day = (ahead: number) => addDays(dayOf(Date.now()), ahead);
const operator = () => client(product?.baseUrl ?? '', KEY);
const messagesOf = async (on: string, query = ''): Promise<Message[]> =>
  (await operator()(`/operator/v1/messages?delivery_date=${on}&limit=100${query}`)).body.messages;
const sendDay = (on: string) =>
  operator()('/operator/v1/exchange/send', { method: 'POST', body: { delivery_date: on } });

async function deliver(on: string): Promise<void> {
  await world.volumes(contract, on, 1000);
  await world.nominate();
  await world.untilNetted();
}

/** Blocks the change of a message to this state until `release` is called. */
async function holdUp(
  state: Message['state'],
): Promise<{ reached(): Promise<void>; release(): Promise<void> }> {
  await holder.query('select pg_advisory_lock(4711)');
  await holder.query(
    `create or replace function hold_up() returns trigger language plpgsql as
       $$ begin perform pg_advisory_xact_lock(4711); return new; end $$;
     create trigger hold_up before update on message for each row
       when (new.state = '${state}') execute function hold_up()`,
  );
  return {
    async reached() {
      const waiting = "select from pg_locks where locktype = 'advisory' and objid = 4711 and not granted";
      await until(async () => (await holder.query(waiting)).rowCount !== 0);
    },
    async release() {
      await holder.query('select pg_advisory_unlock(4711)');
      // Backends of the killed process end when they notice the closed connection.
      const left = "select from pg_locks where locktype = 'advisory' and objid = 4711";
      await until(async () => (await holder.query(left)).rowCount === 0);
      await holder.query('drop trigger hold_up on message');
    },
  };
}

const restart = async () => {
  product = await startProduct(environment);
};

test('after a kill between storing and sending, the next start sends the same message once', async () => {
  await restart();
  const on = day(20);
  await deliver(on);
  await rename(outbox, `${outbox}-aside`);
  await writeFile(outbox, 'the outbox cannot be written');
  assert.equal((await sendDay(on)).body.faults.length, 1);
  const [stored] = await messagesOf(on);
  assert.deepEqual([stored?.state, stored?.version], ['stored', 1]);
  const raw = (await operator()(`/operator/v1/messages/${stored?.id}/raw`)).text;
  await product?.end('SIGKILL');

  await rm(outbox);
  await mkdir(outbox);
  await restart();
  await until(async () => (await messagesOf(on)).some(({ state }) => state === 'sent'));
  const [sent, ...more] = await messagesOf(on);
  assert.deepEqual([sent?.id, sent?.version, more], [stored?.id, 1, []]);
  assert.equal(await readFile(path.join(outbox, sent?.file_name ?? ''), 'utf8'), raw);
  const nominations = await client(product?.baseUrl ?? '', seller.key)(`/v1/nominations?delivery_date=${on}`);
  assert.equal(nominations.body.nominations[0].sent_at, sent?.sent_at);
});

test('a file is not sent again when the database fails between sending and recording it', async () => {
  const on = day(19);
  await deliver(on);
  const held = await holdUp('sent');
  const sending = sendDay(on);
  await held.reached();
  const [name = ''] = (await readdir(outbox)).filter((file) => file.startsWith(on.replaceAll('-', '')));
  // The gateway takes the file.
  await rm(path.join(outbox, name));
  const waiting = "from pg_locks where locktype = 'advisory' and objid = 4711 and not granted";
  const { rows } = await holder.query<{ pid: number }>(`select pid, pg_terminate_backend(pid) ${waiting}`);
  assert.equal(rows.length, 1);
  await sending;
  // A later run records it.
  const [ended] = rows;
  await until(
    async () => (await holder.query(`select ${waiting} and pid <> $1`, [ended?.pid])).rowCount !== 0,
  );
  assert.deepEqual(
    (await readdir(outbox)).filter((file) => file === name),
    [],
  );
  await held.release();
  await until(async () => (await messagesOf(on)).some(({ state }) => state === 'sent'));
  assert.deepEqual(
    (await messagesOf(on)).map(({ version }) => version),
    [1],
  );
  assert.deepEqual(
    (await readdir(outbox)).filter((file) => file === name),
    [],
  );
});

test('after a kill between sending and recording it, the same file is sent again without a new version', async () => {
  const on = day(21);
  await deliver(on);
  const held = await holdUp('sent');
  const sending = sendDay(on).catch(() => null);
  await held.reached();
  const [name = ''] = (await readdir(outbox)).filter((file) => file.startsWith(on.replaceAll('-', '')));
  const first = await readFile(path.join(outbox, name), 'utf8');
  assert.deepEqual(
    (await messagesOf(on)).map(({ state }) => state),
    ['stored'],
  );
  await product?.end('SIGKILL');
  await sending;
  await held.release();
  await rm(path.join(outbox, name));

  await restart();
  await until(async () => (await messagesOf(on)).some(({ state }) => state === 'sent'));
  assert.deepEqual(
    (await messagesOf(on)).map(({ version, state }) => [version, state]),
    [[1, 'sent']],
  );
  assert.equal(await readFile(path.join(outbox, name), 'utf8'), first);
});

test('an answer is applied although a kill prevented recording its schedule as sent', async () => {
  const on = day(22);
  await deliver(on);
  const held = await holdUp('sent');
  const sending = sendDay(on).catch(() => null);
  await held.reached();
  const [name = ''] = (await readdir(outbox)).filter((file) => file.startsWith(on.replaceAll('-', '')));
  const schedule = await readSchedule(await readFile(path.join(outbox, name)));
  await product?.end('SIGKILL');
  await sending;
  await held.release();

  const { final } = answersTo(schedule, CONFORMING, Date.now());
  assert.ok(final);
  await writeFile(path.join(inbox, answerFileName(schedule, final)), writeAnswer(final, 'ess'));
  await restart();
  await until(async () => (await messagesOf(on, '&state=applied')).length > 0);
  const states = (await messagesOf(on)).map(
    ({ direction, version, state }) => `${direction} ${version} ${state}`,
  );
  assert.deepEqual(states, ['out 1 confirmed', 'in 1 applied']);
});

test('after a kill between storing and applying an answer, the next start applies it once', async () => {
  const on = day(23);
  await deliver(on);
  const { body } = await sendDay(on);
  const raw = (await operator()(`/operator/v1/messages/${body.messages[0].id}/raw`)).text;
  const schedule = await readSchedule(Buffer.from(raw));
  const { final } = answersTo(schedule, CONFORMING, Date.now());
  assert.ok(final);
  const held = await holdUp('applied');
  const fileName = answerFileName(schedule, final);
  await writeFile(path.join(inbox, `.${fileName}`), writeAnswer(final, 'ess'));
  await rename(path.join(inbox, `.${fileName}`), path.join(inbox, fileName));
  await held.reached();
  const nomination = async () =>
    (await client(product?.baseUrl ?? '', seller.key)(`/v1/nominations?delivery_date=${on}`)).body
      .nominations[0];
  assert.equal((await nomination()).status, 'pending');
  await product?.end('SIGKILL');
  await held.release();
  assert.ok((await readdir(path.join(inbox, 'done'))).includes(fileName), 'it was moved when it was stored');

  await restart();
  await until(async () => (await nomination()).status === 'match');
  const incoming = await messagesOf(on, '&direction=in');
  assert.deepEqual(
    incoming.map(({ state, file_name }) => [state, file_name]),
    [['applied', fileName]],
  );
  const { slots } = (
    await client(product?.baseUrl ?? '', seller.key)(`/v1/nominations/${(await nomination()).id}`)
  ).body;
  assert.equal(slots.length, slotCount(on));
  for (const { amount, matched_amount } of slots) assert.equal(matched_amount, amount);
  assert.equal(await product?.end('SIGTERM'), 0);
});

test('with SIMULATE_TSO=on the platform answers its own schedules at the times of a TSO', async () => {
  const on = day(24);
  product = await startProduct({ ...environment, SIMULATE_TSO: 'on', SANDBOX: 'on' });
  const seen = async () => {
    const { nominations } = (
      await client(product!.baseUrl, seller.key)(`/v1/nominations?delivery_date=${on}`)
    ).body;
    return [nominations[0].status, nominations[0].confirmed_at !== null];
  };
  const moveTo = (now: number) =>
    operator()('/operator/v1/clock', { method: 'PUT', body: { now: new Date(now).toISOString() } });
  const { dayAhead, dayAfter } = gatesOf(on, BUILT_IN_RULES);
  await deliver(on);
  await sendDay(on);
  await until(async () => (await messagesOf(on, '&direction=in&type=acknowledgement')).length === 1);
  assert.deepEqual(await seen(), ['pending', false]);
  await moveTo(dayAhead);
  await until(async () => (await messagesOf(on, '&direction=in&type=confirmation')).length === 1);
  assert.deepEqual(await seen(), ['match', false]);
  await moveTo(dayAfter);
  await until(async () => (await messagesOf(on, '&state=confirmed')).length > 0);
  assert.deepEqual(await seen(), ['match', true]);
  assert.deepEqual(await readdir(path.join(outbox, 'due')), []);
  assert.equal(await product.end('SIGTERM'), 0);
});
