import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { ExportFormat, ExportManifest } from '@saldo/api';
import { statement } from '../src/platform/db/statement.ts';
import { assertProblem, assertRefused, type Client, client, startTestPlatform } from './harness.ts';
import { cells, confirm, listNominated, makeDeal } from './nominated.ts';

const DAY = '2026-10-22';
const platform = await startTestPlatform({ now: '2026-10-20T06:00:00.250Z' });
const { world, clock } = platform;
const { contract, asSeller, asBuyer, seller } = await makeDeal(platform);
const operator = client(platform.baseUrl, await world.operatorKey());
await world.volumes(contract, DAY, 100);
await world.nominate();

type File = { readonly bytes: Buffer; readonly asOf: string; readonly id: string };

async function fileOf(key: string, path: string, headers: Record<string, string> = {}): Promise<File> {
  const answer = await fetch(`${platform.baseUrl}${path}`, {
    headers: { 'x-api-key': key, 'accept-encoding': 'identity', ...headers },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(answer.status, 200, bytes.toString());
  const asOf = answer.headers.get('x-saldo-as-of');
  const id = answer.headers.get('x-saldo-export-id');
  assert.ok(asOf !== null && id !== null, 'an export has an instant and an id');
  return { bytes, asOf, id };
}

async function manifestOf(request: Client, id: string, base = '/v1'): Promise<ExportManifest> {
  const answer = await request(`${base}/exports/${id}/manifest`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as ExportManifest;
}

const FORMATS: readonly ExportFormat[] = ['csv', 'ndjson', 'parquet'];
const ROWS = {
  transactions: { csv: 96, ndjson: 96, parquet: 96 },
  nominations: { csv: 96, ndjson: 1, parquet: 96 },
};

test('the manifest of an export has the rows and the hash of its file, in every format', async () => {
  for (const subject of ['transactions', 'nominations'] as const) {
    for (const format of FORMATS) {
      const file = await fileOf(seller.key, `/v1/exports/${subject}?delivery_date=${DAY}&format=${format}`);
      assert.equal(file.asOf, '2026-10-20T06:00:00.250Z');
      assert.deepEqual(await manifestOf(asSeller, file.id), {
        rows: ROWS[subject][format],
        sha256: hash('sha256', file.bytes),
        as_of: file.asOf,
        seal: null,
      });
    }
  }
});

test('the rows of a manifest are those of the filters', async () => {
  const slots = `delivery_date=${DAY}&slot_number_from=90&slot_number_to=100`;
  for (const subject of ['transactions', 'nominations']) {
    for (const format of ['csv', 'parquet']) {
      const { id } = await fileOf(seller.key, `/v1/exports/${subject}?${slots}&format=${format}`);
      assert.equal((await manifestOf(asSeller, id)).rows, 7, `${subject} ${format}`);
    }
    const none = await fileOf(seller.key, `/v1/exports/${subject}?delivery_date=2026-10-21`);
    assert.equal((await manifestOf(asSeller, none.id)).rows, 0);
  }
});

test('the hash is that of the file before its content encoding', async () => {
  const path = `/v1/exports/nominations?delivery_date=${DAY}`;
  const plain = await fileOf(seller.key, path);
  const zipped = await fileOf(seller.key, path, { 'accept-encoding': 'gzip' });
  // `fetch` decompresses what it reads.
  assert.ok(zipped.bytes.equals(plain.bytes));
  assert.equal((await manifestOf(asSeller, zipped.id)).sha256, hash('sha256', plain.bytes));
});

test('files of an instant keep their bytes and their manifest while nominations change', async () => {
  const before = new Map<string, File>();
  const paths = FORMATS.map((format) => `/v1/exports/nominations?delivery_date=${DAY}&format=${format}`);
  for (const path of paths) before.set(path, await fileOf(seller.key, path));
  clock.set('2026-10-20T06:05:00Z');
  const [first] = await listNominated(asSeller);
  assert.ok(first);
  await confirm(platform, first, (kw) => kw, true);
  await world.volumes(contract, DAY, cells(DAY, { 3: 7 }));
  await world.nominate();
  for (const [path, file] of before) {
    const now = await fileOf(seller.key, path);
    assert.ok(!now.bytes.equals(file.bytes), 'the export of now has changed');
    const again = await fileOf(seller.key, `${path}&as_of=${file.asOf}`);
    assert.ok(again.bytes.equals(file.bytes), path);
    assert.equal(again.id, file.id);
    assert.equal((await manifestOf(asSeller, file.id)).sha256, hash('sha256', file.bytes));
  }
});

test('an instant in the future is refused', async () => {
  for (const subject of ['transactions', 'nominations'])
    assertRefused(
      await asSeller(`/v1/exports/${subject}?delivery_date=${DAY}&as_of=2026-10-20T07:00:00Z`),
      'as_of value_too_large',
    );
});

test('a manifest is read by the owner of its export only, with the scope of the export', async () => {
  const { id } = await fileOf(seller.key, `/v1/exports/nominations?delivery_date=${DAY}`);
  const of = (request: Client, base = '/v1', ofId = id) => request(`${base}/exports/${ofId}/manifest`);
  const lacking = client(platform.baseUrl, (await world.key(seller, ['transactions:read'])).secret);
  const other = client(platform.baseUrl, (await world.key(seller, ['nominations:read'])).secret);
  assertProblem(await of(asBuyer), 404, 'export_not_found');
  assertProblem(await of(operator, '/operator/v1'), 404, 'export_not_found');
  assertProblem(await of(lacking), 403, 'insufficient_scopes');
  assert.equal((await of(other)).status, 200);
  const page = await asSeller('/v1/nominations?limit=1');
  for (const wrong of ['x', `${id}x`, `x${id}`, page.body.pagination.next_cursor ?? 'y'])
    assertProblem(await of(asSeller, '/v1', wrong), 404, 'export_not_found');
});

test('an operator has manifests of its exports', async () => {
  const key = await world.operatorKey();
  for (const subject of ['transactions', 'nominations']) {
    const path = `/operator/v1/exports/${subject}?delivery_date=${DAY}&format=ndjson`;
    const { id, bytes } = await fileOf(key, path);
    const manifest = await manifestOf(operator, id, '/operator/v1');
    assert.equal(manifest.sha256, hash('sha256', bytes));
    assert.equal(manifest.rows, bytes.toString().split('\n').length - 1);
  }
});

const change = (name: string, text: string) =>
  platform.db.transaction((tx) => tx.query(statement(name, text)));

test('the seal of a manifest is the first one after its instant that has all entries up to it', async () => {
  clock.set('2026-10-20T08:00:00Z');
  const { id } = await fileOf(seller.key, `/v1/exports/nominations?delivery_date=${DAY}`);
  const sealOf = async () => (await manifestOf(asSeller, id)).seal;
  await change(
    'test_seals_before',
    `
    with key as (insert into ledger_key (public_key, created_at) values (decode(repeat('01', 32), 'hex'), now()) returning no),
      batches as (insert into ledger_batch (sequence, committed_at, records, hashes) values
        (1000001, '2026-10-20T07:59:00Z', '', ''), (1000003, '2026-10-20T08:00:00Z', '', ''),
        (1000004, '2026-10-20T08:00:00.001Z', '', '')),
      seals as (insert into ledger_seal (tree_size, sequence, root_hash, sealed_at, key_no, signature)
        select size, sequence, decode(repeat('ab', 32), 'hex'), sealed_at::timestamptz, no, decode(repeat('ff', 64), 'hex')
        from key, (values (1, 1000001, '2026-10-20T08:00:00Z'), (2, 1000002, '2026-10-20T08:00:01Z'))
          as seal (size, sequence, sealed_at))
    select 1`,
  );
  assert.equal(await sealOf(), null, 'the seals lack an entry');
  await change(
    'test_seals_after',
    `
    insert into ledger_seal (tree_size, sequence, root_hash, sealed_at, key_no, signature)
    select size, sequence, decode(repeat('ab', 32), 'hex'), sealed_at::timestamptz, (select max(no) from ledger_key), decode(repeat('ff', 64), 'hex')
    from (values (3, 1000003, '2026-10-20T08:00:02.005Z'), (4, 1000004, '2026-10-20T08:00:03Z'))
      as seal (size, sequence, sealed_at)`,
  );
  assert.deepEqual(await sealOf(), {
    tree_size: 3,
    root_hash: 'ab'.repeat(32),
    sealed_at: '2026-10-20T08:00:02.005Z',
    signature: Buffer.alloc(64, 0xff).toString('base64'),
    public_key: Buffer.alloc(32, 1).toString('base64'),
  });

  // An upgrade writes the entries of older records later, so that their places are after those of newer ones.
  await change(
    'test_backfilled',
    `insert into ledger_batch (sequence, committed_at, records, hashes) values
       (1000006, '2024-01-01T00:00:00Z', '', ''), (1000007, '2026-10-20T08:00:04Z', '', '')`,
  );
  assert.equal(await sealOf(), null, 'the seals lack the entry of an older record');
  await change(
    'test_seal_of_backfilled',
    `insert into ledger_seal (tree_size, sequence, root_hash, sealed_at, key_no, signature)
     select 4 + at, 1000005 + at, root_hash, sealed_at + at * interval '1 minute', key_no, signature
     from ledger_seal, generate_series(1, 2) as at where tree_size = 4`,
  );
  assert.equal((await sealOf())?.tree_size, 5);
});

test('in a sandbox whose clock was moved back an export has no instant', async () => {
  const sandbox = await startTestPlatform({ environment: { SANDBOX: 'on' } });
  const asOperator = client(sandbox.baseUrl, await sandbox.world.operatorKey());
  const path = `/operator/v1/exports/nominations?delivery_date=${DAY}`;
  const hasInstant = async () => (await asOperator(path)).headers.get('x-saldo-as-of') !== null;
  assert.equal(await hasInstant(), true);
  const { now } = (await asOperator('/operator/v1/clock')).body as { now: string };
  const past = new Date(Date.parse(now) - 3_600_000).toISOString();
  const moved = await asOperator.put('/operator/v1/clock', { now: past });
  assert.equal(moved.status, 200, moved.text);
  assert.equal(await hasInstant(), false);
  assertProblem(await asOperator(`${path}&as_of=2026-01-01T00:00:00Z`), 409, 'clock_moved_back');
});
