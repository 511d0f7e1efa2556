/** `npm run soak`: everything at once for an hour, at a part of the capacity. Nothing may grow that has to stay. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import pg from 'pg';
import { Journal } from '../server/faults/journal.ts';
import { Workload } from '../server/faults/workload.ts';
import { createWorld as createExchangeWorld } from '../server/faults/world.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { createUser } from '../server/src/users/actions.ts';
import { hashPassword } from '../server/src/users/passwords.ts';
import { setPassword } from '../server/src/users/sessions.ts';
import { openBrowser } from '../server/test/browser.ts';
import { currentMegabytes, openHandles } from './cpu.ts';
import { followChanges } from './event-lag.ts';
import { GOALS } from './goals.ts';
import { FORMATS, importing } from './imports.ts';
import { count } from './measure.ts';
import { linesPicture } from './picture.ts';
import { quantilesOf } from './quantiles.ts';
import type { BenchServer, Generator } from './servers.ts';
import { FOLDER, IMAGES, log, machineText, savePart, savePicture, withPostgres } from './setup.ts';
import { askedBy, contractPages } from './targets.ts';
import { type BenchWorld, createWorld, loadVolumes } from './world.ts';

const OPERATOR_KEY = 'operator-key-of-the-soak';
const SIZE = { contracts: 1000, days: 10 };
/** Bounded rates, so that the machine has time left. */
const EVERY_MS = { sample: 5_000, import: 20_000, change: 250, export: 5_000, session: 10_000 };
const PAGES_PER_SECOND = 50;
const FIRST_IMPORTED_DAY = '2027-01-01';
/** Shorter runs have too little after the warm-up to judge a trend. README.md shows no such run. */
const LEAST_MINUTES = 60;

/** Of the server, of the database, and of the events since the last sample. */
const MEMBERS = ['megabytes', 'handles', 'connections', 'diskMegabytes', 'lagMs'] as const;
/** Null without an event since the last sample. */
type Sample = { readonly minute: number; readonly lagMs: number | null } & Readonly<
  Record<Exclude<(typeof MEMBERS)[number], 'lagMs'>, number>
>;
const TITLES: Readonly<Record<(typeof MEMBERS)[number], string>> = {
  megabytes: 'memory of the server, MB',
  handles: 'open files and sockets of the server',
  connections: 'connections of Postgres',
  diskMegabytes: 'size of the database, MB (imports add to it)',
  lagMs: 'from a commit to its event, p99 in ms',
};

type Load = { readonly server: BenchServer; readonly world: BenchWorld; readonly generator: Generator };

/** Repeats every kind of work until `isOver`. Each is a client of its own and waits for its answers. */
async function keepBusy({ server, world, generator }: Load, isOver: () => boolean): Promise<void> {
  const every = async (ms: number, work: () => Promise<unknown>) => {
    for (let dueAt = performance.now(); !isOver(); dueAt += ms) {
      await work();
      while (!isOver() && performance.now() < dueAt + ms) await delay(100);
    }
  };
  const market = importing(server, OPERATOR_KEY, SIZE.contracts, FIRST_IMPORTED_DAY, FORMATS.days);
  const targets = contractPages(world);
  const reading = { port: server.port, targets, connections: 4, perSecond: PAGES_PER_SECOND };
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const brp = world.brps[0]!;
  await createUserOf(world.url, brp.no);
  await Promise.all([
    every(EVERY_MS.import, async () => {
      await market.prepare?.();
      await market.round();
    }),
    every(0, () => generator.load({ ...reading, milliseconds: 1000 })),
    every(EVERY_MS.export, async () => {
      const from = formatInstant(dayStart(world.days[0]!));
      const to = formatInstant(dayStart(world.days[1]!));
      const exported = `${baseUrl}/v1/exports/transactions?format=ndjson&delivery_start=${from}&delivery_end=${to}`;
      const answer = await fetch(exported, { headers: askedBy(brp) });
      if (!answer.ok) throw new Error(`an export was answered with ${answer.status}`);
      for await (const _ of answer.body!);
    }),
    every(EVERY_MS.session, async () => {
      const browser = openBrowser({ baseUrl });
      const signedIn = await browser.signIn(USER.email, USER.password);
      if (signedIn.status !== 200) throw new Error(`a sign-in was answered with ${signedIn.text}`);
      for (const read of ['session', 'api-keys']) await browser.request(`/portal/v1/${read}`);
      await browser.request.delete('/portal/v1/session');
    }),
  ]);
}

const USER = { email: 'user@soak.example', password: 'the password of the soak' };

async function createUserOf(url: string, brpNo: number): Promise<void> {
  const db = openDatabase(url);
  const owner = { type: 'brp', brpNo } as const;
  const hash = await hashPassword(USER.password);
  await db.transaction(async (tx) => {
    const user = { email: USER.email, name: 'Soak', owner, permissions: 'admin' } as const;
    const { id } = await createUser(tx, user, Date.now());
    await setPassword(tx, id, hash);
  });
  await db.close();
}

