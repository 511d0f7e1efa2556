import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { createBrpClient } from '@saldo/sdk';
import pg from 'pg';
import { appendEvents, type NewEvent } from '../src/events/store.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import {
  type Answer,
  assertProblem,
  type Client,
  client,
  startTestPlatform,
  type TestPlatform,
} from './harness.ts';
import { startReplication, type TestServer } from './replication.ts';
import { until } from './until.ts';

/**
 * Real standbys that pause, lag, stop, freeze and return below processes of the platform. A replica that has paused
 * shows where a read went: it lacks what was written since.
 */

const [primary, ...standbys] = await startReplication(2);
const urlOf = (servers: readonly TestServer[]) =>
  `postgres://saldo@${servers.map(({ address }) => address).join(',')}/postgres`;
const environment = { DATABASE_URL: primary.url, DATABASE_READ_URL: urlOf(standbys) };
/** Two processes use replicas however far behind they are. */
const everLagging = { environment, config: { readLagS: 1_000_000 } };
const platform = await startTestPlatform(everLagging);
const otherProcess = await startTestPlatform(everLagging);
const strict = await startTestPlatform({ environment: { ...environment, READ_LAG_S: '1' } });
const withoutReplicas = await startTestPlatform({ environment: { DATABASE_URL: primary.url } });
const { world } = platform;
const { seller: brp, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const operator = client(platform.baseUrl, await world.operatorKey());
const path = `/v1/customers/${producer.id}`;

const POSITION = 'x-saldo-position';
const newKey = async () => (await world.key(brp)).secret;
/** A process without replicas. */
const onPrimary = client(withoutReplicas.baseUrl, await newKey());
/** A caller without a position: whether a read goes to a replica depends on the replica only. */
const reader = client(platform.baseUrl, await newKey());

let written = 0;
/** Changes the customer by a key, and returns the new value and the position in the answer. */
async function change(writer: Client): Promise<{ value: string; position: string }> {
  const value = String(++written);
  const answer = await writer.patch(path, { metadata: { value } });
  assert.equal(answer.status, 200, answer.text);
  const position = answer.headers.get(POSITION);
  assert.ok(position);
  return { value, position };
}
async function valueFor(request: Client, headers: Record<string, string> = {}): Promise<string> {
  const answer = await request(path, { headers });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.metadata.value ?? '';
}

type ReplicaGauge = 'saldo_replica_in_use' | 'saldo_replica_lag_seconds';
async function gaugesOf({ adminUrl }: TestPlatform, name: ReplicaGauge): Promise<number[]> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return standbys.map(({ address }) =>
    Number(text.split(`${name}{replica="${address}"} `)[1]?.split('\n')[0]),
  );
}
const inUse = (of: TestPlatform) => gaugesOf(of, 'saldo_replica_in_use');
const untilInUse = (of: TestPlatform, ...expected: number[]) =>
  until(async () => String(await inUse(of)) === String(expected));

const onStandbys = async (statement: string) => {
  for (const standby of standbys) await standby.run(statement);
};
/** All standbys keep their state while `work` runs. */
async function whilePaused(work: () => Promise<void>): Promise<void> {
  await untilReplayed();
  await onStandbys('select pg_wal_replay_pause()');
  for (const standby of standbys) {
    const isPaused = "select pg_get_wal_replay_pause_state() = 'paused' as is";
    await until(async () => (await standby.run<{ is: boolean }>(isPaused))[0]?.is);
  }
  try {
    await work();
  } finally {
    await onStandbys('select pg_wal_replay_resume()');
  }
  await untilReplayed();
}
async function untilReplayed(): Promise<void> {
  const [row] = await primary.run<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn');
  for (const standby of standbys) {
    const has = `select pg_last_wal_replay_lsn() >= '${row?.lsn}' as has`;
    await until(async () => (await standby.run<{ has: boolean }>(has))[0]?.has);
  }
}

for (const process of [platform, otherProcess, strict]) await untilInUse(process, 1, 1);

