import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { formatMessage } from '@saldo/core/messages/message.ts';
import { exchangeRemotely } from '../src/exchange/process/remote.ts';
import { AT_REST_MS } from '../src/exchange/transport/at-rest.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { temporaryFolder } from './clean-up.ts';
import { agree, newPlace, operating } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';
import { startStandIn } from './sftp-stand-in.ts';

const DAY = '2026-10-25';
const folder = await temporaryFolder();
const server = await startStandIn('saldo', 'correct horse');
const [knownHosts, passwordFile] = [path.join(folder, 'known-hosts'), path.join(folder, 'password')];
await writeFile(knownHosts, `[127.0.0.1]:${server.port} ${server.hostKey}\n`);
await writeFile(passwordFile, 'correct horse\n');
const platform = await startTestPlatform({
  environment: {
    EXCHANGE_TRANSPORTS: `DE_TENNET=sftp://saldo@127.0.0.1:${server.port}/out?inbox=/in&password_file=${passwordFile}`,
    SFTP_KNOWN_HOSTS: knownHosts,
  },
});
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, messages } = operating(platform, operator);
const places = [await newPlace(platform, 'DE_TENNET'), await newPlace(platform, 'DE_TENNET')] as const;
await world.volumes(await agree(world, ...places), DAY, 1000);
await send({ delivery_date: DAY });
const tryRun = async () => {
  const { db, clock, exchange } = platform;
  return exchangeRemotely(db, clock, exchange, 'DE_TENNET', exchange.remote.DE_TENNET ?? assert.fail());
};
const run = async () => (await tryRun()) ?? assert.fail('another process is at work');

const FORGET_SENT = statement(
  'test_forget_sent',
  "update message set state = 'stored' where direction = 'out'",
);

test('while another process serves a TSO, this one leaves its messages alone', async () => {
  const otherProcess = openDatabase(platform.databaseUrl);
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = otherProcess.exclusively('saldo exchange DE_TENNET', async () => {
    begun.resolve();
    await end.promise;
    return 'done';
  });
  await begun.promise;
  assert.equal(await tryRun(), null);
  assert.deepEqual([server.files.size, (await messages())[0]?.state], [0, 'stored']);
  end.resolve();
  assert.equal(await work, 'done');
  await otherProcess.close();
});

test('a server without the extensions of OpenSSH gets a file by password, also when it has the file already', async () => {
  assert.equal((await run()).unreachable, null);
  const [first] = await messages('&direction=out');
  const file = `/out/${first?.file_name}`;
  assert.equal(first?.state, 'delivered');
  assert.deepEqual([...server.files.keys()].toSorted(), [file, `${file}.json`]);
  const raw = (await operator(`/operator/v1/messages/${first?.id}/raw`)).text;
  assert.equal(server.files.get(file)?.toString(), raw);
  // As after a crash between the delivery and its record.
  await platform.db.transaction((tx) => tx.query(FORGET_SENT));
  server.files.set(file, Buffer.from('an incomplete copy'));
  assert.deepEqual((await run()).faults, []);
  assert.equal(server.files.get(file)?.toString(), raw);
});

test('a file that the gateway has taken before its size was confirmed is sent, not delivered', async () => {
  await platform.db.transaction((tx) => tx.query(FORGET_SENT));
  server.faults.isTakenAtOnce = true;
  assert.deepEqual((await run()).faults, []);
  server.faults.isTakenAtOnce = false;
  assert.deepEqual(
    (await messages('&direction=out')).map(({ state }) => state),
    ['sent'],
  );
});

test('a file that the server stores incompletely is not renamed, and the message stays stored', async () => {
  await platform.db.transaction((tx) => tx.query(FORGET_SENT));
  server.files.clear();
  server.faults.isFull = true;
  const { faults, unreachable } = await run();
  server.faults.isFull = false;
  assert.equal(unreachable, null, 'the connection is not to blame');
  const [error] = faults.map((fault) => formatMessage(fault.error, 'en'));
  assert.match(error ?? '', /cannot be written to the SFTP server \(0 of \d+ bytes were stored\)/);
  assert.deepEqual([...server.files.keys()], []);
  const [message] = await messages('&direction=out');
  assert.deepEqual([message?.state, message?.error], ['stored', error]);
  assert.deepEqual((await run()).faults, []);
});

test('a server that ends SFTP but not the connection is noticed, and gets a new connection', async () => {
  server.faults.isEnding = true;
  assert.match((await run()).unreachable ?? '', /^SFTP server 127\.0\.0\.1:\d+: the connection/);
  server.faults.isEnding = false;
  assert.equal((await run()).unreachable, null);
});

test('a server that reports no modes gives its answers', async () => {
  server.files.set('/in/answer.xml', Buffer.from('not at all'));
  server.files.set('/in/../../etc/passwd', Buffer.from('a name that leaves the folder'));
  await run();
  platform.rest(AT_REST_MS);
  assert.equal((await run()).inbox.received, 1);
  const [message] = await messages('&direction=in');
  assert.deepEqual([message?.file_name, message?.state], ['answer.xml', 'failed']);
  assert.equal((await operator(`/operator/v1/messages/${message?.id}/raw`)).text, 'not at all');
  assert.equal(server.files.has('/in/answer.xml'), false);
});
