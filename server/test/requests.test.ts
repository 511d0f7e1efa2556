import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import pg from 'pg';
import { pino } from 'pino';
import type { Owner } from '../src/platform/auth/principal.ts';
import { DatabaseUnavailable } from '../src/platform/db/connection.ts';
import type { Database } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { OwnerRequestLog } from '../src/requests/log.ts';
import { deleteOldRequests, listRequests } from '../src/requests/store.ts';
import { startPlatform } from '../src/start/start-platform.ts';
import { untilBlocked } from './blocked.ts';
import { signedIn } from './browser.ts';
import { createDatabase } from './databases.ts';
import {
  type Answer,
  assertProblem,
  assertRefused,
  bodyOf,
  client,
  startTestPlatform,
  walk,
} from './harness.ts';
import { until } from './until.ts';

const platform = await startTestPlatform();
const { world, clock, db } = platform;
const [brp, other] = [await world.brp(), await world.brp()];
const second = await world.key(brp);
const ask = client(platform.baseUrl, brp.key);
const asOther = client(platform.baseUrl, other.key);
const asOperator = client(platform.baseUrl, await world.operatorKey());
const holder = await world.account();
const { browser: ofBrp, user } = await signedIn(platform, { type: 'brp', brpNo: brp.no });
const { browser: ofAccount } = await signedIn(platform, { type: 'account', accountNo: holder.no });
const { browser: ofOperator } = await signedIn(platform, { type: 'operator' });
const bounded = await startTestPlatform({
  config: { requestLog: { days: 30, waiting: 5, stored: 10_000_000 } },
});
const off = await startTestPlatform({ environment: { REQUEST_LOG_DAYS: '0' } });
/** Of the tests without a server. */
const bare = await startTestPlatform();

type Ask = (pathAndQuery: string) => Promise<Answer>;
const idOf = ({ headers }: Answer) => headers.get('x-request-id') ?? '';

/** A request is logged after its answer, which the client may have before. */
const untilLogged = (id: string, read: Ask = ask, base = '/v1') =>
  until(
    async () => {
      await platform.flush();
      const { status, body } = await read(`${base}/requests/${id}`);
      return status === 200 && body;
    },
    () => `${id} is logged`,
  );

const logAs = async (send: () => Promise<Answer>, read: Ask = ask, base = '/v1') =>
  untilLogged(idOf(await send()), read, base);

test('a request is in the log of its key’s owner, with all that support asks for', async () => {
  const path = '/v1/contracts/con_01jhm3wa2fe5h8x2z6tdq9vn4m?x=1';
  const answer = await ask(path, { headers: { 'user-agent': 'erp/1.0 (ö)', 'x-request-id': 'job-4711' } });
  assert.equal(answer.status, 400);
  const { duration_ms, caller, ...logged } = await untilLogged('job-4711');
  assert.deepEqual(logged, {
    request_id: 'job-4711',
    at: '2026-10-20T08:00:00Z',
    method: 'GET',
    route: '/v1/contracts/{contract_id}',
    path,
    status: 400,
    problem: 'validation',
    caller_name: 'test',
    address: '127.0.0.1',
    user_agent: 'erp/1.0 (ö)',
  });
  assert.ok(duration_ms > 0 && duration_ms < 60_000, `${duration_ms} ms`);
  assert.match(caller, /^key_/);
});

test('a path that does not exist and a refused scope are logged for the owner of the key', async () => {
  const missing = await logAs(() => ask('/v1/contract'));
  assert.deepEqual([missing.route, missing.status, missing.problem], [null, 404, 'not_found']);
  const { secret } = await world.key(brp, ['contracts:read']);
  const refused = await logAs(() => ask('/v1/events', { key: secret }));
  assert.deepEqual([refused.status, refused.problem], [403, 'insufficient_scopes']);
});

