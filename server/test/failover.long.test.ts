import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable } from '../src/platform/db/connection.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { client, startTestPlatform } from './harness.ts';
import { type Product, startProduct } from './product.ts';
import { startReplication, type TestServer } from './replication.ts';
import { until } from './until.ts';
import { createWorld } from './world.ts';

/**
 * A primary with a synchronous standby, which is promoted after the primary is killed or frozen, below two processes
 * that know both hosts. Clients repeat what has failed with the same `Idempotency-Key`.
 */

const folder = await temporaryFolder();

const KEY = 'operator-key-of-this-test';
const urlOf = (...servers: TestServer[]) =>
  `postgres://saldo@${servers.map(({ address }) => address).join(',')}/postgres`;
const makeSynchronous = ({ run }: TestServer) =>
  run("alter system set synchronous_standby_names = 'standby_1'", 'select pg_reload_conf()');

/** A pair of servers, and two processes of the product on it. The standby is named first: the order does not matter. */
async function startPair(name: string) {
  const [primary, standby, reader] = await startReplication(2);
  assert.ok(standby && reader);
  const environment = {
    DATABASE_URL: urlOf(standby, primary),
    DATABASE_READ_URL: urlOf(reader),
    SALDO_OPERATOR_KEY: KEY,
    DEMO: 'off',
    RATE_LIMIT: '1000000',
  };
  const products: Product[] = [];
  for (const process of ['one', 'two']) {
    const product = await startProduct({ ...environment, DATA_DIR: path.join(folder, name, process) });
    atEnd(() => product.end('SIGKILL'));
    products.push(product);
  }
  await makeSynchronous(primary);
  return { primary, standby, reader, products };
}

const killed = await startPair('killed');
const frozen = await startPair('frozen');
const asynchronous = await startAsynchronous();
const synchronous = await startReplication(1);

/** Without a synchronous standby, a promoted standby lacks what it had not received. */
async function startAsynchronous() {
  const [primary, standby] = await startReplication(1);
  assert.ok(standby);
  const { baseUrl, clock } = await startTestPlatform({
    environment: { DATABASE_URL: urlOf(primary, standby) },
  });
  const db = openDatabase(primary.url);
  const world = createWorld(db, clock);
  const [operatorKey, brp] = [await world.operatorKey(), await world.brp()];
  await db.close();
  return { primary, standby, brp, operator: client(baseUrl, operatorKey), reader: client(baseUrl, brp.key) };
}

type Answer = { status: number; body: { id: string } };
async function send(product: Product, url: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json', ...init.headers };
  const response = await fetch(product.baseUrl + url, { ...init, headers });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

/** Creates BRPs one after the other, each with one event, and repeats a failed request until it is answered. */
function write(products: readonly Product[], label: string) {
  const over = new AbortController();
  const confirmed = new Map<string, string>();
  const statuses: number[] = [];
  const run = async (writer: number) => {
    for (let count = 0; !over.signal.aborted; count++) {
      const name = `${label} ${writer} ${count}`;
      for (let attempt = 0; ; attempt++) {
        const product = products[(writer + attempt) % products.length];
        assert.ok(product);
        const answer = await send(product, '/operator/v1/brps', {
          method: 'POST',
          body: JSON.stringify({ name }),
          headers: { 'idempotency-key': name },
        });
        statuses.push(answer.status);
        if (answer.status === 201) {
          confirmed.set(name, answer.body.id);
          break;
        }
        assert.equal(answer.status, 503, JSON.stringify(answer.body));
        await delay(10);
      }
    }
  };
  const running = Promise.all([0, 1, 2, 3].map(run));
  return {
    confirmed,
    statuses,
    async stop() {
      over.abort();
      await running;
    },
  };
}

/** Every confirmed BRP exists once, under the id of the confirmation, and nothing else exists. */
async function compare(server: TestServer, confirmed: ReadonlyMap<string, string>, label: string) {
  const rows = await server.run<{ name: string; count: number }>(
    `select name, count(*)::int from brp where name like '${label} %' group by name`,
  );
  assert.deepEqual(
    rows.filter(({ count }) => count !== 1),
    [],
  );
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), [...confirmed.keys()].toSorted());
}

for (const { name, pair, fail } of [
  { name: 'killed', pair: killed, fail: ({ kill }: TestServer) => kill() },
  { name: 'frozen', pair: frozen, fail: async ({ freeze }: TestServer) => void (await freeze()) },
]) {
  test(`a primary that is ${name}: writes go on at the promoted standby, each once, and no confirmed one is lost`, async () => {
    const { primary, standby, products } = pair;
    const [product] = products;
    assert.ok(product);
    const writing = write(products, name);
    await until(() => writing.confirmed.size >= 20);
    await fail(primary);
    await standby.promote();
    const before = writing.confirmed.size;
    await until(() => writing.confirmed.size >= before + 20);
    await writing.stop();
    await compare(standby, writing.confirmed, name);
    for (const { child } of products) assert.equal(child.exitCode, null);
  });
}

