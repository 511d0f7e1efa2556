import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, constants, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Message, Tso } from '@saldo/api';
import { addDays, dayOf } from '@saldo/core/delivery-day.ts';
import { answerFileName, scheduleFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { draftName } from '@saldo/core/exchange/exchange-folders.ts';
import { tsoCodes } from '@saldo/core/market-rules.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { readSchedule } from './exchanging.ts';
import { client } from './harness.ts';
import { type Product, startProduct } from './product.ts';
import { startSshd, withoutSshd } from './sshd.ts';
import { until } from './until.ts';
import { createWorld } from './world.ts';

const KEY = 'operator-key-of-this-test';
const OPERATOR_EIC = '11XSALDO-------Z';
/** Longer than the limit of a test: a request to the slow server never ends by itself. */
const TIMEOUT_S = 300;
/** Far enough ahead that no job sends it. */
const DAY = addDays(dayOf(Date.now()), 20);
const DAY_STEM = DAY.replaceAll('-', '');

const skip = withoutSshd;
const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
const db = openDatabase(databaseUrl);
atEnd(() => db.close());
const world = createWorld(db, { now: () => Date.now() });
const [slow, quick] = skip ? [null, null] : [await startSshd(), await startSshd()];
const knownHosts = path.join(folder, 'known-hosts');
let product: Product | null = null;
atEnd(() => product?.end('SIGKILL'));
const dataDir = path.join(folder, 'data');
const start = async () => {
  product = await startProduct({
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    DEMO: 'off',
    SALDO_OPERATOR_KEY: KEY,
    RATE_LIMIT: '1000000',
    EXCHANGE_TRANSPORTS: `DE_AMPRION=${slow?.address()},DE_TENNET=${quick?.address()},DE_50HERTZ=folder`,
    SFTP_KNOWN_HOSTS: knownHosts,
    SFTP_TIMEOUT_S: String(TIMEOUT_S),
  });
};

/** A contract between two balance groups of the control area. */
async function contractIn(tso: Tso) {
  const brp = await world.brp();
  const customer = async () => world.customer(brp, { group: await world.group(brp, [tso]), tso });
  return world.contract(await customer(), await customer(), { first: '2020-01-01', last: '2099-12-31' });
}

const operator = () => client(product?.baseUrl ?? '', KEY);
const send = () => operator()('/operator/v1/exchange/send', { method: 'POST', body: { delivery_date: DAY } });
const outgoing = async (tso: Tso): Promise<Message[]> =>
  (await operator()(`/operator/v1/messages?delivery_date=${DAY}&direction=out&tso=${tso}&limit=100`)).body
    .messages;
const states = async (tso: Tso) => (await outgoing(tso)).map(({ version, state }) => `${version} ${state}`);

const reaches = (tso: Tso, ...expected: string[]) =>
  until(async () => (await states(tso)).join() === expected.join());

const fileOf = (tso: Tso, version: number) =>
  scheduleFileName({
    day: DAY,
    operatorEic: OPERATOR_EIC,
    codes: tsoCodes(BUILT_IN_RULES, tso, DAY),
    version,
  });

test('a server that does not answer delays neither other TSOs, nor answers, nor a stop', {
  skip,
}, async () => {
  if (slow === null || quick === null) return;
  await writeFile(
    knownHosts,
    (await readFile(slow.knownHosts, 'utf8')) + (await readFile(quick.knownHosts, 'utf8')),
  );
  const contracts = [
    await contractIn('DE_AMPRION'),
    await contractIn('DE_TENNET'),
    await contractIn('DE_50HERTZ'),
  ];
  for (const contract of contracts) await world.volumes(contract, DAY, 1000);
  await world.nominate();
  const name = fileOf('DE_AMPRION', 1);
  // The server blocks in opening this file, because no process reads from the pipe.
  await promisify(execFile)('mkfifo', ['-m', '666', path.join(slow.outbox, draftName(name, 'upload'))]);
  await start();
  const { body } = await send();
  assert.deepEqual(body.faults, []);
  await until(async () => (await readdir(slow.outbox)).includes(`${name}.json`));

  await reaches('DE_50HERTZ', '1 sent');
  await reaches('DE_TENNET', '1 delivered');
  const schedule = await readSchedule(await readFile(path.join(quick.outbox, fileOf('DE_TENNET', 1))));
  const { final } = answersTo(schedule, CONFORMING, Date.now());
  assert.ok(final);
  await writeFile(path.join(quick.inbox, answerFileName(schedule, final)), writeAnswer(final, 'ess'));
  await reaches('DE_TENNET', '1 confirmed');
  for (const contract of contracts) await world.volumes(contract, DAY, 2000);
  await world.nominate();
  await world.untilNetted();
  assert.deepEqual((await send()).body.faults, []);
  await reaches('DE_50HERTZ', '1 sent', '2 sent');
  await reaches('DE_TENNET', '1 confirmed', '2 delivered');
  assert.deepEqual(await states('DE_AMPRION'), ['1 stored', '2 stored'], 'still waiting for the slow server');

  // A stop that waited for the request would hang: see TIMEOUT_S.
  assert.equal(await product?.end('SIGTERM'), 0);
  assert.doesNotMatch(product?.log() ?? '', /job failed/);
});

test('after a kill in mid-upload the next start delivers the same files, complete and in order', {
  skip,
}, async () => {
  if (slow === null) return;
  const name = fileOf('DE_AMPRION', 1);
  const draft = path.join(slow.outbox, draftName(name, 'upload'));
  await rm(path.join(slow.outbox, `${name}.json`));
  await start();
  await until(async () => (await readdir(slow.outbox)).includes(`${name}.json`));
  await product?.end('SIGKILL');
  assert.ok(!(await readdir(slow.outbox)).includes(name), 'a gateway sees no partial file');

  // The processes of the server that block in opening the pipe have lost their connection: now they end.
  await (await open(draft, constants.O_RDONLY | constants.O_NONBLOCK)).close();
  // A kill while bytes are written leaves a partial draft.
  await rm(draft);
  await writeFile(draft, 'partial');
  await chmod(draft, 0o666);
  await start();
  await reaches('DE_AMPRION', '1 delivered', '2 delivered');
  const files = (await readdir(slow.outbox)).filter((file) => file.includes(DAY_STEM)).toSorted();
  const second = fileOf('DE_AMPRION', 2);
  assert.deepEqual(files, [name, `${name}.json`, second, `${second}.json`]);
  const [first] = await outgoing('DE_AMPRION');
  const raw = (await operator()(`/operator/v1/messages/${first?.id}/raw`)).text;
  assert.equal(await readFile(path.join(slow.outbox, name), 'utf8'), raw);
});

test('an inbox entry that is no file is logged once and stored as a failed message', { skip }, async () => {
  await mkdir(path.join(dataDir, 'inbox', 'a-folder'));
  const failed = async (): Promise<Message[]> =>
    (await operator()('/operator/v1/messages?direction=in&state=failed')).body.messages;
  await until(async () => (await failed()).length > 0);
  assert.deepEqual(
    (await failed()).map(({ file_name, type }) => [file_name, type]),
    [['a-folder', 'unknown']],
  );
  await until(async () => (product?.log() ?? '').includes('inbox entry not read'));
  assert.equal(await product?.end('SIGTERM'), 0);
  assert.equal(product?.log().match(/inbox entry not read/g)?.length, 1);
});