/** An endpoint of the BRP whose customers change. Returns how to close its receiver. */
async function receiveWebhooks({ port }: BenchServer, key: string): Promise<() => number> {
  let received = 0;
  const receiver = createServer((request, response) => {
    received++;
    request.resume().on('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const answer = await fetch(`http://127.0.0.1:${port}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` }),
  });
  if (!answer.ok) throw new Error(`the endpoint was answered with ${answer.status}`);
  return () => {
    receiver.close();
    receiver.closeAllConnections();
    return received;
  };
}

const OF_DATABASE = `select (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
  pg_database_size(current_database()) / 1048576.0 as megabytes`;

async function soak(minutes: number): Promise<[Sample[], string]> {
  return withPostgres(async ({ databases, processes, version }) => {
    const url = await databases.create('soak');
    const world = await createWorld(url, SIZE);
    await loadVolumes(world);
    const settings = { SALDO_OPERATOR_KEY: OPERATOR_KEY, WEBHOOK_ALLOW_PRIVATE: 'on' };
    const server = await processes.product('soak', url, settings);
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const folders = ['outbox', 'inbox'].map((name) => path.join(processes.dataDir('soak'), name));
    const target = { baseUrl, databaseUrl: url, outboxDir: folders[0]!, inboxDir: folders[1]! };
    const journal = new Journal(path.join(FOLDER, 'journal.ndjson'));
    const exchangeWorld = await createExchangeWorld(baseUrl, OPERATOR_KEY);
    const writing = new Workload(target, exchangeWorld, journal, 1, log).start();
    const reader = world.brps.at(-1)!;
    const closeReceiver = await receiveWebhooks(server, reader.key);
    const feed = followChanges(server, reader, EVERY_MS.change);
    const client = new pg.Client({ connectionString: url });
    await client.connect();

    const startedAt = performance.now();
    const minute = () => (performance.now() - startedAt) / 60_000;
    let failure: Error | null = null;
    const isOver = () => failure !== null || minute() >= minutes;
    const fail = (error: Error) => {
      failure ??= error;
    };
    const busy = keepBusy({ server, world, generator: processes.generator() }, isOver).catch(fail);
    for (const { ended } of [writing, feed]) ended.catch(fail);
    const samples: Sample[] = [];
    while (!isOver()) {
      await delay(EVERY_MS.sample);
      // A server that has ended has no memory to read: that error would hide the failure.
      if (failure !== null) break;
      const [found] = (await client.query<{ connections: number; megabytes: string }>(OF_DATABASE)).rows;
      const lags = feed.takeLags();
      samples.push({
        minute: minute(),
        megabytes: currentMegabytes(server.pid),
        handles: openHandles(server.pid),
        connections: found!.connections,
        diskMegabytes: Number(found!.megabytes),
        lagMs: lags.length === 0 ? null : quantilesOf(lags)(0.99),
      });
      if (Math.floor(samples.at(-1)!.minute) > Math.floor(samples.at(-2)?.minute ?? 0))
        logSample(samples.at(-1)!);
    }
    await busy;
    await client.end();
    // Their failures are in `failure`, after the one that may have caused them.
    await Promise.allSettled([writing.stop(), feed.stop()]);
    log(`${count(closeReceiver())} webhooks arrived.`);
    await processes.end(server);
    if (failure !== null) throw failure;
    return [samples, version];
  });
}

const logSample = (sample: Sample) =>
  log(MEMBERS.map((member) => `${TITLES[member]}: ${sample[member]?.toFixed(0) ?? 'none'}`).join('; '));

/** The rise of the line that fits best, from its first to its last sample. */
function trendOf(samples: readonly Sample[], member: 'megabytes' | 'handles'): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(samples.map(({ minute }) => minute)), mean(samples.map((sample) => sample[member]))];
  const covariance = mean(samples.map((sample) => (sample.minute - x) * (sample[member] - y)));
  const variance = mean(samples.map(({ minute }) => (minute - x) ** 2));
  return (covariance / variance) * (samples.at(-1)!.minute - samples[0]!.minute);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error('--minutes must be more than 0.');
  const [samples, version] = await soak(minutes);
  const secondHalf = samples.slice(Math.floor(samples.length / 2));
  const trends = [
    { what: 'MB of memory', trend: trendOf(secondHalf, 'megabytes'), goal: GOALS.soakMegabytes },
    { what: 'open handles', trend: trendOf(secondHalf, 'handles'), goal: GOALS.soakHandles },
  ];
  const texts = trends.map(({ what, trend, goal }) => `${trend.toFixed(1)} ${what} (at most ${goal.atMost})`);
  const most = Math.max(...samples.map(({ megabytes }) => megabytes));
  const summary =
    `The server had at most ${count(most)} MB of memory (goal: ${GOALS.memoryMegabytes.atMost} MB). ` +
    `In the second half of ${minutes} minutes the trend was ${texts.join(' and ')}.`;
  log(summary);
  const panels = MEMBERS.map((member) => ({
    title: TITLES[member],
    points: samples.flatMap((sample) => {
      const value = sample[member];
      return value === null ? [] : [{ x: sample.minute, y: { middle: value, low: value, high: value } }];
    }),
    text: count,
  }));
  const svg = linesPicture(`A soak of ${minutes} minutes`, panels, { xText: (x) => `minute ${count(x)}` });
  await savePicture(FOLDER, 'soak.svg', svg);
  if (minutes >= LEAST_MINUTES) {
    await savePicture(IMAGES, 'soak.svg', svg);
    const picture = `![Memory, handles, connections, disk and event lag of a soak](images/soak.svg)`;
    await savePart('soak', `${machineText('soak', version)} ${summary}\n\n${picture}`);
  }
  const isGrown = trends.some(({ trend, goal }) => trend > goal.atMost);
  if (isGrown || most > GOALS.memoryMegabytes.atMost) process.exitCode = 1;
}

await main();
