import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Seal } from '@saldo/api';
import { addDays, dayOf } from '@saldo/core/delivery-day.ts';
import { createOperatorClient, verifyConsistency } from '@saldo/sdk';
import pg from 'pg';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { PROGRAM_ENVIRONMENT, runCommand } from './command-line.ts';
import { createDatabase } from './databases.ts';
import { flat } from './nominated.ts';
import { freePort } from './ports.ts';
import { type Product, startProduct } from './product.ts';
import { createWorld } from './world.ts';

/**
 * Writers correct the days of contracts through the API, a reader follows the seals, and a process seals without a pause, while it
 * and the real product are killed and started again. `SALDO_LEDGER_KILLS` sets the number of kills of a longer run.
 */
const KILLS = Number(process.env['SALDO_LEDGER_KILLS'] ?? 10);
const WRITERS = 8;
/** Upper bound of the answered changes between a start and the kill that follows. */
const CHANGES_PER_KILL = 30;
/** Seals that the reader got between a start and the kill, at least: sealing is under way. */
const SEALS_PER_KILL = 2;
const SEAL_PROGRAM = fileURLToPath(new URL('seal-program.ts', import.meta.url));

const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
const db = openDatabase(databaseUrl);
atEnd(() => db.close());
const owner = new pg.Client({ connectionString: databaseUrl });
await owner.connect();
atEnd(() => owner.end());
const world = createWorld(db, { now: Date.now });
const operatorKey = await world.operatorKey();
const [port, customerPort, adminPort] = [await freePort(), await freePort(), await freePort()];
const keyFile = path.join(folder, 'ledger.key');
const environment = {
  DATA_DIR: folder,
  DATABASE_URL: databaseUrl,
  LEDGER_KEY_FILE: keyFile,
  DEMO: 'off',
  RATE_LIMIT: '1000000',
  PORT: String(port),
  CUSTOMER_PORT: String(customerPort),
  ADMIN_PORT: String(adminPort),
};
const operator = createOperatorClient({
  baseUrl: `http://127.0.0.1:${port}`,
  apiKey: operatorKey,
  retry: {
    maxAttempts: Number.POSITIVE_INFINITY,
    maxElapsedMs: Number.POSITIVE_INFINITY,
    maxDelayMs: 200,
  },
});
const day = addDays(dayOf(Date.now()), 2);

/** A contract whose day a writer corrects again and again. `answered` is the number of changes that were answered. */
type Correction = { readonly id: string; readonly no: number; answered: number };
const corrections: Correction[] = [];
for (let writer = 0; writer < WRITERS; writer++) {
  // Parties of their own: changes of one position wait for each other.
  const { producer, consumer } = await world.pair();
  const { id, no } = await world.contract(producer, consumer, { first: day, last: day });
  corrections.push({ id, no, answered: 0 });
}
const answeredChanges = () => corrections.reduce((sum, { answered }) => sum + answered, 0);

/** The product and the process that seals. */
type Running = { readonly product: Product; kill(): Promise<void> };

