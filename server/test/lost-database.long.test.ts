import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@saldo/postgres/embedded.ts';
import pg from 'pg';
import { DATABASE_LIMITS } from '../src/platform/db/connection.ts';
import { SALDO } from '../src/platform/db/embedded.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDemoFolder } from './demo-folder.ts';
import { type Product, startProduct } from './product.ts';
import { until } from './until.ts';

/**
 * The product on a Postgres that is killed, restarted, disconnected and suspended during requests. The process must
 * survive, answer 503 with Retry-After meanwhile, and 200 afterwards.
 */
const folder = await temporaryFolder();
const outside = path.join(folder, 'outside');
await createDemoFolder(outside);
const postgres = await startEmbeddedPostgres({ application: SALDO, dataDir: outside, say: () => {} });
atEnd(() => postgres.stop());

const start = async (environment: Record<string, string> & { DATA_DIR: string }) => {
  const product = await startProduct({ RATE_LIMIT: '1000000', DEMO: 'on', ...environment });
  atEnd(() => product.end('SIGTERM'));
  return product;
};

// The product finds the keys of the demo in its data folder.
const givenDir = path.join(folder, 'given');
await mkdir(givenDir);
await copyFile(path.join(outside, 'demo.json'), path.join(givenDir, 'demo.json'));
const given = await start({ DATA_DIR: givenDir, DATABASE_URL: postgres.url });
const embeddedDir = path.join(folder, 'embedded');
await createDemoFolder(embeddedDir);
const embedded = await start({ DATA_DIR: embeddedDir });

type Setup = { name: string; product: Product; dataDir: string };
const SETUPS: Setup[] = [
  { name: 'DATABASE_URL', product: given, dataDir: outside },
  { name: 'embedded', product: embedded, dataDir: embeddedDir },
];

const postmasterOf = async ({ dataDir }: Setup): Promise<number> =>
  Number(
    (await readFile(path.join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n', 1)[0],
  );

/**
 * Stops the postmaster and its children, as when the machine below them stands still. Returns how to resume them. The
 * postmaster stops first and resumes last, because it would start and reap children between the list and the signals.
 */
async function freeze(setup: Setup): Promise<() => void> {
  const postmaster = await postmasterOf(setup);
  process.kill(postmaster, 'SIGSTOP');
  await until(async () => /^State:\s+T/m.test(await readFile(`/proc/${postmaster}/status`, 'utf8')));
  const listed = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  const children = listed.trim().split(' ').filter(Boolean).map(Number);
  for (const pid of children) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of [...children, postmaster]) process.kill(pid, 'SIGCONT');
  };
}

/** Between two requests of the load, which otherwise would take a core while the database is away. */
const PAUSE_MS = 10;

type Request = () => Promise<Outcome>;
type Outcome = { status: number; retryAfter: string | null };

