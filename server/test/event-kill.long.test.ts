import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createBrpClient, createOperatorClient, isProblem, type SaldoEvent } from '@saldo/sdk';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { freePort } from './ports.ts';
import { type Product, startProduct } from './product.ts';
import { startReceiver } from './webhook-receiver.ts';
import { createWorld } from './world.ts';

/**
 * Writers change records, readers follow the feed with the SDK and an endpoint gets webhooks, while the real product is
 * killed and started again. `SALDO_EVENT_KILLS` sets the number of kills of a longer run.
 */
const KILLS = Number(process.env['SALDO_EVENT_KILLS'] ?? 3);
const WRITERS = 8;
const READERS = 4;
/** Answered changes between two kills. */
const CHANGES_PER_KILL = 40;

const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
const db = openDatabase(databaseUrl);
atEnd(() => db.close());
const world = createWorld(db, { now: Date.now });
const [brp, operatorKey] = [await world.brp(), await world.operatorKey()];
const [port, customerPort, adminPort] = [await freePort(), await freePort(), await freePort()];
const receiver = await startReceiver();
const baseUrl = `http://127.0.0.1:${port}`;
const environment = {
  DATA_DIR: folder,
  DATABASE_URL: databaseUrl,
  DEMO: 'off',
  RATE_LIMIT: '1000000',
  SANDBOX: 'on',
  WEBHOOK_ALLOW_PRIVATE: 'on',
  PORT: String(port),
  CUSTOMER_PORT: String(customerPort),
  ADMIN_PORT: String(adminPort),
};
const UNLIMITED = {
  maxAttempts: Number.POSITIVE_INFINITY,
  maxElapsedMs: Number.POSITIVE_INFINITY,
  maxDelayMs: 500,
};

test('over kills of the product, every reader sees each committed change once, in the same order', async (t) => {
  const stopping = new AbortController();
  const operator = createOperatorClient({ baseUrl, apiKey: operatorKey, retry: UNLIMITED });
  const created: string[] = [];
  const stopWriting = new AbortController();

  async function write(writer: number): Promise<void> {
    for (let count = 0; !stopWriting.signal.aborted; count++) {
      const name = `customer ${writer} ${count}`;
      const { id } = await operator.customers.create({ brp_id: brp.id, name });
      created.push(id);
      // A change that is rolled back after it was made: there is no such balance group.
      const move = { name: 'lost', balance_group: { eic: '11XSALDO-------Z', tso: 'DE_AMPRION' as const } };
      const refused = await operator.customers
        .update(id, move, { ifMatch: '*' })
        .catch((error: unknown) => error);
      assert.ok(
        isProblem(refused, 'validation') || isProblem(refused, 'precondition_failed'),
        String(refused),
      );
    }
  }

  const logs: SaldoEvent[][] = Array.from({ length: READERS }, () => []);
  const read = async (log: SaldoEvent[], reader: number) => {
    const client = createBrpClient({ baseUrl, apiKey: brp.key, retry: UNLIMITED });
    for await (const event of client.events.follow({ signal: stopping.signal })) {
      log.push(event);
      // No event is early: the record that it names can be read.
      if (reader === 0 && 'id' in event.data) await client.customers.get(event.data.id);
    }
  };

  const startedAt = Date.now();
  let product: Product = await startProduct(environment);
  try {
    await createBrpClient({ baseUrl, apiKey: brp.key }).webhookEndpoints.create({ url: receiver.url });
    const reading = logs.map(read);
    const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    for (let kills = 0; kills < KILLS; kills++) {
      const until = created.length + CHANGES_PER_KILL;
      while (created.length < until) await Promise.race([delay(20), Promise.all([...reading, ...writing])]);
      await product.end('SIGKILL');
      product = await startProduct(environment);
    }
    stopWriting.abort();
    await Promise.all(writing);
    const stored: string[] = [];
    for await (const { id } of operator.customers.each({ brp_id: brp.id })) stored.push(id);
    assert.deepEqual(new Set(created), new Set(stored), 'each answered request was committed, and no other');
    while (logs.some((log) => log.length < stored.length))
      await Promise.race([delay(50), Promise.all(reading)]);
    stopping.abort();
    await Promise.all(reading);
    for (const log of logs) {
      assert.deepEqual(
        log.map(({ id }) => id),
        logs[0]?.map(({ id }) => id),
        'the same order',
      );
    }
    const [log = []] = logs;
    assert.deepEqual(
      log.map(({ sequence }) => sequence),
      log.map(({ sequence }) => sequence).toSorted((one, other) => one - other),
    );
    assert.deepEqual(
      new Set(log.map(({ type }) => type)),
      new Set(['customer.assigned']),
      'no rolled-back change',
    );
    const subjects = log.map(({ data }) => ('id' in data ? data.id : ''));
    assert.equal(new Set(subjects).size, subjects.length, 'each once');
    assert.deepEqual(new Set(subjects), new Set(stored), 'none is missing');
    // Ends the leases of killed processes and the pauses after failed tries.
    const later = new Date(Date.now() + 3_600_000).toISOString();
    await operator.clock.set({ now: later });
    const delivered = () => new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])));
    while (delivered().size < log.length) await receiver.count(receiver.received.length + 1);
    assert.deepEqual(delivered(), new Set(log.map(({ id }) => id)), 'each was delivered, and nothing else');
    t.diagnostic(
      `${KILLS} kills in ${Math.round((Date.now() - startedAt) / 1000)} s: ${log.length} events, ` +
        `${receiver.received.length} webhooks`,
    );
  } finally {
    stopping.abort();
    stopWriting.abort();
    await product.end('SIGKILL');
  }
});