async function start(): Promise<Running> {
  const product = await startProduct(environment);
  const sealer = spawn(process.execPath, [SEAL_PROGRAM, databaseUrl, keyFile], {
    env: PROGRAM_ENVIRONMENT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(sealer, 'exit');
  return {
    product,
    async kill() {
      sealer.kill('SIGKILL');
      await product.end('SIGKILL');
      assert.deepEqual(await ended, [null, 'SIGKILL'], 'sealing went on until the kill');
    },
  };
}

/** Entries of the ledger that are there more than once, by their record in hex. */
const DUPLICATES = `
  select encode(substring(records from at * 21 + 1 for 21), 'hex') as record, count(*)::int as count
  from ledger_batch cross join lateral generate_series(0, length(records) / 21 - 1) as at
  group by 1 having count(*) > 1`;
/** The stored sheets of a contract, and how often each is in the ledger: kind 0, the UUID of the sheet, its revision. */
const SHEETS = `
  select s.revision, (
    select count(*)::int from ledger_batch b
    where b.committed_at = s.created_at
      and position('\\x00'::bytea || decode(replace(s.id::text, '-', ''), 'hex') || int4send(s.revision) in b.records) % 21 = 1
  ) as entries
  from sheet s where s.contract_no = $1 order by s.revision`;

async function assertEachOnce(): Promise<void> {
  const answered = corrections.map((correction) => correction.answered);
  assert.deepEqual((await owner.query(DUPLICATES)).rows, [], 'no entry is there twice');
  for (const [writer, { no }] of corrections.entries()) {
    const { rows } = await owner.query<{ revision: number; entries: number }>(SHEETS, [no]);
    assert.ok(rows.length >= answered[writer]!, 'each answered change is stored');
    const expected = rows.map((_, at) => ({ revision: at + 1, entries: 1 }));
    assert.deepEqual(rows, expected, 'each stored change has one entry');
  }
}

/** The tree of the newest seal extends those of seals that were read before. */
async function assertExtended(seals: readonly Seal[]): Promise<void> {
  const key = await operator.ledger.key();
  const newest = (await operator.ledger.seals({ limit: 1 })).seals[0] ?? assert.fail('no seal');
  for (const seal of seals) {
    assert.ok(seal.tree_size <= newest.tree_size, 'the tree only grows');
    const sizes = { from: seal.tree_size, to: newest.tree_size };
    const { consistency_path } = await operator.ledger.consistency(sizes);
    await verifyConsistency(seal, newest, consistency_path, key);
  }
}

test('over kills of the platform while it seals, no entry is lost or there twice, and every tree extends those before', async (t) => {
  const stopping = new AbortController();
  const published: Seal[] = [];

  async function write(correction: Correction): Promise<void> {
    while (!stopping.signal.aborted) {
      // Each change differs from the one before, and a repeated request changes nothing.
      await operator.contracts.putDay(correction.id, day, {
        volumes: flat(day, (correction.answered + 1) / 1000),
      });
      correction.answered++;
    }
  }

  async function readSeals(): Promise<void> {
    while (!stopping.signal.aborted) {
      const [seal] = (await operator.ledger.seals({ limit: 1 })).seals;
      const last = published.at(-1);
      if (seal !== undefined && seal.tree_size !== last?.tree_size) {
        assert.ok(seal.tree_size > (last?.tree_size ?? 0), 'the tree only grows');
        published.push(seal);
      }
      await delay(5);
    }
  }

  const startedAt = Date.now();
  let running = await start();
  try {
    const working = [readSeals(), ...corrections.map(write)];
    for (let kills = 0; kills < KILLS; kills++) {
      const changes = answeredChanges() + 1 + Math.floor(Math.random() * CHANGES_PER_KILL);
      const seals = published.length + SEALS_PER_KILL;
      while (answeredChanges() < changes || published.length < seals)
        await Promise.race([delay(3), Promise.all(working)]);
      const read = published.slice(seals - SEALS_PER_KILL);
      await running.kill();
      running = await start();
      await assertEachOnce();
      await assertExtended(read);
    }
    stopping.abort();
    await Promise.all(working);
    await assertEachOnce();
    await assertExtended(published);
    for (const { no, answered } of corrections)
      assert.equal((await owner.query(SHEETS, [no])).rows.length, answered, 'no other change is stored');
    const { code, out, err } = await runCommand(['verify'], { env: environment, folder });
    assert.equal(code, 0, out + err);
    t.diagnostic(
      `${KILLS} kills in ${Math.round((Date.now() - startedAt) / 1000)} s: ${answeredChanges()} changes, ` +
        `${published.length} seals were read, ${published.at(-1)?.tree_size} entries`,
    );
  } finally {
    stopping.abort();
    await running.kill();
  }
});