test('a former primary that is back, and does not know of its successor, gets no request', async () => {
  const { primary, standby, products } = killed;
  await primary.start();
  const names: string[] = [];
  for (const [at, product] of products.entries()) {
    const name = `after the return ${at}`;
    const created = await send(product, '/operator/v1/brps', {
      method: 'POST',
      body: JSON.stringify({ name }),
    });
    assert.equal(created.status, 201);
    names.push(name);
    assert.equal((await send(product, `/operator/v1/brps/${created.body.id}`)).status, 200);
  }
  const fresh = await startProduct({
    DATABASE_URL: urlOf(primary, standby),
    SALDO_OPERATOR_KEY: KEY,
    DEMO: 'off',
    DATA_DIR: path.join(folder, 'killed', 'fresh'),
  });
  atEnd(() => fresh.end('SIGKILL'));
  const created = await send(fresh, '/operator/v1/brps', {
    method: 'POST',
    body: JSON.stringify({ name: 'after the return fresh' }),
  });
  assert.equal(created.status, 201);
  const query = "select name from brp where name like 'after the return %' order by name";
  assert.deepEqual(
    (await standby.run<{ name: string }>(query)).map(({ name }) => name),
    [...names, 'after the return fresh'],
  );
  // While the new primary is away, the former one is not taken for it.
  await standby.stop();
  const refused = { method: 'POST', body: JSON.stringify({ name: 'after the return, refused' }) };
  for (const product of products)
    assert.equal((await send(product, '/operator/v1/brps', refused)).status, 503);
  await standby.start();
  await until(async () => (await send(fresh, '/operator/v1/brps?limit=1')).status === 200);
  assert.deepEqual(await primary.run(query), []);
});

test('a replica that still follows the former primary is left out, also when it is further along', async () => {
  const { primary, standby, reader, products } = killed;
  const [writing, reading] = products;
  assert.ok(writing && reading);
  // More of the log than the new primary has written: by its position alone, the replica would have everything.
  const fill = "select pg_logical_emit_message(false, 'test', 'more'), pg_switch_wal()";
  for (let count = 0; count < 8; count++) await primary.run(fill);
  const position = async ({ run }: TestServer, name: string) =>
    (await run<{ at: string }>(`select (${name} - '0/0')::text as at`))[0]?.at ?? '0';
  const isAhead = async () =>
    BigInt(await position(reader, 'pg_last_wal_replay_lsn()')) >
    BigInt(await position(standby, 'pg_current_wal_lsn()'));
  await until(isAhead);
  const isLeftOut = new RegExp(`replica ${reader.address}: left out, 0\\.0 s behind`);
  for (const { adminUrl } of [writing, reading])
    await until(async () => isLeftOut.test(await (await fetch(`${adminUrl}/readyz`)).text()));
  const body = JSON.stringify({ name: 'not on the replica' });
  const created = await send(writing, '/operator/v1/brps', { method: 'POST', body });
  assert.equal((await send(reading, `/operator/v1/brps/${created.body.id}`)).status, 200);
  assert.ok(await isAhead());
});

test('events after a fail-over have greater places than those that were lost with the primary', async () => {
  const { primary, standby, operator, reader, brp } = asynchronous;
  const create = (name: string) => operator.post('/operator/v1/customers', { brp_id: brp.id, name });
  const feed = async (after: string) => {
    const { body } = await reader(`/v1/events?limit=100${after}`);
    const subjects = body.events.map(({ data }: { data: { id: string } }) => data.id);
    return { subjects, after: `&after=${body.pagination.next_cursor}` };
  };
  const kept = await create('kept');
  await until(async () => {
    const [row] = await standby.run<{ count: number }>('select count(*)::int from customer');
    return row?.count === 1;
  });
  await standby.stop();
  for (let count = 0; count < 100; count++) assert.equal((await create(`lost ${count}`)).status, 201);
  const first = await feed('');
  assert.deepEqual([first.subjects[0], first.subjects.length], [kept.body.id, 100]);
  const second = await feed(first.after);
  assert.equal(second.subjects.length, 1);
  await primary.kill();
  await standby.start();
  await standby.promote();
  const fresh = await until(async () => {
    const answer = await create('fresh');
    return answer.status === 201 ? answer : null;
  });
  assert.deepEqual((await feed(second.after)).subjects, [fresh.body.id]);
  assert.deepEqual((await feed('')).subjects, [kept.body.id, fresh.body.id]);
});

test('a commit that did not wait for the synchronous standby is not confirmed', async () => {
  const [primary, standby] = synchronous;
  assert.ok(standby);
  await makeSynchronous(primary);
  await until(async () => {
    const [row] = await primary.run<{ sync_state: string }>('select sync_state from pg_stat_replication');
    return row?.sync_state === 'sync';
  });
  const db = openDatabase(primary.url);
  try {
    await primary.run('create table written (value int)');
    await standby.kill();
    const insert = statement('test_insert', 'insert into written values (1)');
    const writing = assert.rejects(
      db.transaction((tx) => tx.query(insert)),
      (error) => error instanceof DatabaseUnavailable && /synchronous/.test(error.message),
    );
    const waiting = "from pg_stat_activity where wait_event = 'SyncRep'";
    await until(async () => (await primary.run(`select pid ${waiting}`)).length === 1);
    await primary.run(`select pg_cancel_backend(pid) ${waiting}`);
    await writing;
  } finally {
    await db.close();
  }
});
