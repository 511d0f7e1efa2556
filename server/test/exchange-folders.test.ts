import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Message } from '@saldo/api';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { formatMessage } from '@saldo/core/messages/message.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { receiveDue } from '../src/exchange/process/receive.ts';
import { AT_REST_MS } from '../src/exchange/transport/at-rest.ts';
import { exchangeOf } from '../src/start/exchange-settings.ts';
import { temporaryFolder } from './clean-up.ts';
import { agree, newPlace, operating, readSchedule, receiveAll } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';
import { CHECKOUT } from './markdown-blocks.ts';

const DAY = '2026-10-25';
const folder = await temporaryFolder();
const rulesFile = path.join(folder, 'market-rules.json');
const builtIn = JSON.parse(await readFile(path.join(CHECKOUT, 'core/src/market-rules.json'), 'utf8'));
const party_number = { number: '9900000000004', authority: 'BDEW' };
await writeFile(
  rulesFile,
  JSON.stringify({
    ...builtIn,
    operator: [...builtIn.operator, { valid_from: '2026-10-25', party_number }],
  }),
);
const platform = await startTestPlatform({ environment: { MARKET_RULES: rulesFile } });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, messages, answer } = operating(platform, operator);
const [seller, buyer] = [await newPlace(platform, 'DE_TENNET'), await newPlace(platform, 'DE_50HERTZ')];
await world.volumes(await agree(world, seller, buyer), DAY, 1000);
const { outboxDir, inboxDir } = platform.config.exchange;
const run = () => receiveDue(platform.db, platform.clock, platform.exchange, platform.exchange.inbox);
const isPosix = process.platform !== 'win32';

test('each outgoing file appears after its sidecar, which has what an AS4 gateway needs', async () => {
  // A folder in place of the sidecar of one file, and of the other file itself.
  const blocked = { sidecar: '20261025_TPS_11XSALDO-------Z_10XDE-EON-NETZ-C_001.XML.json', file: '' };
  blocked.file = '20261025_TPS_11XSALDO-------Z_10XDE-VE-TRANSMK_001.XML';
  for (const name of [blocked.sidecar, blocked.file])
    await mkdir(path.join(outboxDir, name, 'x'), { recursive: true });
  assert.equal((await send({ delivery_date: DAY })).faults.length, 2);
  const visible = (await readdir(outboxDir)).filter((name) => !name.startsWith('.'));
  assert.deepEqual(visible.toSorted(), [blocked.sidecar, blocked.file, `${blocked.file}.json`].toSorted());
  const stored = await messages('&direction=out&state=stored');
  assert.deepEqual(
    new Set(stored.map(({ error }) => error?.split(' (')[0])),
    new Set(['the outbox cannot be written']),
  );
  for (const name of [blocked.sidecar, blocked.file])
    await rm(path.join(outboxDir, name), { recursive: true });

  assert.deepEqual((await send({ delivery_date: DAY })).faults, []);
  const sent = await messages('&direction=out');
  assert.deepEqual(
    sent.map(({ state, error }) => [state, error]),
    [
      ['sent', null],
      ['sent', null],
    ],
  );
  const receivers = {
    DE_TENNET: { eic: '10XDE-EON-NETZ-C', number: '4033872000058', authority: 'GS1' },
    DE_50HERTZ: { eic: '10XDE-VE-TRANSMK', number: null, authority: null },
  };
  for (const { id, tso, version, file_name } of sent) {
    const file = path.join(outboxDir, file_name ?? '');
    assert.deepEqual(JSON.parse(await readFile(`${file}.json`, 'utf8')), {
      message_id: id,
      document_type: 'A01',
      document_no: version,
      fulfillment_date: DAY,
      subject_party_id: '11XSALDO-------Z',
      subject_party_role: 'A08',
      sender: { eic: '11XSALDO-------Z', number: '9900000000004', authority: 'BDEW' },
      receiver: receivers[tso as keyof typeof receivers],
      sha256: hash('sha256', await readFile(file)),
    });
  }
});

