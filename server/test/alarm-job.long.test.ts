import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ALARM_KINDS, type Alarm } from '@saldo/api';
import { addDays, dayOf } from '@saldo/core/delivery-day.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { readSchedule } from './exchanging.ts';
import { client } from './harness.ts';
import { type Product, startProduct } from './product.ts';
import { until } from './until.ts';
import { createWorld } from './world.ts';

/** The whole product with two processes, whose jobs do everything by themselves. */
const TSO = 'DE_AMPRION';
const OPERATOR_KEY = 'an-operator-key-for-this-test';
/** Far enough ahead that no job sends it before the test sets the clock of the product. */
const DAY = addDays(dayOf(Date.now()), 20);
const { dayAhead } = gatesOf(DAY, BUILT_IN_RULES);

const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
const db = openDatabase(databaseUrl);
atEnd(() => db.close());
const world = createWorld(db, { now: () => Date.now() });
const { producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer, { first: '2020-01-01', last: '2099-12-31' });
await world.volumes(contract, DAY, 250);

/** A failing test leaves no process. */
async function start(): Promise<Product> {
  const product = await startProduct({
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    SALDO_OPERATOR_KEY: OPERATOR_KEY,
    SANDBOX: 'on',
    WORKERS: '2',
    LOG_LEVEL: 'warn',
    RATE_LIMIT: '1000000',
  });
  atEnd(() => product.end('SIGKILL'));
  return product;
}

/** The operator's view of a running product. */
function operating(product: Product) {
  const operator = client(product.baseUrl, OPERATOR_KEY);
  const list = async (): Promise<Alarm[]> => (await operator('/operator/v1/exchange/alarms')).body.alarms;
  /** The metrics of both processes: the open kinds of each. */
  async function metrics(): Promise<string[]> {
    const text = await (await fetch(`${product.adminUrl}/metrics`)).text();
    const samples = [...text.matchAll(/^saldo_exchange_alarms\{worker="(\d+)",kind="(\w+)"\} (\d+)$/gm)];
    const workers = Map.groupBy(samples, ([, worker]) => worker);
    return [...workers.values()].map((ofWorker) => {
      assert.equal(ofWorker.map(([, , kind]) => kind).join(), ALARM_KINDS.join(), 'every kind has a sample');
      return ofWorker.flatMap(([, , kind, count]) => (count === '0' ? [] : [`${kind} ${count}`])).join();
    });
  }
  return {
    list,
    post: (action: string, body: object) =>
      operator(`/operator/v1/exchange/${action}`, { method: 'POST', body }),
    receive: (document: string) =>
      operator('/operator/v1/exchange/receive', {
        method: 'POST',
        body: document,
        headers: { 'content-type': 'application/xml' },
      }),
    /** Sets the clock to some minutes before the day-ahead gate. */
    setClock: (minutesBefore: number) =>
      operator('/operator/v1/clock', {
        method: 'PUT',
        body: { now: new Date(dayAhead - minutesBefore * 60_000).toISOString() },
      }),
    /** Waits until alarms, health and the metrics of both processes show exactly these kinds. */
    async shows(...kinds: string[]): Promise<Alarm[]> {
      return until(async () => {
        const alarms = await list();
        if (alarms.map(({ kind }) => kind).join() !== kinds.join()) return null;
        const { alarms: counts } = (await operator('/operator/v1/health')).body;
        const open = ALARM_KINDS.filter((kind) => kinds.includes(kind));
        if (ALARM_KINDS.filter((kind) => counts[kind] > 0).join() !== open.join()) return null;
        const expected = open.map((kind) => `${kind} 1`).join();
        return (await metrics()).join(' | ') === `${expected} | ${expected}` ? alarms : null;
      });
    },
    /** Waits until the log has this message, and checks that one process wrote it, once. Logs are written in batches. */
    async logs(message: string): Promise<void> {
      const line = `"msg":${JSON.stringify(message)}`;
      await until(
        () => product.log().includes(line),
        () => line,
      );
      assert.equal(product.log().split(line).length, 2, `one process logs it once: ${message}`);
    },
  };
}

const outboxFile = (ending: RegExp) =>
  until(async () => {
    const outbox = path.join(folder, 'outbox');
    const name = (await readdir(outbox)).find((one) => ending.test(one) && !one.startsWith('.'));
    return name === undefined ? null : readFile(path.join(outbox, name));
  });

test('alarms appear in API, health, metrics and log of two processes, survive a restart, and end', async (t) => {
  const first = await start();
  const before = operating(first);
  await before.setClock(30);
  const schedule = await readSchedule(await outboxFile(/_TPS_.*_001\.XML$/));
  await before.setClock(26);
  await before.shows();

  const rejected = answersTo(schedule, { ...CONFORMING, rejections: [{ tso: TSO, day: DAY }] }, Date.now());
  const askedAt = performance.now();
  assert.equal((await before.receive(writeAnswer(rejected.acknowledgement, 'ess'))).status, 200);
  await before.shows('rejected');
  t.diagnostic(`a rejection is visible after ${Math.round(performance.now() - askedAt)} ms`);
  assert.equal((await before.receive('<nonsense/>')).status, 400);
  await before.shows('rejected', 'unreadable');
  const sent = await before.post('send', { delivery_date: DAY });
  assert.deepEqual(
    sent.body.messages.map(({ version, state }: { version: number; state: string }) => [version, state]),
    [[2, 'sent']],
  );
  await before.setClock(15);
  const open = await before.shows('rejected', 'unreadable', 'answer_overdue');
  await outboxFile(/_SRQ_.*\.XML$/);
  assert.equal(await first.end('SIGTERM'), 0);
  for (const { text } of open) await before.logs(`alarm: ${text}`);

  const second = await start();
  const later = operating(second);
  assert.deepEqual(await later.shows('rejected', 'unreadable', 'answer_overdue'), open);
  const accepted = answersTo({ ...schedule, version: 2 }, CONFORMING, Date.now());
  assert.equal((await later.receive(writeAnswer(accepted.acknowledgement, 'ess'))).status, 200);
  const [unreadable] = await later.shows('unreadable');
  const note = { note: 'The TSO has sent it again.' };
  assert.equal((await later.post(`alarms/${unreadable?.id}/acknowledge`, note)).status, 200);
  await later.shows();
  const files = await readdir(path.join(folder, 'outbox'));
  assert.equal(files.filter((name) => /_SRQ_.*\.XML$/.test(name)).length, 1, 'the status was requested once');
  assert.equal(await second.end('SIGTERM'), 0);
  for (const { kind, text } of open) {
    await later.logs(kind === 'unreadable' ? `alarm acknowledged: ${text}` : `alarm ended: ${text}`);
  }
  assert.ok(!second.log().includes('"msg":"alarm: '), 'none begins again');
});
