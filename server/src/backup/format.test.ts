import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  BackupFileError,
  type BackupHeader,
  BodyReader,
  END_OF_ROWS,
  FILE_HEAD_BYTES,
  headerFrame,
  headerFrameBytes,
  parseHeader,
  RowDigest,
} from './format.ts';

const HEADER: BackupHeader = {
  createdAt: '2026-10-25T00:00:00.000Z',
  saldo: '1.2.3',
  postgres: '18.4',
  migrations: [{ name: '001-schema', sha256: 'ab' }],
  tables: [{ name: 'Müller "x"', columns: ['a', 'b'] }],
};

/** Text as COPY writes it, with field and row separators escaped. */
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const value = fc.string({ unit: fc.constantFrom('\\', '.', '\n', '\t', 'a', 'ü', 'x'), maxLength: 8 });
const row = value.map((text) =>
  text.replaceAll(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character),
);
const tables = fc.array(fc.array(row, { maxLength: 5 }), { maxLength: 4 });

/** Cuts at random positions, as streams do. */
async function* chunked(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0;
  for (let at = 0; start < bytes.length; at++) {
    const end = start + (sizes[at % sizes.length] ?? 1);
    yield bytes.subarray(start, end);
    start = end;
  }
}
const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });

test('a header is read as it was written', () => {
  const frame = headerFrame(HEADER);
  assert.equal(headerFrameBytes(frame.subarray(0, FILE_HEAD_BYTES)), frame.length);
  assert.deepEqual(parseHeader(frame), HEADER);
});

test('a file that is no backup, or one of another format, is rejected by its first bytes', () => {
  const head = headerFrame(HEADER).subarray(0, FILE_HEAD_BYTES);
  const otherFormat = Buffer.from(head.toString('latin1').replace('backup 1', 'backup 2'), 'latin1');
  const wrongLength = Buffer.from(head);
  wrongLength.writeUInt32LE(0xffffffff, 4);
  for (const [bytes, reason] of [
    [Buffer.alloc(0), /is not a Saldo backup/],
    [head.subarray(0, -1), /is not a Saldo backup/],
    [Buffer.from('PGDMP and something more'), /is not a Saldo backup/],
    [otherFormat, /does not know: restore it with the version that made it/],
    [wrongLength, /damaged/],
  ] as const) {
    assert.throws(
      () => headerFrameBytes(bytes),
      (error) => error instanceof BackupFileError && reason.test(error.message),
    );
  }
});

test('any rows are read from the body as written, for any chunk sizes', async () => {
  await fc.assert(
    fc.asyncProperty(tables, sizes, async (given, cuts) => {
      const text = given.map(
        (rows, at) => `table ${at}\n${rows.map((one) => `${one}\n`).join('')}${END_OF_ROWS}`,
      );
      const body = new BodyReader(chunked(Buffer.from(`${text.join('')}end\n`), cuts));
      for (const [at, rows] of given.entries()) {
        assert.equal(await body.line(), `table ${at}`);
        const found = await Array.fromAsync(body.rows());
        assert.equal(Buffer.concat(found).toString(), rows.map((one) => `${one}\n`).join(''));
      }
      assert.equal(await body.line(), 'end');
      assert.equal(await body.line(), null);
    }),
  );
});

test('a body that ends within a table is rejected', async () => {
  for (const text of ['', 'row\n', 'row\n\\.', '\\']) {
    const body = new BodyReader(chunked(Buffer.from(text), [3]));
    await assert.rejects(Array.fromAsync(body.rows()), BackupFileError);
  }
});

test('the digest of rows does not depend on their order or chunking, and changes with any row', () => {
  const digestOf = (rows: readonly string[], cuts: readonly number[]) => {
    const digest = new RowDigest();
    const bytes = Buffer.from(rows.map((one) => `${one}\n`).join(''));
    for (let start = 0, at = 0; start < bytes.length; at++) {
      const end = start + (cuts[at % cuts.length] ?? 1);
      digest.update(bytes.subarray(start, end));
      start = end;
    }
    return [digest.rows, digest.digest()];
  };
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), sizes, sizes, (rows, one, other) => {
      const whole = digestOf(rows, [Number.MAX_SAFE_INTEGER]);
      assert.equal(whole[0], rows.length);
      assert.deepEqual(digestOf(rows.toReversed(), one), digestOf(rows, other));
      assert.deepEqual(digestOf(rows, one), whole);
      const [first, ...rest] = rows;
      assert.notDeepEqual(digestOf([`${first}!`, ...rest], one), whole);
      assert.notDeepEqual(digestOf(rest, one), whole);
      assert.notDeepEqual(digestOf([first ?? '', ...rows], one), whole);
    }),
  );
});