test('owners see their own requests only, in every API', async () => {
  const mine = idOf(await ask('/v1/contracts'));
  const theirs = idOf(await asOther('/v1/contracts'));
  const operators = idOf(await asOperator('/operator/v1/brps'));
  const inPortal = idOf(await ofBrp.request('/v1/customers'));
  const accounts = idOf(await ofAccount.request('/portal/v1/session'));
  await untilLogged(theirs, asOther);
  await untilLogged(operators, asOperator, '/operator/v1');
  await untilLogged(accounts, (path) => ofAccount.request(path), '/portal/v1');
  await untilLogged(inPortal);
  const all = [mine, theirs, operators, inPortal, accounts];
  const readers: [name: string, read: Ask, base: string, own: string[]][] = [
    ['BRP', ask, '/v1', [mine, inPortal]],
    ['user of the BRP', (path) => ofBrp.request(path), '/v1', [mine, inPortal]],
    ['user of the BRP in the portal', (path) => ofBrp.request(path), '/portal/v1', [mine, inPortal]],
    ['other BRP', asOther, '/v1', [theirs]],
    ['operator', asOperator, '/operator/v1', [operators]],
    ['user of the operator', (path) => ofOperator.request(path), '/portal/v1', [operators]],
    ['user of the account', (path) => ofAccount.request(path), '/portal/v1', [accounts]],
  ];
  for (const [name, read, base, own] of readers) {
    const listed = (await walk(read, `${base}/requests`, 'requests', 100)).map((one) => one.request_id);
    assert.deepEqual(
      all.filter((id) => listed.includes(id)),
      own,
      name,
    );
    for (const id of all) {
      const answer = await read(`${base}/requests/${id}`);
      if (own.includes(id)) assert.equal(answer.body.request_id, id, name);
      else assertProblem(answer, 404, 'request_not_found', [], name);
    }
  }
});

test('a request with a session has the user as its caller', async () => {
  const logged = await logAs(() => ofBrp.request('/v1/contracts'));
  assert.match(logged.caller, /^user_/);
  assert.equal(logged.caller_name, `User ${/\d+/.exec(user.email)?.[0]}`);
});

test('requests without a valid key are not logged, and a foreign cursor is refused', async () => {
  const anonymous = idOf(await client(platform.baseUrl)('/v1/contracts'));
  const wrong = idOf(await client(platform.baseUrl, 'saldo_brp_wrong')('/v1/contracts'));
  await logAs(() => ask('/v1/contracts'));
  for (const id of [anonymous, wrong])
    for (const [read, base] of [[ask, '/v1'] as const, [asOperator, '/operator/v1'] as const])
      assertProblem(await read(`${base}/requests/${id}`), 404, 'request_not_found');
  await logAs(() => asOther('/v1/contracts'), asOther);
  const { pagination } = await bodyOf(ask('/v1/requests?limit=1'));
  assertRefused(
    await asOther(`/v1/requests?limit=1&after=${pagination.next_cursor}`),
    'after invalid_format',
  );
});

test('keys and tokens in a URL are not logged, and long texts are cut', async () => {
  const logged = await logAs(() => ask(`/v1/contracts?key=${brp.key}`));
  assert.equal(logged.path, '/v1/contracts?key=[key]');
  const invited = await logAs(() => ask('/portal/v1/invitations/abcdef/more'));
  assert.equal(invited.path, '/portal/v1/invitations/…/more');
  const long = await logAs(() =>
    ask(`/v1/contracts?x=${'a'.repeat(5000)}`, { headers: { 'user-agent': 'b'.repeat(1000) } }),
  );
  assert.deepEqual([long.path.length, long.user_agent.length], [1000, 300]);
  const stored = await db.query<{ body: Buffer }>(statement('test_bodies', 'select body from request_batch'));
  assert.ok(stored.length > 0);
  assert.ok(!stored.some(({ body }) => body.includes(brp.key)));
});