async function outcomeOf(request: Promise<Response>): Promise<Outcome> {
  const response = await request;
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

async function requestsOf({ product }: Setup) {
  const [brp] = (await product.demo()).brps;
  assert.ok(brp);
  const headers = { 'x-api-key': brp.api_key, 'content-type': 'application/json' };
  const get = (url: string) => outcomeOf(fetch(product.baseUrl + url, { headers }));
  const { customers } = (await (
    await fetch(`${product.baseUrl}/v1/customers?limit=1`, { headers })
  ).json()) as {
    customers: { id: string }[];
  };
  let count = 0;
  const patch = () =>
    outcomeOf(
      fetch(`${product.baseUrl}/v1/customers/${customers[0]?.id}`, {
        method: 'PATCH',
        headers,
        body: JSON.stringify({ metadata: { count: String(++count) } }),
      }),
    );
  // A hot statement, one of the pool, and a transaction.
  return [() => get('/v1/transactions?limit=10'), () => get('/v1/customers'), patch];
}

/** Sends requests of every kind until stopped. Returns their results. */
function load(requests: Request[]) {
  const outcomes: Outcome[] = [];
  const over = new AbortController();
  const run = async (request: Request) => {
    while (!over.signal.aborted) {
      outcomes.push(await request());
      await delay(PAUSE_MS);
    }
  };
  const runs = Promise.all(requests.flatMap((request) => [run(request), run(request)]));
  return {
    outcomes,
    async stop() {
      over.abort();
      await runs;
      return outcomes;
    },
  };
}

/** The connections of the product with DATABASE_URL. */
async function onOutside(text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  return client.query(text).finally(() => client.end());
}
const ITS_CONNECTIONS = "from pg_stat_activity where application_name = 'saldo'";

type Fault = { name: string; of: Setup; cause: () => Promise<unknown>; mayMiss?: boolean };
const signal = async (setup: Setup, name: NodeJS.Signals) => process.kill(await postmasterOf(setup), name);
const FAULTS: Fault[] = [
  ...SETUPS.flatMap((of) => [
    { name: 'kill -9 of the postmaster', of, cause: () => signal(of, 'SIGKILL') },
    { name: 'a restart in fast mode', of, cause: () => signal(of, 'SIGINT') },
  ]),
  {
    name: 'kill -9 of one backend, for which Postgres ends all others',
    of: SETUPS[0]!,
    cause: async () => {
      const { rows } = await onOutside(`select pid ${ITS_CONNECTIONS} limit 1`);
      process.kill(rows[0]?.pid, 'SIGKILL');
    },
  },
  {
    name: 'pg_terminate_backend of every connection',
    of: SETUPS[0]!,
    cause: () => onOutside(`select pg_terminate_backend(pid) ${ITS_CONNECTIONS}`),
    mayMiss: true,
  },
];

async function untilBack(requests: Request[]): Promise<void> {
  for (const request of requests) await until(async () => (await request()).status === 200);
}

const isExpected = ({ status, retryAfter }: Outcome) =>
  status === 200 || (status === 503 && retryAfter === '2');

for (const { name, of, cause, mayMiss = false } of FAULTS) {
  test(`${of.name}: the server survives ${name}`, async () => {
    const requests = await requestsOf(of);
    const running = load(requests);
    await until(() => running.outcomes.length >= 20);
    await cause();
    let causedAt = running.outcomes.length;
    await until(async () => {
      if (running.outcomes.some(({ status }) => status === 503)) return true;
      // Reads are repeated on another connection, so a fault that hits no write is not visible and is caused again.
      if (mayMiss && running.outcomes.length > causedAt + 100) {
        await cause();
        causedAt = running.outcomes.length;
      }
      return false;
    });
    await untilBack(requests);
    assert.deepEqual(
      (await running.stop()).filter((outcome) => !isExpected(outcome)),
      [],
    );
    // Once more without requests: idle connections break.
    await cause();
    await untilBack(requests);
    assert.equal(of.product.child.exitCode, null, of.product.log());
  });
}

for (const setup of SETUPS) {
  test(`${setup.name}: while Postgres is suspended, requests and /readyz get 503 within the time limit`, async () => {
    const requests = await requestsOf(setup);
    const resume = await freeze(setup);
    try {
      const ready = async () => (await fetch(`${setup.product.adminUrl}/readyz`)).status;
      const outcomes = await Promise.all([
        ready(),
        ...requests.map(async (request) => (await request()).status),
      ]);
      assert.deepEqual(outcomes, [503, 503, 503, 503]);
      assert.equal(await ready(), 503);
      const { status } = await fetch(`${setup.product.baseUrl}/docs/guides/time`);
      assert.equal(status, 200, 'the documentation needs no database');
    } finally {
      resume();
    }
    await untilBack(requests);
    await setup.product.untilReady();
    assert.equal(setup.product.child.exitCode, null, setup.product.log());
  });
}

test('a write in progress when Postgres is suspended is answered after the first late call', async (t) => {
  const [setup] = SETUPS as [Setup, ...Setup[]];
  const [page, , patch] = (await requestsOf(setup)) as [Request, Request, Request];
  const holder = new pg.Client({ connectionString: postgres.url });
  holder.on('error', () => {});
  await holder.connect();
  t.after(() => holder.end());
  await holder.query('begin; lock table customer in exclusive mode');
  const waiting = `select pid ${ITS_CONNECTIONS} and wait_event_type = 'Lock'`;
  const send = () => {
    const write = { answer: patch(), isAnswered: false };
    void write.answer.then(() => {
      write.isAnswered = true;
    });
    return write;
  };
  let write = send();
  await until(async () => {
    // After the previous test a write may still get a broken connection.
    if (write.isAnswered) write = send();
    return (await onOutside(waiting)).rows.length > 0;
  });
  const resume = await freeze(setup);
  try {
    const late = new Promise((resolve) => setTimeout(resolve, DATABASE_LIMITS.writeMs / 2, 'late').unref());
    assert.equal((await page()).status, 503);
    assert.deepEqual(await Promise.race([write.answer, late]), { status: 503, retryAfter: '2' });
  } finally {
    resume();
  }
});

test('the loss and the return of the database are logged once each, not once per request', async () => {
  for (const { product } of SETUPS) {
    assert.equal(await product.end('SIGTERM'), 0);
    const lines = product.log().split('\n');
    const lost = lines.filter((line) => line.includes('database lost')).length;
    const back = lines.filter((line) => line.includes('database is back')).length;
    assert.ok(lost > 0 && lost < 100, `${lost} lines for ${FAULTS.length} faults`);
    assert.equal(back, lost);
    assert.ok(!lines.some((line) => line.includes('request failed')), product.log());
  }
});
