import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../src/platform/db/statement.ts';
import { backfillLedger } from '../src/start/ledger-backfill.ts';
import { client, startTestPlatform } from './harness.ts';
import { confirm, listNominated, makeDeal } from './nominated.ts';
import { provenEntry, sealAll } from './proving.ts';

const DAY = '2026-11-12';
const platform = await startTestPlatform();
const { world, db, clock } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const write = (text: string) => db.transaction((tx) => tx.query(statement(`test_${text.length}`, text)));
const advance = () => clock.set(new Date(clock.now() + 60_000).toISOString());

/** The hash of each entry by its record. */
async function storedEntries(): Promise<Record<string, string>> {
  const rows = await db.query<{ committed_at: number; records: Buffer; hashes: Buffer }>(
    statement('test_all_batches', 'select committed_at, records, hashes from ledger_batch order by sequence'),
  );
  const entries = rows.flatMap(({ committed_at, records, hashes }) =>
    Array.from({ length: records.length / 21 }, (_, at) => {
      const record = records.subarray(at * 21, (at + 1) * 21).toString('hex');
      return [`${record} ${committed_at}`, hashes.subarray(at * 32, (at + 1) * 32).toString('hex')];
    }),
  );
  const byRecord = Object.fromEntries(entries);
  assert.equal(Object.keys(byRecord).length, entries.length, 'each entry is there once');
  return byRecord;
}

test('the entries of data from before the ledger are those that their commits would have written', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  const created = await operator.post('/operator/v1/brps', { name: 'Grüne Energie "Nord"' });
  assert.equal(created.status, 201, created.text);
  await world.volumes(contract, DAY, 1_000);
  await world.nominate();
  advance();
  const [nomination] = await listNominated(asSeller);
  await confirm(platform, nomination!, (kw) => kw);
  advance();
  await world.volumes(
    contract,
    DAY,
    Array.from({ length: 96 }, (_, at) => (at < 3 ? 2_000 : at === 5 ? null : 1_000)),
  );
  await world.nominate();
  advance();
  const [transaction] = (await asSeller(`/v1/contracts/${contract.id}/transactions?status=valid&limit=1`))
    .body.transactions;
  await world.invalidate(transaction.id);
  const written = await storedEntries();
  assert.ok(Object.keys(written).length >= 10);

  await write('truncate ledger_batch, placement_change');
  await write('insert into ledger_backfill (step) values (0)');
  await backfillLedger(db, () => {});
  assert.deepEqual(await storedEntries(), written);

  await backfillLedger(db, () => {});
  assert.deepEqual(await storedEntries(), written, 'nothing is written twice');
  await sealAll(platform);
  const { body: proof } = await asSeller(`/v1/transactions/${transaction.id}/proof`);
  assert.equal(provenEntry(proof)['kind'], 'transactions_invalidated');
});