test('filters find the requests of a key, status class, method, route and time, newest first', async () => {
  clock.set('2026-10-21T08:00:00Z');
  const early = idOf(await ask('/v1/contracts'));
  await untilLogged(early);
  clock.set('2026-10-21T09:00:00Z');
  const failed = idOf(await ask('/v1/contracts?x=1'));
  const ofSecond = idOf(await ask('/v1/contracts', { key: second.secret }));
  const posted = idOf(await ask.post('/v1/transactions/bulk', { ids: ['txn_01jhm4q7sqe8h9w3tb5k2x0rax'] }));
  await untilLogged(posted);
  await untilLogged(ofSecond);
  await untilLogged(failed);
  const own = [early, failed, ofSecond, posted];
  const find = async (query: string) => {
    const found = await walk(ask, `/v1/requests?since=2026-10-21T00:00:00Z${query}`, 'requests', 2);
    const times = found.map((one) => one.at);
    assert.deepEqual(times, times.toSorted().toReversed(), query);
    return found.map((one) => one.request_id).filter((id) => own.includes(id));
  };
  const sorted = (ids: string[]) => ids.toSorted();
  assert.deepEqual(sorted(await find('')), sorted(own));
  assert.deepEqual(await find(`&caller=${(await untilLogged(ofSecond)).caller}`), [ofSecond]);
  assert.deepEqual(await find('&status_class=4xx&route=/v1/contracts'), [failed]);
  assert.deepEqual(sorted(await find('&status_class=2xx&route=/v1/contracts')), sorted([early, ofSecond]));
  assert.deepEqual(await find('&status_class=5xx'), []);
  assert.deepEqual(await find('&method=POST'), [posted]);
  assert.deepEqual(await find('&method=PUT'), []);
  assert.deepEqual(await find('&route=/v1/contracts/{contract_id}'), []);
  assert.deepEqual(await find('&until=2026-10-21T09:00:00Z'), [early]);
  assertRefused(await ask('/v1/requests?status_class=404'), 'status_class invalid_enum_value');
  assertRefused(
    await ask('/v1/requests?since=2026-10-21T00:00:00Z&until=2026-10-20T00:00:00Z'),
    'until validation_failed',
  );
});

const OWNER: Owner = { type: 'brp', brpNo: 1 };
let requests = 0;
/** A request as the server passes it to the log. */
const requestOf = (id = `req_${++requests}`) =>
  ({
    ...{
      id,
      method: 'GET',
      url: '/v1/contracts',
      headers: {},
      ip: '10.0.0.1',
      server: { addressForm: 'full' },
      problemCode: null,
      principal: { actor: 'key_x', owner: OWNER },
    },
  }) as unknown as FastifyRequest;

const logOn = (database: Database, now: () => number) =>
  new OwnerRequestLog(database, { now, logger: pino({ level: 'silent' }), maxWaiting: 20_000 });
const NO_FILTER = { caller: null, method: null, statusClass: null, route: null, since: null, until: null };
const read = (after: Parameters<typeof listRequests>[3]['after'], count: number) =>
  listRequests(bare.db, 'brp/1', NO_FILTER, { after, count });

test('the batches of several processes are one list, newest first, page by page', async () => {
  let now = Date.parse('2026-10-20T10:00:00Z');
  const logs = [logOn(bare.db, () => now), logOn(bare.db, () => now)];
  const wanted: string[] = [];
  for (let count = 0; count < 2600; count++) {
    // Most requests share their millisecond with others, and some are hours apart.
    now += count % 1300 === 0 ? 7_200_000 : count % 5 === 0 ? 40 : 0;
    logs[count % 2]?.add(requestOf(`req_in_order_${count}`), '/v1/contracts', 200, 0.001);
    wanted.push(`${now}`);
    if (count % 700 === 0) await logs[count % 4 === 0 ? 0 : 1]?.flush();
  }
  for (const log of logs) await log.stop();
  const times: string[] = [];
  const ids = new Set<string>();
  for (let after: Parameters<typeof read>[0] = null; ; ) {
    const page = await read(after, 97);
    for (const one of page) {
      times.push(String(one.at));
      ids.add(one.requestId);
    }
    after = page.at(-1) ?? null;
    if (page.length < 97) break;
  }
  assert.equal(ids.size, 2600);
  assert.deepEqual(times, wanted.toReversed());
});

test('a write whose commit was not answered is repeated, and nothing is logged twice', async () => {
  let isLost = true;
  const transaction: Database['transaction'] = async (work) => {
    const result = await bare.db.transaction(work);
    if (isLost) throw new DatabaseUnavailable('the commit was not answered');
    return result;
  };
  const log = logOn({ ...bare.db, transaction }, () => Date.parse('2026-10-20T20:00:00Z'));
  log.add(requestOf('req_repeated'), '/v1/contracts', 200, 0.001);
  await assert.rejects(log.flush(), DatabaseUnavailable);
  log.add(requestOf('req_later'), '/v1/contracts', 200, 0.001);
  isLost = false;
  await log.stop();
  const newest = (await read(null, 3)).map(({ requestId }) => requestId);
  assert.deepEqual(newest.slice(0, 2), ['req_later', 'req_repeated']);
  assert.notEqual(newest[2], 'req_repeated');
  assert.equal(log.dropped, 0);
});