/** Reads of every kind. Each returns the number of records that it found on a delivery day. */
const COUNTS: Record<
  string,
  (request: Client, day: string, headers: Record<string, string>) => Promise<number>
> = {
  list: async (request, day, headers) =>
    (await request(`/v1/transactions?delivery_date=${day}&limit=100`, { headers })).body.transactions.length,
  'bulk by POST': async (request, day, headers) => {
    const body = { ids: await idsOn(day) };
    return (await request.post('/v1/transactions/bulk', body, { headers })).body.transactions.length;
  },
  'bulk by GET': async (request, day, headers) =>
    (await request(`/v1/transactions/bulk?ids=${(await idsOn(day)).join(',')}`, { headers })).body
      .transactions.length,
  single: async (request, day, headers) => {
    const [id] = await idsOn(day);
    return (await request(`/v1/transactions/${id}`, { headers })).status === 200 ? 96 : 0;
  },
};
async function idsOn(day: string): Promise<string[]> {
  const query = `delivery_date=${day}&limit=100`;
  const answer = await onPrimary(`/v1/transactions?${query}`);
  return answer.body.transactions.map(({ id }: { id: string }) => id);
}

test('reads of every kind go to a replica, except for those that have to include a write of their caller', async () => {
  const day = '2026-11-10';
  await whilePaused(async () => {
    await world.volumes(contract, day, 100);
    const writer = client(platform.baseUrl, await newKey());
    const { position } = await change(writer);
    for (const [kind, count] of Object.entries(COUNTS)) {
      const elsewhere = client(otherProcess.baseUrl, await newKey());
      assert.equal(await count(reader, day, {}), 0, `${kind}: another caller`);
      assert.equal(await count(writer, day, {}), 96, `${kind}: the writer`);
      assert.equal(await count(elsewhere, day, {}), 0, `${kind}: another process`);
      assert.equal(await count(elsewhere, day, { [POSITION]: position }), 96, `${kind}: with the position`);
    }
  });
  for (const [kind, count] of Object.entries(COUNTS)) assert.equal(await count(reader, day, {}), 96, kind);
});

test('an export has everything up to its instant, also while replicas lack some of it', async () => {
  const days = Array.from({ length: 25 }, (_, at) => addDays('2026-12-01', at));
  const query = `/v1/exports/transactions?delivery_start=2026-12-01T00:00:00Z&delivery_end=2026-12-26T00:00:00Z`;
  for (const day of days) await world.volumes(contract, day, 1);
  const exportFor = async (request: Client, encoding = 'identity') =>
    (await request(query, { headers: { 'accept-encoding': encoding } })).text;
  await untilReplayed();
  const before = await exportFor(onPrimary);
  assert.ok(before.split('\n').length > 20 * 96, 'more than a batch');
  await whilePaused(async () => {
    for (const day of days) await world.volumes(contract, day, 2);
    // Not compared by `equal`, which would print both files.
    const now = await exportFor(onPrimary);
    assert.ok(now !== before);
    for (const encoding of ['identity', 'gzip'])
      assert.ok((await exportFor(reader, encoding)) === now, encoding);
  });
});

test('a caller whose change conflicts with a newer state sees that state', async () => {
  const writer = client(platform.baseUrl, await newKey());
  await change(writer);
  await whilePaused(async () => {
    const late = client(platform.baseUrl, await newKey());
    const tag = (await late(path)).headers.get('etag');
    assert.ok(tag);
    const { value } = await change(writer);
    assert.equal((await late(path)).headers.get('etag'), tag, 'a replica answers');
    const body = { metadata: { value: 'lost update' } };
    const refused = await late.patch(path, body, { headers: { 'if-match': tag } });
    assertProblem(refused, 412, 'precondition_failed');
    assert.equal(await valueFor(late), value);
  });
});

/** The answer of a request whose statement waits on one of the servers until it is cancelled. */
async function cancelled(
  answer: Promise<Answer>,
  servers: readonly TestServer[],
  waits: string,
): Promise<Answer> {
  let isAnswered = false;
  void answer.finally(() => {
    isAnswered = true;
  });
  await until(async () => {
    for (const server of servers)
      await server.run(`select pg_cancel_backend(pid) from pg_stat_activity where ${waits}`);
    return isAnswered;
  });
  return answer;
}