test('a file that is written in place is imported when it has not changed for 2 seconds', async () => {
  const [tennet] = await messages('&direction=out&tso=DE_TENNET');
  const schedule = await readSchedule(await readFile(path.join(outboxDir, tennet?.file_name ?? '')));
  const text = writeAnswer(answersTo(schedule, CONFORMING, platform.clock.now()).acknowledgement, 'ess');
  const file = path.join(inboxDir, 'in-place.xml');
  await writeFile(file, text.slice(0, 100));
  await run();
  platform.rest(AT_REST_MS - 1);
  assert.equal((await run()).received, 0);
  await appendFile(file, text.slice(100));
  platform.rest(AT_REST_MS);
  assert.equal((await run()).received, 0, 'it has changed since it was last seen');
  platform.rest(AT_REST_MS - 1);
  assert.equal((await run()).received, 0);
  platform.rest(1);
  assert.equal((await run()).received, 1);
  const [message] = await messages('&direction=in');
  assert.deepEqual([message?.state, message?.type], ['applied', 'acknowledgement']);
  assert.deepEqual(await readdir(inboxDir), ['done']);
});

/** Takes the file of this name like another process, and calls `before` and `after` around its reading. */
async function takeMeanwhile(name: string, { before = nothing, after = nothing }) {
  let monotonicMs = 0;
  const { inbox } = exchangeOf(platform.config, () => monotonicMs);
  await inbox.files();
  monotonicMs += AT_REST_MS;
  const files = async () =>
    (await inbox.files()).map((file) => ({
      ...file,
      async read() {
        if (file.name === name) await before();
        const reading = await file.read();
        if (file.name === name) await after();
        return reading;
      },
    }));
  return receiveDue(platform.db, platform.clock, platform.exchange, { files });
}
const nothing = async () => {};

/** The documents of the messages that came under this file name, sorted. */
async function documentsOf(name: string): Promise<string[]> {
  const named = (await messages('&direction=in')).filter(({ file_name }) => file_name === name);
  const raws = named.map(async ({ id }) => (await operator(`/operator/v1/messages/${id}/raw`)).text);
  return (await Promise.all(raws)).toSorted();
}

test('a new file with the name of one that another process has stored is not moved away unread', async () => {
  const file = path.join(inboxDir, 'reused.xml');
  await writeFile(file, 'first');
  const late = await takeMeanwhile('reused.xml', {
    async after() {
      assert.equal((await receiveAll(platform)).received, 1);
      await writeFile(file, 'second');
    },
  });
  assert.equal(late.received, 0);
  assert.equal((await receiveAll(platform)).received, 1);
  assert.deepEqual(await documentsOf('reused.xml'), ['first', 'second']);
});

test('a new file with the name of one that was listed is not read before it is complete', async () => {
  const file = path.join(inboxDir, 'rewritten.xml');
  await writeFile(file, 'first');
  const late = await takeMeanwhile('rewritten.xml', {
    async before() {
      assert.equal((await receiveAll(platform)).received, 1);
      await writeFile(file, 'sec');
    },
  });
  assert.equal(late.received, 0);
  await appendFile(file, 'ond');
  assert.equal((await receiveAll(platform)).received, 1);
  assert.deepEqual(await documentsOf('rewritten.xml'), ['first', 'second']);
});

test('what is added to a file after it was read is not lost', async () => {
  const file = path.join(inboxDir, 'continued.xml');
  await writeFile(file, 'first');
  await takeMeanwhile('continued.xml', { after: () => appendFile(file, ' and second') });
  assert.equal((await receiveAll(platform)).received, 1);
  assert.deepEqual(await documentsOf('continued.xml'), ['first', 'first and second']);
});

test('the simulated TSOs take a schedule together with its sidecar', async () => {
  await answer();
  const left = (await readdir(outboxDir, { withFileTypes: true })).filter((entry) => entry.isFile());
  assert.deepEqual(left, []);
  const done = await readdir(path.join(outboxDir, 'done'));
  assert.deepEqual([done.length, done.filter((name) => name.endsWith('.XML.json')).length], [4, 2]);
  const states = (await messages('&direction=out')).map(({ state }) => state);
  assert.deepEqual(states, ['confirmed', 'confirmed']);
});

/** Stores a message without a document for each of these names. Returns the messages. */
async function reported(names: readonly string[]): Promise<Map<string, Message>> {
  const { received, unreadable } = await receiveAll(platform);
  assert.equal(received, names.length);
  assert.deepEqual(unreadable.map(({ file }) => file).toSorted(), names.toSorted());
  const found = await messages('&direction=in&state=failed');
  return new Map(found.map((message) => [message.file_name ?? '', message]));
}

