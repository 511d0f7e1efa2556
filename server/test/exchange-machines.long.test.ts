import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { Message } from '@saldo/api';
import { addDays, dayOf } from '@saldo/core/delivery-day.ts';
import { answerFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { writeIntoFolder } from '../src/exchange/transport/folders.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { readSchedule } from './exchanging.ts';
import { client } from './harness.ts';
import { type Product, startProduct } from './product.ts';
import { until } from './until.ts';
import { createWorld } from './world.ts';

/**
 * Two processes on one database, as on two machines that have no folder in common. The gateway to the TSOs is on the
 * machine of the first one.
 */
const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
const KEY = 'operator-key-of-this-test';
const db = openDatabase(databaseUrl);
atEnd(() => db.close());

const dataDirOf = (machine: string) => path.join(folder, machine);
async function start(machine: string, settings: Record<string, string>): Promise<Product> {
  const product = await startProduct({
    DATA_DIR: dataDirOf(machine),
    DATABASE_URL: databaseUrl,
    LEDGER_KEY_FILE: path.join(folder, 'ledger.key'),
    DEMO: 'off',
    SALDO_OPERATOR_KEY: KEY,
    RATE_LIMIT: '1000000',
    ...settings,
  });
  atEnd(() => product.end('SIGKILL'));
  return product;
}
const withGateway = await start('gateway', {});
const withoutGateway = await start('other', { EXCHANGE_FOLDERS: 'off' });
const world = createWorld(db, { now: () => Date.now() });
const { producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer, { first: '2020-01-01', last: '2099-12-31' });

const outbox = path.join(dataDirOf('gateway'), 'outbox');
const days = Array.from({ length: 8 }, (_, at) => addDays(dayOf(Date.now()), 20 + at));
const messagesOf = async ({ baseUrl }: Product, query: string): Promise<Message[]> =>
  (await client(baseUrl, KEY)(`/operator/v1/messages?limit=100&${query}`)).body.messages;

test('a process without the folders of the exchange leaves its schedules to the process that has them', async () => {
  for (const day of days) await world.volumes(contract, day, 1000);
  for (const [at, day] of days.entries()) {
    const { baseUrl } = at === 0 ? withGateway : withoutGateway;
    const request = { method: 'POST', body: { delivery_date: day } };
    // The volumes may be netted at this moment by a job of one of the processes.
    await until(async () => {
      const answer = await client(baseUrl, KEY)('/operator/v1/exchange/send', request);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.faults.length === 0;
    });
  }
  const sent = await until(async () => {
    const found = await messagesOf(withoutGateway, 'direction=out');
    return found.length === days.length && found.every(({ state }) => state === 'sent') ? found : null;
  });
  const files = (await readdir(outbox)).filter((name) => /^[^.].*\.XML$/.test(name));
  assert.deepEqual(files.toSorted(), sent.map(({ file_name }) => file_name).toSorted());
  assert.deepEqual(await readdir(dataDirOf('other')), []);
});

test('an answer in the inbox of one process is known to all of them', async () => {
  const [sent] = await messagesOf(withGateway, 'direction=out');
  const schedule = await readSchedule(await readFile(path.join(outbox, sent?.file_name ?? '')));
  const { acknowledgement } = answersTo(schedule, CONFORMING, Date.now());
  const inbox = path.join(dataDirOf('gateway'), 'inbox');
  const name = answerFileName(schedule, acknowledgement);
  await writeIntoFolder(inbox, name, Buffer.from(writeAnswer(acknowledgement, 'ess')));
  const query = `direction=out&delivery_date=${schedule.day}`;
  const [answered] = await until(async () => {
    const found = await messagesOf(withoutGateway, query);
    return found.some(({ state }) => state === 'acknowledged') ? found : null;
  });
  assert.equal(answered?.id, sent?.id);
});