test('a caller whose change was not confirmed sees whether it exists', async () => {
  const writer = client(platform.baseUrl, await newKey());
  await whilePaused(async () => {
    await primary.run("alter system set synchronous_standby_names = 'absent'", 'select pg_reload_conf()');
    const value = String(++written);
    try {
      const answer = writer.patch(path, { metadata: { value } });
      assertProblem(await cancelled(answer, [primary], "wait_event = 'SyncRep'"), 503, 'unavailable');
    } finally {
      await primary.run('alter system reset synchronous_standby_names', 'select pg_reload_conf()');
    }
    assert.notEqual(await valueFor(reader), value, 'a replica answers');
    assert.equal(await valueFor(writer), value);
  });
});

test('a caller whose read took too long on a replica still reads from replicas', async () => {
  const day = '2026-11-11';
  const caller = client(platform.baseUrl, await newKey());
  const locking = new pg.Client({ connectionString: primary.url });
  await locking.connect();
  await locking.query('begin; lock table customer in access exclusive mode');
  for (const standby of standbys) {
    const locked =
      "select from pg_locks where relation = 'customer'::regclass and mode = 'AccessExclusiveLock'";
    await until(async () => (await standby.run(locked)).length > 0);
  }
  // A paused standby keeps the lock when the primary has released it.
  await whilePaused(async () => {
    await locking.end();
    await world.volumes(contract, day, 100);
    const answer = await cancelled(caller(path), standbys, "wait_event_type = 'Lock'");
    assertProblem(answer, 503, 'unavailable');
    assert.equal(await COUNTS['list']?.(onPrimary, day, {}), 96);
    assert.equal(await COUNTS['list']?.(caller, day, {}), 0);
  });
});

test('a caller that has read from the primary does not go back to an older state', async () => {
  await whilePaused(async () => {
    const { position } = await change(client(platform.baseUrl, await newKey()));
    const { value } = await change(client(platform.baseUrl, await newKey()));
    const follower = client(platform.baseUrl, await newKey());
    assert.notEqual(await valueFor(follower), value, 'a replica answers');
    assert.equal(await valueFor(follower, { [POSITION]: position }), value);
    assert.equal(await valueFor(follower), value);
  });
});

test('the feed has no lag, and a reader of the feed finds the records of its events', async () => {
  const latest = (await reader('/v1/events?after=latest')).body.pagination.next_cursor;
  await whilePaused(async () => {
    const { value } = await change(client(platform.baseUrl, await newKey()));
    const follower = client(platform.baseUrl, await newKey());
    assert.notEqual(await valueFor(follower), value, 'a replica answers');
    const page = await follower(`/v1/events?after=${latest}`);
    assert.deepEqual(
      page.body.events.map(({ type }: { type: string }) => type),
      ['customer.updated'],
    );
    assert.equal(await valueFor(follower), value);
    const position = page.headers.get(POSITION);
    assert.ok(position);
    const elsewhere = client(otherProcess.baseUrl, await newKey());
    assert.equal(await valueFor(elsewhere, { [POSITION]: position }), value);
  });
});

const account = client(platform.customerUrl, await world.accountKey());
/** An event of each API's feed, and where it is read. */
const FEEDS: Record<string, { event: NewEvent; read: (query: string) => ReturnType<Client> }> = {
  BRP: {
    event: {
      type: 'contract.created',
      tenants: [`brp/${brp.no}`],
      data: { object: 'contract', id: contract.id },
    },
    read: (query) => reader(`/v1/events?${query}`),
  },
  operator: {
    event: {
      type: 'exchange.alarm',
      tenants: ['operator'],
      data: {
        ...({ object: 'alarm', id: 'alm_x', kind: 'unreadable', severity: 'warning' } as const),
        ...{ tso: null, delivery_date: null, contract_id: null },
      },
    },
    read: (query) => operator(`/operator/v1/events?${query}`),
  },
  customer: {
    event: { type: 'asset.published', tenants: ['accounts'], data: { object: 'asset', id: 'ast_x' } },
    read: (query) => account(`/v1/events?${query}`),
  },
};