test('while the database cannot write, requests are answered, some wait, and the others are counted', async () => {
  const { secret } = await bounded.world.key(await bounded.world.brp());
  const asBounded = client(bounded.baseUrl, secret);
  const dropped = async () => {
    const metrics = await (await fetch(`${bounded.adminUrl}/metrics`)).text();
    return Number(/^saldo_request_log_dropped_total (\d+)$/m.exec(metrics)?.[1]);
  };
  assert.equal(await dropped(), 0);
  const blocker = new pg.Client({ connectionString: bounded.databaseUrl });
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('lock table request_batch in exclusive mode');
  const ids: string[] = [];
  const send = async () => {
    const answer = await asBounded('/v1/contracts');
    assert.equal(answer.status, 200);
    ids.push(idOf(answer));
  };
  await send();
  const failing = assert.rejects(bounded.flush());
  await untilBlocked(bounded.db);
  // The writer is killed in the middle of its write.
  await blocker.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  await failing;
  for (let count = 0; count < 7; count++) await send();
  await until(
    async () => (await dropped()) === 3,
    () => '3 requests are dropped',
  );
  await blocker.query('rollback');
  await blocker.end();
  await bounded.flush();
  const logged = (await walk(asBounded, '/v1/requests', 'requests', 10)).map((one) => one.request_id);
  assert.deepEqual(logged.toReversed().slice(0, 5), ids.slice(0, 5));
  assert.equal(await dropped(), 3);
});

test('a stop writes the last requests', async () => {
  const databaseUrl = await createDatabase();
  const started = await startTestPlatform({ environment: { DATABASE_URL: databaseUrl } });
  const { secret } = await started.world.key(await started.world.brp());
  const another = await startPlatform(
    { ...started.config },
    {
      ...{ clock: started.clock, logger: pino({ level: 'silent' }), droppedLogLines: () => 0, say: () => {} },
      ...{ prepare: async () => {}, runsJobs: false, portalDir: null },
    },
  );
  const id = idOf(await client(another.baseUrl, secret)('/v1/contracts'));
  await another.stop();
  assert.equal((await client(started.baseUrl, secret)(`/v1/requests/${id}`)).status, 200);
});

const COUNT = statement(
  'test_count_requests',
  'select coalesce(sum(count), 0)::int as count from request_batch',
);
const countOf = async (database: Database) => (await database.query<{ count: number }>(COUNT))[0]?.count;

test('requests are deleted after their days, and the oldest ones beyond the limit', async () => {
  const dayMs = 24 * 3600 * 1000;
  const start = Date.parse('2026-11-01T00:00:00Z');
  await deleteOldRequests(bare.db, start, 0);
  assert.equal(await countOf(bare.db), 0);
  let now = start;
  const log = logOn(bare.db, () => now);
  for (let day = 0; day < 40; day++) {
    for (let count = 0; count < 10; count++)
      log.add(requestOf(`req_${day}_${count}`), '/v1/contracts', 200, 0.001);
    now += dayMs;
  }
  await log.stop();
  const idsOf = async () => (await read(null, 1000)).map(({ requestId }) => requestId);
  await deleteOldRequests(bare.db, start + 10 * dayMs, 1000);
  assert.deepEqual([await countOf(bare.db), (await idsOf()).at(-1)], [300, 'req_10_0']);
  // Whole batches are deleted, here one of each day.
  await deleteOldRequests(bare.db, start, 125);
  assert.deepEqual([await countOf(bare.db), (await idsOf()).at(-1)], [120, 'req_28_0']);
  await deleteOldRequests(bare.db, start, 120);
  assert.equal(await countOf(bare.db), 120);
});

test('REQUEST_LOG_DAYS=0 logs nothing', async () => {
  const { secret } = await off.world.key(await off.world.brp());
  const asOff = client(off.baseUrl, secret);
  assert.equal((await asOff('/v1/contracts')).status, 200);
  await off.flush();
  assert.deepEqual((await bodyOf(asOff('/v1/requests'))).requests, []);
  assert.equal(await countOf(off.db), 0);
});
