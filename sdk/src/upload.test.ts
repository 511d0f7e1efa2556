import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, problem, standIn } from '../test/stand-in.ts';
import { createOperatorClient } from './operator.ts';
import type { UploadSource } from './upload.ts';
import type { UploadProgress } from './xhr.ts';

const CSV = 'contract,delivery_date,slot,volume\nPPA-ü,2026-10-25,1,1.25\n';
const RESULT = {
  rows: 1,
  created: 1,
  corrected: 0,
  unchanged: 0,
  rejected: [],
  rejected_lines: 0,
  rejected_days: 0,
  incomplete_days: { count: 0, days: [] },
  dry_run: false,
};
const bytes = () => new TextEncoder().encode(CSV);

async function* inPieces() {
  yield CSV.slice(0, 40);
  yield new TextEncoder().encode(CSV.slice(40));
}

const SOURCES: Record<string, () => UploadSource> = {
  text: () => CSV,
  bytes,
  'a blob': () => new Blob([CSV]),
  'a stream': () => new Blob([CSV]).stream(),
  'an async iterable of text and bytes': inPieces,
  'a function that opens one': () => inPieces,
};

for (const [name, source] of Object.entries(SOURCES)) {
  test(`${name} is sent unchanged, and its bytes are counted`, async () => {
    const { options, requests } = standIn(json(RESULT));
    const seen: UploadProgress[] = [];
    const result = await createOperatorClient(options).volumes.importFile(source(), {
      format: 'csv',
      onProgress: (progress) => seen.push(progress),
    });
    assert.deepEqual(result, RESULT);
    assert.equal(requests[0]?.body, CSV);
    assert.equal(requests[0]?.headers.get('content-type'), 'text/csv');
    assert.equal(seen[0]?.bytes, 0);
    assert.equal(seen.at(-1)?.bytes, bytes().byteLength);
  });
}

test('an import sends its format and whether it is a dry run', async () => {
  const { options, requests } = standIn(json(RESULT));
  await createOperatorClient(options).volumes.importFile('{}\n', { format: 'ndjson', dryRun: true });
  assert.equal(requests[0]?.url, '/operator/v1/volumes?dry_run=true');
  assert.equal(requests[0]?.headers.get('content-type'), 'application/x-ndjson');
});

test('values of series are imported in their format, and volumes are not accepted as MSCONS', async () => {
  const { options, requests } = standIn(json({ id: 'icg_1', messages: 1, rejected: [], unknown: [] }));
  const { series, volumes } = createOperatorClient(options);
  await series.importFile('UNB+', { format: 'mscons' });
  await series.importFile(CSV, { format: 'csv', dryRun: true, decimal: 'comma' });
  assert.deepEqual(
    requests.map(({ url, headers }) => [url, headers.get('content-type')]),
    [
      ['/operator/v1/series/values', 'application/edifact'],
      ['/operator/v1/series/values?dry_run=true&decimal=comma', 'text/csv'],
    ],
  );
  // @ts-expect-error: the types reject it too.
  await assert.rejects(volumes.importFile('UNB+', { format: 'mscons' }), TypeError);
});

test('an import says that its file is compressed', async () => {
  const { options, requests } = standIn(json(RESULT), json(RESULT));
  const { importFile } = createOperatorClient(options).volumes;
  await importFile(bytes(), { format: 'csv', isGzip: true });
  await importFile(bytes(), { format: 'csv' });
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('content-encoding')),
    ['gzip', null],
  );
});

test('an import whose source can be read again is retried with the same idempotency key', async () => {
  const { options, requests } = standIn(problem(503, 'unavailable'), new TypeError('cut off'), json(RESULT));
  await createOperatorClient(options).volumes.importFile(inPieces, { format: 'csv' });
  assert.deepEqual(
    requests.map(({ body }) => body),
    [CSV, CSV, CSV],
  );
  assert.equal(new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size, 1);
});

test('an import of a stream, which can be read only once, is not retried', async () => {
  for (const reply of [problem(503, 'unavailable'), problem(429, 'rate_limited'), new TypeError('cut off')]) {
    const { options, requests } = standIn(reply);
    await assert.rejects(createOperatorClient(options).volumes.importFile(inPieces(), { format: 'csv' }));
    assert.equal(requests.length, 1);
  }
});

test('a source that fails while it is sent rejects the import with its error', async () => {
  async function* broken() {
    yield CSV;
    throw new Error('the disk is gone');
  }
  const { options } = standIn(json(RESULT));
  const client = createOperatorClient({ ...options, retry: { maxAttempts: 1 } });
  await assert.rejects(client.volumes.importFile(broken, { format: 'csv' }), /the disk is gone/);
});