for (const [api, { event, read }] of Object.entries(FEEDS)) {
  test(`the ${api} feed loses no event, whether the replicas have it or not`, async () => {
    const { next_cursor: latest } = (await read('after=latest')).body.pagination;
    const append = () => platform.db.transaction((tx) => appendEvents(tx, [event], platform.clock.now()));
    const typesAfter = async (place: string) =>
      (await read(`after=${place}`)).body.events.map(({ type }: { type: string }) => type);
    for (let count = 0; count < 3; count++) await append();
    await untilReplayed();
    assert.deepEqual(await typesAfter(latest), Array(3).fill(event.type));
    await whilePaused(async () => {
      await append();
      assert.deepEqual(await typesAfter(latest), Array(4).fill(event.type));
      const [{ id }] = (await read('order=newest_first&limit=1')).body.events;
      assert.equal((await read(`after=${id}`)).body.events.length, 0);
    });
  });
}

test('a webhook is not sent before the replicas have its event', async (t) => {
  const own = openDatabase(primary.url, {
    replicas: { urls: standbys.map(({ url }) => url), maxLagMs: 1e9 },
  });
  t.after(() => own.close());
  await until(() => own.replication?.states().every(({ isInUse }) => isInUse));
  let isResumed = false;
  let waiting: Promise<boolean> | undefined;
  await whilePaused(async () => {
    await change(client(platform.baseUrl, await newKey()));
    waiting = own.replication?.untilReplicated().then(() => isResumed);
    // Time in which a wait that ends too early would end.
    for (let count = 0; count < 10; count++) await valueFor(reader);
    isResumed = true;
  });
  assert.equal(await waiting, true);
});

test('a key is revoked in time, and a new one works at once, whatever the replicas know', async () => {
  const { id, secret } = await world.key(brp);
  const request = client(otherProcess.baseUrl, secret);
  assert.equal((await request(path)).status, 200);
  await whilePaused(async () => {
    const revoked = await operator.delete(`/operator/v1/api-keys/${encodeId(ID_PREFIX.key, id)}`);
    assert.equal(revoked.status, 204, revoked.text);
    await until(async () => (await request(path)).status === 401);
    assert.equal((await client(otherProcess.baseUrl, await newKey())(path)).status, 200);
  });
});

test('a key that is revoked while its request waits for an event gets none, whatever the replicas know', async () => {
  const { id, secret } = await world.key(brp);
  const request = client(otherProcess.baseUrl, secret);
  const latest = (await request('/v1/events?after=latest')).body.pagination.next_cursor;
  await whilePaused(async () => {
    const waiting = request(`/v1/events?after=${latest}&wait=30`);
    const waitingReaders = async () => (await fetch(`${otherProcess.adminUrl}/metrics`)).text();
    await until(async () => /^saldo_event_readers_waiting 1$/m.test(await waitingReaders()));
    await operator.delete(`/operator/v1/api-keys/${encodeId(ID_PREFIX.key, id)}`);
    // Then the process has forgotten the key, and looks it up again when the event arrives.
    await until(async () => (await request(path)).status === 401);
    await change(client(platform.baseUrl, await newKey()));
    assertProblem(await waiting, 401, 'invalid_api_key');
  });
});

test('a position that the platform has not signed has no effect', async () => {
  await whilePaused(async () => {
    const { value, position } = await change(client(platform.baseUrl, await newKey()));
    const [number = '', seal = ''] = position.split('.');
    const forged = [
      `${number}0.${seal}`,
      `f${number}.${seal}`,
      `${number}.${'A'.repeat(22)}`,
      '',
      '.',
      'x',
      number,
    ];
    for (const text of forged) assert.notEqual(await valueFor(reader, { [POSITION]: text }), value, text);
    assert.equal(await valueFor(reader, { [POSITION]: position }), value);
  });
});