test('an inbox entry that is no plain file is reported once and left in place', {
  skip: !isPosix,
}, async () => {
  const secret = path.join(platform.config.dataDir, 'elsewhere.xml');
  await writeFile(secret, 'not for the inbox');
  await mkdir(path.join(inboxDir, 'folder'));
  await symlink(secret, path.join(inboxDir, 'link.xml'));
  await promisify(execFile)('mkfifo', [path.join(inboxDir, 'pipe')]);
  const socket = createServer().listen(path.join(inboxDir, 'socket'));
  await once(socket, 'listening');
  await mkdir(path.join(inboxDir, '.hidden'));
  const names = ['folder', 'link.xml', 'pipe', 'socket'];
  const reports = await reported(names);
  for (const [name, kind] of [
    ['folder', 'a folder'],
    ['link.xml', 'a symbolic link'],
    ['pipe', 'a named pipe'],
    ['socket', 'a socket'],
  ] as const) {
    assert.match(reports.get(name)?.error ?? '', new RegExp(`INBOX_DIR contains ${kind} of this name`));
    const raw = await operator(`/operator/v1/messages/${reports.get(name)?.id}/raw`);
    assert.equal(raw.status, 404, 'nothing of it was read');
  }
  await writeFile(path.join(inboxDir, 'folder', 'inner.xml'), 'a change within the folder');
  const count = (await messages()).length;
  assert.deepEqual(await receiveAll(platform), { received: 0, unreadable: [] });
  // Another process, or this one after a restart, does not know what was reported.
  const { inbox } = exchangeOf(platform.config, () => monotonicMs);
  let monotonicMs = 0;
  await receiveDue(platform.db, platform.clock, platform.exchange, inbox);
  monotonicMs += AT_REST_MS;
  const other = await receiveDue(platform.db, platform.clock, platform.exchange, inbox);
  assert.deepEqual(other, { received: 0, unreadable: [] });
  assert.equal((await messages()).length, count);
  assert.deepEqual((await readdir(inboxDir)).toSorted(), ['.hidden', 'done', ...names]);
  socket.close();
  for (const name of ['folder', 'link.xml', 'pipe']) await rm(path.join(inboxDir, name), { recursive: true });
});

test('a file whose name is not UTF-8 is reported once and left in place', {
  skip: process.platform !== 'linux',
}, async () => {
  const file = Buffer.from(path.join(inboxDir, 'R\xfcckmeldung.xml'), 'latin1');
  await writeFile(file, 'an answer');
  const name = 'R\uFFFDckmeldung.xml';
  const reports = await reported([name]);
  assert.match(
    reports.get(name)?.error ?? '',
    /^INBOX_DIR contains a file whose name is not UTF-8 .* Rename it\.$/,
  );
  assert.deepEqual(await receiveAll(platform), { received: 0, unreadable: [] });
  await rm(file);
});

test('a file that cannot be read is reported, blocks no other, and is imported once it is readable', {
  skip: !isPosix,
}, async () => {
  const file = path.join(inboxDir, 'closed.xml');
  await writeFile(file, 'first');
  await writeFile(path.join(inboxDir, 'open.xml'), 'second');
  await chmod(file, 0);
  const first = await asOtherUser(() => receiveAll(platform));
  assert.equal(first.received, 2);
  assert.deepEqual(
    first.unreadable.map(({ file: name }) => name),
    ['closed.xml'],
  );
  assert.deepEqual(
    first.unreadable.map(({ error }) => formatMessage(error, 'en')),
    ['The file in INBOX_DIR cannot be read (EACCES). Let the server read it.'],
  );
  assert.deepEqual(
    (await readdir(inboxDir)).filter((name) => name.endsWith('.xml')),
    ['closed.xml'],
  );
  await chmod(file, 0o644);
  assert.equal((await run()).received, 1);
  const raws = (await messages('&state=failed')).filter(({ file_name }) => file_name === 'closed.xml');
  assert.equal(raws.length, 2);
  assert.equal((await operator(`/operator/v1/messages/${raws[1]?.id}/raw`)).text, 'first');
});

/** Root may read every file, so the work runs with the rights of another user. */
async function asOtherUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  const NOBODY = 65_534;
  for (const dir of [platform.config.dataDir, inboxDir, path.join(inboxDir, 'done')])
    await chown(dir, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
