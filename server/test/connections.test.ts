import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { DATABASE_LIMITS } from '../src/platform/db/connection.ts';
import { statement } from '../src/platform/db/statement.ts';
import { untilBlocked } from './blocked.ts';
import { assertProblem, client, startTestPlatform } from './harness.ts';
import { until } from './until.ts';

const messages: string[] = [];
const platform = await startTestPlatform({
  logger: pino({ level: 'info' }, { write: (line) => void messages.push(JSON.parse(line).msg) }),
});
const { world } = platform;
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
await world.volumes(contract, '2026-10-20', 100);
const brp = client(platform.baseUrl, seller.key);
const operator = client(platform.baseUrl, await world.operatorKey());

/** A second client of the database, such as an administrator. */
async function administrator(): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: platform.databaseUrl });
  await session.connect();
  return session;
}

test('slow reads delay no page, no key look-up and no other list', async () => {
  const holder = await administrator();
  await holder.query('begin; lock table audit in access exclusive mode');
  const slow = Array.from({ length: DATABASE_LIMITS.readers - 1 }, () => operator('/operator/v1/audit'));
  await untilBlocked(platform.db, slow.length);
  // A key that was never used requires a look-up.
  const fresh = client(platform.baseUrl, (await world.key(seller)).secret);
  for (const path of [
    '/v1/transactions',
    `/v1/contracts/${contract.id}`,
    '/v1/nominations',
    '/v1/customers',
  ]) {
    assert.equal((await fresh(path)).status, 200, path);
  }
  await holder.query('rollback');
  for (const answer of await Promise.all(slow)) assert.equal(answer.status, 200);
  await holder.end();
});

test('more slow reads than connections still delay no page and no key look-up', async () => {
  const holder = await administrator();
  await holder.query('begin; lock table audit in access exclusive mode');
  const slow = Array.from({ length: DATABASE_LIMITS.readers + 4 }, () => operator('/operator/v1/audit'));
  await untilBlocked(platform.db, DATABASE_LIMITS.readers);
  const fresh = client(platform.baseUrl, (await world.key(seller)).secret);
  for (const path of ['/v1/transactions', `/v1/contracts/${contract.id}`, '/v1/nominations']) {
    assert.equal((await fresh(path)).status, 200, path);
  }
  await holder.query('rollback');
  for (const answer of await Promise.all(slow)) assert.equal(answer.status, 200);
  await holder.end();
});

test('a statement whose result type has changed is prepared anew, by reads and by writes', async () => {
  const patch = () => brp.patch(`/v1/customers/${producer.id}`, { metadata: { note: 'x' } });
  const requests = [
    () => brp(`/v1/contracts/${contract.id}`),
    () => brp('/v1/customers'),
    () => brp('/v1/transactions'),
    patch,
  ];
  // Makes every connection prepare its statements.
  for (const request of requests) {
    const answers = await Promise.all(Array.from({ length: 2 * DATABASE_LIMITS.writers }, request));
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  }
  const session = await administrator();
  await session.query(`
    alter table contract alter column period type varchar(500);
    alter table customer alter column assigned_at type timestamptz(3);
    alter table api_key alter column name type varchar(500)`);
  await session.end();
  for (const request of requests) {
    const answers = await Promise.all(Array.from({ length: 2 * DATABASE_LIMITS.writers }, request));
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  }
});

test('more concurrent operations than connections all succeed: none waits for a second connection', async () => {
  const at = (path: string) =>
    Promise.all(
      Array.from({ length: 2 * DATABASE_LIMITS.writers }, (_, index) =>
        operator.post(`/operator/v1${path}`, {}, { headers: { 'idempotency-key': `${path} ${index}` } }),
      ),
    );
  const answers = [...(await at('/profiles/run')), ...(await at('/exchange/send'))];
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
});

test('a transaction or a read on db inside of a transaction throws at once', async () => {
  const PING = statement('test_ping', 'select 1 as one');
  const { db } = platform;
  await assert.rejects(
    db.transaction(async () => db.transaction(async () => {})),
    /inside a transaction/,
  );
  await assert.rejects(
    db.transaction(async () => db.query(PING)),
    /inside a transaction/,
  );
  assert.deepEqual(await db.query(PING), [{ one: 1 }]);
});

test('the connection of reads rejects writes', async () => {
  const WRITE = statement('test_write', "update customer set name = 'x'");
  await assert.rejects(platform.db.query(WRITE), /read-only transaction/);
});

test('a full disk of the database is called so in answers, and once in the log when it begins and when it ends, while reads succeed', async (t) => {
  const session = await administrator();
  t.after(() => session.end());
  // Also for new tables, by which the platform finds out whether there is space again.
  await session.query(
    `create function refuse_customer() returns trigger language plpgsql as
       $$ begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$;
     create trigger refuse_customer before update on customer execute function refuse_customer();
     create function refuse_table() returns event_trigger language plpgsql as
       $$ begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$;
     create event trigger refuse_table on ddl_command_end when tag in ('CREATE TABLE AS')
       execute function refuse_table()`,
  );
  messages.length = 0;
  const patch = () => brp.patch(`/v1/customers/${producer.id}`, { metadata: { note: 'one' } });
  for (let times = 0; times < 3; times++) {
    const refused = await patch();
    assertProblem(refused, 503, 'unavailable');
    assert.equal(refused.body.detail, 'The disk of the database is full: it cannot store anything.');
    assert.equal(refused.headers.get('retry-after'), '2');
    assert.equal((await brp('/v1/customers')).status, 200);
  }
  const ready = async () => (await fetch(`${platform.adminUrl}/readyz`)).text();
  assert.equal(await ready(), 'ready for reads; writes fail: the disk of the database is full\n');
  const about = () => messages.filter((message) => message.includes('database'));
  const begin = 'database disk is full: writes are answered 503, and jobs wait, until there is space';
  assert.deepEqual(about(), [begin]);
  await session.query('drop trigger refuse_customer on customer; drop event trigger refuse_table');
  assert.equal((await patch()).status, 200);
  await until(() => about().length > 1);
  assert.deepEqual(about(), [begin, 'database disk has space again: writes succeed']);
  assert.equal(await ready(), 'ready\n');
});