test('clients of the SDK see their writes in every process', async () => {
  await whilePaused(async () => {
    const apiKey = await newKey();
    let baseUrl = platform.baseUrl;
    // A load balancer that changes the process between two requests.
    const balanced: typeof fetch = (input, init) =>
      fetch(String(input).replace(platform.baseUrl, baseUrl), init);
    const brpClient = createBrpClient({ baseUrl, apiKey, fetch: balanced });
    const value = String(++written);
    await brpClient.customers.update(producer.id, { metadata: { value } });
    baseUrl = otherProcess.baseUrl;
    assert.equal((await brpClient.customers.get(producer.id)).metadata['value'], value);
    const other = createBrpClient({ baseUrl, apiKey: await newKey() });
    assert.notEqual((await other.customers.get(producer.id)).metadata['value'], value, 'a replica answers');
  });
});

test('a replica that lags is left out and comes back', async () => {
  const [lagging] = standbys;
  assert.ok(lagging);
  const setDelay = async (delay: string) => {
    await lagging.run(`alter system set recovery_min_apply_delay = '${delay}'`, 'select pg_reload_conf()');
  };
  await setDelay('1h');
  const writer = client(strict.baseUrl, await newKey());
  const readers = await Promise.all(
    Array.from({ length: 8 }, async () => client(strict.baseUrl, await newKey())),
  );
  const { value } = await change(writer);
  await untilInUse(strict, 0, 1);
  const [lagS = 0] = await gaugesOf(strict, 'saldo_replica_lag_seconds');
  assert.ok(lagS > 1, String(lagS));
  assert.match(
    await (await fetch(`${strict.adminUrl}/readyz`)).text(),
    new RegExp(`^ready\nreplica ${lagging.address}: left out, \\d+\\.\\d s behind\n`),
  );
  // The other replica has the change at the latest when a second replica is left out for lacking it.
  for (const request of readers) await until(async () => (await valueFor(request)) === value);
  await setDelay('0');
  await untilInUse(strict, 1, 1);
  for (const request of readers) assert.equal(await valueFor(request), value);
});

/** Reads without a pause while `work` runs. Every answer must be a current one. */
async function whileReading(work: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const answers: number[] = [];
  const run = async (request: Client) => {
    while (!over.signal.aborted) {
      const { value } = await change(request);
      assert.equal(await valueFor(request), value, 'a caller sees its write');
      answers.push((await reader('/v1/transactions?limit=5')).status);
      answers.push((await reader('/v1/customers')).status);
    }
  };
  const running = run(client(platform.baseUrl, await newKey()));
  await work().finally(() => over.abort());
  await running;
  assert.ok(answers.length > 0);
  assert.deepEqual(
    answers.filter((status) => status !== 200),
    [],
  );
}

test('no read fails while a replica stops, and it is used again after its start', async () => {
  const [stopped] = standbys;
  assert.ok(stopped);
  await whileReading(async () => {
    await stopped.stop();
    await untilInUse(platform, 0, 1);
    await stopped.start();
    await untilInUse(platform, 1, 1);
    await stopped.kill();
    await untilInUse(platform, 0, 1);
    await stopped.start();
    await untilInUse(platform, 1, 1);
  });
});

test('no read fails while all replicas are frozen', async () => {
  await whileReading(async () => {
    const resumes = await Promise.all(standbys.map((standby) => standby.freeze()));
    try {
      await untilInUse(platform, 0, 0);
    } finally {
      for (const resume of resumes) resume();
    }
    await untilInUse(platform, 1, 1);
  });
});

test('a server that is promoted on its own is left out', async () => {
  const [, promoted] = standbys;
  assert.ok(promoted);
  await promoted.promote();
  await untilInUse(platform, 1, 0);
  await untilInUse(strict, 1, 0);
  const writer = client(platform.baseUrl, await newKey());
  const { value } = await change(writer);
  assert.equal(await valueFor(writer), value);
});
