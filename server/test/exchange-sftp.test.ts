import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { Tso } from '@saldo/api';
import { answerFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { formatMessage } from '@saldo/core/messages/message.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { pino } from 'pino';
import { exchangeRemotely, type RemoteRun } from '../src/exchange/process/remote.ts';
import { RETRY_AFTER_MS, remoteJobs } from '../src/exchange/process/remote-jobs.ts';
import { AT_REST_MS } from '../src/exchange/transport/at-rest.ts';
import { agree, newPlace, operating, type Place, readSchedule } from './exchanging.ts';
import { client, startTestPlatform, type TestPlatform } from './harness.ts';
import { listNominated } from './nominated.ts';
import { generateSshKey } from './ssh-key.ts';
import { type Sshd, startSshd, withoutSshd } from './sshd.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

const DAY = '2026-10-25';
const TSO: Tso = 'DE_AMPRION';

/** A platform whose Amprion is an SFTP server, with one contract in its area. */
type Site = {
  readonly platform: TestPlatform;
  readonly world: World;
  readonly seller: Place;
  readonly exchange: ReturnType<typeof operating>;
  /** Changes the volumes, and stores the next version of the schedule. */
  change(volume: number): Promise<void>;
  /** Runs the job of the TSO once. */
  run(): Promise<RemoteRun>;
};

async function startSite(sshd: Sshd, changed: Record<string, string> = {}): Promise<Site> {
  const platform = await startTestPlatform({
    environment: {
      EXCHANGE_TRANSPORTS: `${TSO}=${sshd.address()}`,
      SFTP_KNOWN_HOSTS: sshd.knownHosts,
      MESSAGE_LIMIT_MB: '1',
      ...changed,
    },
  });
  const { world } = platform;
  const exchange = operating(platform, client(platform.baseUrl, await world.operatorKey()));
  const [seller, buyer] = [await newPlace(platform, TSO), await newPlace(platform, TSO)];
  const contract = await agree(world, seller, buyer);
  return {
    platform,
    world,
    seller,
    exchange,
    async change(volume) {
      await world.volumes(contract, DAY, volume);
      const { messages, faults } = await exchange.send({ delivery_date: DAY });
      assert.deepEqual([messages.map(({ state }) => state), faults], [['stored'], []]);
    },
    async run() {
      const { db, clock, exchange: parts } = platform;
      const transport = parts.remote[TSO] ?? assert.fail();
      return (await exchangeRemotely(db, clock, parts, TSO, transport)) ?? assert.fail();
    },
  };
}

/** What the operator sees of the outgoing messages, oldest first. */
const outgoing = async ({ exchange }: Site) =>
  (await exchange.messages('&direction=out')).map(({ version, state, error }) => [version, state, error]);

const skip = withoutSshd;
/** Without a server there is nothing to start, and every test below is skipped. */
const sshd = skip ? null : await startSshd();

/** A site for each kind of setting, all with the same server. */
async function startSites(server: Sshd) {
  const stranger = await server.file('stranger', `[127.0.0.1]:${server.port} ${generateSshKey().public}\n`);
  const keyFile = await server.file('wrong-key', generateSshKey().private);
  const passwordFile = await server.file('wrong-password', 'not-the-password\n');
  const at = (address: string) => ({ EXCHANGE_TRANSPORTS: `${TSO}=${address}` });
  return {
    right: await startSite(server),
    impatient: await startSite(server, { SFTP_TIMEOUT_S: '1' }),
    distrustful: await startSite(server, { SFTP_KNOWN_HOSTS: stranger }),
    withWrongKey: await startSite(server, at(server.address({ keyFile }))),
    withWrongPassword: await startSite(server, at(server.address({ passwordFile }))),
  };
}
const sites = sshd && (await startSites(sshd));

/** Only root can take a folder away from the server's user. */
const withoutRoot = process.getuid?.() === 0 ? false : 'needs root';

const present = <T>(value: T | null): T => value ?? assert.fail('skipped without a server');

test('a schedule is uploaded under a temporary name, renamed after its sidecar, and delivered', {
  skip,
}, async () => {
  const [server, own] = [present(sshd), present(sites).right];
  await own.change(1000);
  assert.deepEqual(await readdir(server.outbox), [], 'sending is left to the job of the TSO');
  const run = await own.run();
  assert.deepEqual([run.faults, run.unreachable], [[], null]);
  const [message] = await own.exchange.messages('&direction=out');
  assert.equal(message?.state, 'delivered');
  assert.ok(message.sent_at);
  const name = message.file_name ?? '';
  assert.deepEqual((await readdir(server.outbox)).toSorted(), [name, `${name}.json`]);
  const document = await readFile(path.join(server.outbox, name));
  const sidecar = JSON.parse(await readFile(path.join(server.outbox, `${name}.json`), 'utf8'));
  assert.deepEqual([sidecar.message_id, sidecar.sha256], [message.id, hash('sha256', document)]);
  const { body } = await own.seller.ask('/v1/nominations');
  assert.equal(body.nominations[0].sent_at, message.sent_at);
  assert.deepEqual((await own.run()).faults, [], 'a further run sends nothing');
  assert.equal((await own.exchange.messages()).length, 1);
});

test('answers are fetched when they are at rest, stored, applied exactly once, and deleted on the server', {
  skip,
}, async () => {
  const [server, own] = [present(sshd), present(sites).right];
  const [name = ''] = (await readdir(server.outbox)).filter((file) => file.endsWith('.XML'));
  const schedule = await readSchedule(await readFile(path.join(server.outbox, name)));
  const { acknowledgement, final: maybeFinal } = answersTo(schedule, CONFORMING, own.platform.clock.now());
  const final = maybeFinal ?? assert.fail();
  const place = (answer: typeof acknowledgement | typeof final) =>
    path.join(server.inbox, answerFileName(schedule, answer));
  const text = writeAnswer(acknowledgement, 'ess');
  // Written in place, in two parts.
  await writeFile(place(acknowledgement), text.slice(0, 200));
  await own.run();
  own.platform.rest(AT_REST_MS - 1);
  await writeFile(place(acknowledgement), text);
  assert.equal((await own.run()).inbox.received, 0);
  own.platform.rest(AT_REST_MS - 1);
  assert.equal((await own.run()).inbox.received, 0);
  own.platform.rest(1);
  assert.equal((await own.run()).inbox.received, 1);
  assert.deepEqual(await outgoing(own), [[1, 'acknowledged', null]]);
  assert.deepEqual(await readdir(server.inbox), []);

  // Names of unfinished files are left alone, however long they rest.
  const document = writeAnswer(final, 'ess');
  await writeFile(`${place(final)}.part`, document);
  await own.run();
  own.platform.rest(AT_REST_MS);
  assert.equal((await own.run()).inbox.received, 0);
  await rename(`${place(final)}.part`, place(final));
  await own.run();
  own.platform.rest(AT_REST_MS);
  assert.equal((await own.run()).inbox.received, 1);
  assert.deepEqual(await outgoing(own), [[1, 'confirmed', null]]);
  const incoming = await own.exchange.messages('&direction=in');
  assert.deepEqual(
    incoming.map(({ type, state }) => [type, state]),
    [
      ['acknowledgement', 'applied'],
      ['confirmation', 'applied'],
    ],
  );
  assert.equal((await listNominated(own.seller.ask))[0]?.status, 'match');
});

test('an answer that cannot be deleted on the server is applied once', {
  skip: skip || withoutRoot,
}, async () => {
  const [server, own] = [present(sshd), present(sites).right];
  const before = (await own.exchange.messages('&direction=in')).length;
  await writeFile(path.join(server.inbox, 'kept.xml'), 'not at all');
  const owner = await stat(server.inbox);
  await chown(server.inbox, 0, 0);
  await own.run();
  own.platform.rest(AT_REST_MS);
  await assert.rejects(own.run(), (error: AggregateError) =>
    /cannot be deleted/.test(String(error.errors[0])),
  );
  own.platform.rest(AT_REST_MS);
  await own.run();
  own.platform.rest(AT_REST_MS);
  assert.equal((await own.run()).inbox.received, 0);
  assert.equal((await own.exchange.messages('&direction=in')).length, before + 1);
  await rm(path.join(server.inbox, 'kept.xml'));
  await chown(server.inbox, owner.uid, owner.gid);
});

test('entries that are no plain files and files over the limit stay on the server and are reported once', {
  skip,
}, async () => {
  const [server, own] = [present(sshd), present(sites).right];
  await mkdir(path.join(server.inbox, 'folder'));
  await symlink('/etc/passwd', path.join(server.inbox, 'link.xml'));
  await writeFile(path.join(server.inbox, 'large.xml'), Buffer.alloc(1024 * 1024 + 1));
  await own.run();
  own.platform.rest(AT_REST_MS);
  const { inbox } = await own.run();
  assert.deepEqual(inbox.unreadable.map(({ file }) => file).toSorted(), ['folder', 'large.xml', 'link.xml']);
  own.platform.rest(AT_REST_MS);
  assert.deepEqual((await own.run()).inbox, { received: 0, unreadable: [] });
  const failed = await own.exchange.messages('&direction=in&state=failed&order=newest_first');
  const errors = new Map(failed.map(({ file_name, error }) => [file_name, error]));
  assert.match(errors.get('folder') ?? '', /is no plain file/);
  assert.match(errors.get('link.xml') ?? '', /is no plain file/);
  assert.match(errors.get('large.xml') ?? '', /1048577 bytes; at most 1048576 are accepted/);
  assert.deepEqual((await readdir(server.inbox)).toSorted(), ['folder', 'large.xml', 'link.xml']);
  for (const name of await readdir(server.inbox))
    await rm(path.join(server.inbox, name), { recursive: true });
});

test('a server with an unknown host key gets neither credentials nor files', { skip }, async () => {
  const own = present(sites).distrustful;
  await own.change(1000);
  const run = await own.run();
  assert.match(run.unreachable ?? '', /its host key SHA256:[\w+/]{43} is not in SFTP_KNOWN_HOSTS/);
  assert.deepEqual(await outgoing(own), [[1, 'stored', run.unreachable]]);
});

test('a wrong key and a wrong password are reported, and the message stays stored', { skip }, async () => {
  for (const [own, reason] of [
    [present(sites).withWrongKey, /it rejected the key of the user \w+/],
    [present(sites).withWrongPassword, /it rejected the password of the user \w+/],
  ] as const) {
    await own.change(1000);
    const run = await own.run();
    assert.match(run.unreachable ?? '', reason);
    assert.doesNotMatch(run.unreachable ?? '', /not-the-password/);
    assert.deepEqual(await outgoing(own), [[1, 'stored', run.unreachable]]);
    assert.deepEqual(
      run.faults.map(({ tso, error, isNews }) => [tso, formatMessage(error, 'en'), isNews]),
      [[TSO, run.unreachable, true]],
    );
    assert.deepEqual(
      (await own.run()).faults.map(({ isNews }) => isNews),
      [false],
      'it is logged once',
    );
    const { body } = await client(
      own.platform.baseUrl,
      await own.world.operatorKey(),
    )(`/operator/v1/exchange/unsent?delivery_date=${DAY}`);
    assert.deepEqual(
      new Set(body.unsent.map(({ error }: { error: string }) => error)),
      new Set([run.unreachable]),
    );
  }
});

test('versions wait while the server is away, and arrive in order when it is back', { skip }, async () => {
  const [server, own] = [present(sshd), present(sites).right];
  await server.kill();
  await own.change(2000);
  assert.match((await own.run()).unreachable ?? '', /the connection (failed|was closed)/);
  own.platform.clock.set('2026-10-20T08:10:00Z');
  await own.change(3000);
  const away = await own.run();
  assert.match(away.unreachable ?? '', /the connection failed \(ECONNREFUSED\)/);
  assert.equal(away.faults.length, 1, 'one fault for the day');
  assert.deepEqual(
    (await outgoing(own)).map(([version, state]) => [version, state]),
    [
      [1, 'confirmed'],
      [2, 'stored'],
      [3, 'stored'],
    ],
  );
  await server.start();
  const back = await own.run();
  assert.deepEqual([back.faults, back.unreachable], [[], null]);
  assert.deepEqual((await outgoing(own)).slice(1), [
    [2, 'delivered', null],
    [3, 'delivered', null],
  ]);
  const { body } = await client(
    own.platform.baseUrl,
    await own.world.operatorKey(),
  )('/operator/v1/exchange/unsent');
  assert.deepEqual(body.unsent, []);
});

test('a server that stops answering is given up after the timeout, and retried on a new connection', {
  skip,
}, async () => {
  const [server, own] = [present(sshd), present(sites).impatient];
  // On a busy machine even a healthy server may need longer than this timeout.
  const isReached = async () => (await own.run()).unreachable === null;
  await until(isReached);
  await own.change(1000);
  await server.signal('SIGSTOP');
  const run = await own.run();
  assert.match(run.unreachable ?? '', /no response within 1 s/);
  await server.signal('SIGCONT');
  await until(isReached);
  assert.deepEqual(await outgoing(own), [[1, 'delivered', null]]);
});

test('a missing folder is reported by name, and does not stop the fetching of answers', {
  skip,
}, async () => {
  const [server, own] = [present(sshd), present(sites).right];
  await rename(server.outbox, `${server.outbox}-aside`);
  own.platform.clock.set('2026-10-20T08:20:00Z');
  await own.change(4000);
  await writeFile(path.join(server.inbox, 'answer.xml'), 'not at all');
  await own.run();
  own.platform.rest(AT_REST_MS);
  const run = await own.run();
  assert.equal(run.unreachable, null);
  assert.match(
    run.faults.map(({ error }) => formatMessage(error, 'en')).join(),
    /outbox\/2026\S+ cannot be written to the SFTP server \(No such file/,
  );
  assert.equal(run.inbox.received, 1);
  await rename(`${server.outbox}-aside`, server.outbox);
  assert.deepEqual((await own.run()).faults, []);
});

test('the job reports an unreachable server once and its return once, and pauses between attempts', {
  skip,
}, async () => {
  const [server, own] = [present(sshd), present(sites).right];
  const { db, clock, exchange } = own.platform;
  const lines: string[] = [];
  const logger = pino(
    { level: 'info', base: null },
    { write: (line) => void lines.push(JSON.parse(line).msg) },
  );
  let now = 0;
  const [job = assert.fail(), ...more] = remoteJobs(db, clock, logger, exchange, () => now);
  assert.equal(more.length, 0);
  await job.run();
  assert.deepEqual(lines, []);
  await server.kill();
  await job.run();
  assert.deepEqual(lines, ['TSO not reachable: messages wait']);
  await server.start();
  now += RETRY_AFTER_MS - 1;
  await job.run();
  assert.equal(lines.length, 1, 'not attempted again yet');
  now += 1;
  await job.run();
  await job.run();
  assert.deepEqual(lines.slice(1), ['TSO reachable again']);
});
