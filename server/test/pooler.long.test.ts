import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { client, startTestPlatform } from './harness.ts';
import { startPgbouncer, tracksStatements, withoutNewPgbouncer, withoutPgbouncer } from './pgbouncer.ts';
import { runProduct } from './product.ts';
import { startReplication } from './replication.ts';
import { createWorld } from './world.ts';

/** PgBouncer in transaction mode in front of a real server, with fewer connections than the platform has. */

const folder = await temporaryFolder();
const [server] = await startReplication(0);
const pooler = withoutPgbouncer === false ? await startPgbouncer(server) : null;
const forgetful =
  withoutPgbouncer === false
    ? await startPgbouncer(server, {
        ignore_startup_parameters: 'options',
        ...(tracksStatements ? { max_prepared_statements: 0 } : {}),
      })
    : null;

/** The one line that a failed start prints. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const run = runProduct({
    DATA_DIR: path.join(folder, 'data'),
    LOG_LEVEL: 'error',
    DEMO: 'off',
    ...environment,
  });
  const [code] = await once(run.child, 'close');
  assert.equal(code, 1, run.output() + run.log());
  assert.match(run.log(), /^Saldo cannot start: [^\n]+\.\n$/);
  return run.log();
}

const throughPooler = withoutNewPgbouncer === false ? await startThroughPooler() : null;

/** Follows the message of a refused start, and starts the platform. */
async function startThroughPooler() {
  const line = await refusal({ DATABASE_URL: pooler!.url, DATABASE_DIRECT_URL: server.url });
  const [, commands] = /lack settings of their role: run (.+) and then RECONNECT/.exec(line) ?? [];
  assert.ok(commands, line);
  await server.run(...commands.split('; '));
  // Another pooler has new connections, as after RECONNECT.
  const { url } = await startPgbouncer(server);
  // Requests at once wait in the queue for longer than the test takes.
  const environment = { DATABASE_URL: url, DATABASE_DIRECT_URL: server.url, QUEUE_WAIT_MS: '60000' };
  const platform = await startTestPlatform({ environment });
  const db = openDatabase(url, { directUrl: server.url });
  atEnd(() => db.close());
  return { platform, db };
}

test('without DATABASE_DIRECT_URL, a pooler stops the start with one sentence', {
  skip: withoutPgbouncer,
}, async () => {
  for (const { url } of [pooler!, forgetful!]) {
    assert.match(
      await refusal({ DATABASE_URL: url }),
      /DATABASE_URL leads to a pooler, .+: set DATABASE_DIRECT_URL to the server behind it\./,
    );
  }
});

test('a pooler that does not track prepared statements stops the start with one sentence', {
  skip: withoutPgbouncer,
}, async () => {
  const untracked = tracksStatements ? forgetful! : pooler!;
  assert.match(
    await refusal({ DATABASE_URL: untracked.url, DATABASE_DIRECT_URL: server.url }),
    /The pooler of DATABASE_URL does not track prepared statements: use PgBouncer 1\.21 or newer with max_prepared_statements = 200/,
  );
});

test('the platform works through a pooler in transaction mode, once its role has the settings', {
  skip: withoutNewPgbouncer,
}, async () => {
  const { platform, db } = throughPooler!;
  const world = createWorld(db, platform.clock);
  const { seller, producer, consumer } = await world.pair();
  const contract = await world.contract(producer, consumer);
  const operator = client(platform.baseUrl, await world.operatorKey());
  const brp = client(platform.baseUrl, seller.key);

  // Many at once, so that statements of one client connection run on several connections of the server.
  const days = Array.from({ length: 20 }, (_, at) => `2026-11-${String(at + 1).padStart(2, '0')}`);
  await Promise.all(days.map((day, at) => world.volumes(contract, day, at + 1)));
  const rounds = Array.from({ length: 10 }, () =>
    days.map(async (day, at) => {
      const { body } = await brp(`/v1/transactions?delivery_date=${day}&limit=100`);
      const volumes = new Set(body.transactions.map(({ volume }: { volume: number }) => volume));
      assert.deepEqual([body.transactions.length, ...volumes], [96, (at + 1) / 1000]);
      const [first] = body.transactions;
      assert.equal((await brp(`/v1/transactions/${first.id}`)).status, 200);
      const customers = await brp('/v1/customers?limit=1');
      assert.equal(customers.status, 200);
    }),
  );
  await Promise.all(rounds.flat());

  const csv = ['contract,delivery_date,slot,volume', ...days.flatMap((day) => lines(contract.id, day))];
  const imported = await operator.post(
    '/operator/v1/volumes',
    new Blob([`${csv.join('\n')}\n`], { type: 'text/csv' }),
    { headers: { 'content-type': 'text/csv', 'idempotency-key': 'import' } },
  );
  assert.equal(imported.status, 200, imported.text);
  assert.equal(imported.body.corrected, days.length * 96, imported.text);
  const named = { method: 'POST', body: { name: 'Nordwind' }, headers: { 'idempotency-key': 'one' } };
  const answers = await Promise.all([1, 2, 3, 4].map(() => operator('/operator/v1/brps', named)));
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);

  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = db.exclusively('test', async () => {
    locked.resolve();
    await held.promise;
    return 'done';
  });
  await locked.promise;
  assert.equal(await db.exclusively('test', async () => 'twice'), null);
  held.resolve();
  assert.equal(await holding, 'done');
});

const lines = (contractId: string, day: string) =>
  Array.from({ length: 96 }, (_, at) => `${contractId},${day},${at + 1},0.5`);
