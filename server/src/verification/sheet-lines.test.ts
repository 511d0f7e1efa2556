import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TSOS } from '@saldo/core/enums.ts';
import { sheetEntry } from '@saldo/core/ledger/entries.ts';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { hashOfEntry, RECORD_BYTES, writeRecord } from '../ledger/append.ts';
import { RECORD_SOURCES } from './records.ts';
import { instantOf, type RowStream } from './row-stream.ts';
import { isHashAt, SheetLines, sheetFields } from './sheet-lines.ts';

/** The entries that are made of the bytes of rows are those of `core/src/ledger/entries.ts`. */

const EPOCH_MS = Date.parse('2000-01-01');

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function microseconds(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** A row as COPY writes it in its binary format. */
function copyRow(columns: readonly (Buffer | null)[]): Buffer {
  const parts = columns.flatMap((column) =>
    column === null ? [integer(-1)] : [integer(column.length), column],
  );
  return Buffer.concat([Buffer.from([0, columns.length]), ...parts]);
}

/** The row is in the middle of the bytes of a socket. */
function streamOf(row: Buffer): RowStream {
  const bytes = Buffer.concat([Buffer.alloc(7, 1), row, Buffer.alloc(5, 1)]);
  return { bytes, start: 7, end: 7 + row.length } as RowStream;
}

const number = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const eic = fc.stringMatching(/^[0-9]{2}X[A-Z0-9-]{12}[A-Z0-9]$/);
const party = fc.record({ eic, tso: fc.constantFrom(...TSOS) });
const sheets = fc.record({
  uuid: fc.uuid(),
  contractUuid: fc.uuid(),
  contractNo: number,
  day: fc.integer({ min: Date.parse('1970-01-01') / 86_400_000, max: Date.parse('2200-12-31') / 86_400_000 }),
  revision: fc.oneof(fc.constant(1), number),
  sender: party,
  receiver: party,
  volumes: fc.oneof(
    fc.constantFrom(92, 96, 100).chain((slots) => {
      const length = 1 + 2 * slots;
      return fc.uint8Array({ minLength: length, maxLength: length });
    }),
    fc.uint8Array({ maxLength: 2_000 }),
  ),
  committedAt: fc.integer({ min: 0, max: Date.parse('2200-12-31T23:59:59.999Z') }),
});
type Sheet = typeof sheets extends fc.Arbitrary<infer T> ? T : never;

const [SENDER_NO, RECEIVER_NO] = [7, 8];

const columnsOf = (sheet: Sheet): (Buffer | null)[] => [
  Buffer.from(sheet.uuid.replaceAll('-', ''), 'hex'),
  microseconds(BigInt(sheet.committedAt - EPOCH_MS) * 1000n),
  integer(sheet.contractNo),
  integer(sheet.day - EPOCH_MS / 86_400_000),
  integer(sheet.revision),
  integer(SENDER_NO),
  integer(RECEIVER_NO),
  Buffer.from(sheet.volumes),
  null,
  null,
  null,
];

const partiesOf = ({ contractNo, contractUuid, sender, receiver }: Sheet) => ({
  contracts: new Map([[String(contractNo), contractUuid]]),
  positions: new Map([
    [String(SENDER_NO), sender],
    [String(RECEIVER_NO), receiver],
  ]),
});

const entryOf = (sheet: Sheet) =>
  sheetEntry({
    ...sheet,
    day: new Date(sheet.day * 86_400_000).toISOString().slice(0, 10),
    volumesHex: Buffer.from(sheet.volumes).toString('hex'),
    versions: null,
    previous: null,
  });

test('the bytes of a row make the canonical entry', () => {
  fc.assert(
    fc.property(fc.array(sheets, { minLength: 1, maxLength: 4 }), (all) => {
      for (const sheet of all) {
        const entry = entryOf(sheet);
        const lines = new SheetLines(partiesOf(sheet));
        const row = copyRow(columnsOf(sheet));
        // The second time, parts of the entry are kept from the first.
        for (let time = 0; time < 2; time++) {
          const leafHash = lines.read(streamOf(row));
          const batch = {
            committedAt: sheet.committedAt,
            records: Buffer.alloc(2 * RECORD_BYTES),
            hashes: Buffer.concat([Buffer.alloc(32), hashOfEntry(entry.text)]),
          };
          writeRecord(batch.records, RECORD_BYTES, entry);
          assert.equal(lines.instant, sheet.committedAt);
          assert.ok(lines.isOf(batch, 1));
          assert.ok(!lines.isOf(batch, 0));
          assert.ok(isHashAt(batch, 1, leafHash!));
          assert.ok(!isHashAt(batch, 0, leafHash!));
        }
        const [{ text } = { text: '' }] = RECORD_SOURCES[0]!.entries(sheetFields(row, 0), partiesOf(sheet));
        assert.equal(text, entry.text, 'the way by texts makes the same entry');
      }
    }),
    { numRuns: runs(500) },
  );
});

test('parts that are kept do not get into the entries of other rows', () => {
  fc.assert(
    fc.property(fc.array(sheets, { minLength: 2, maxLength: 6 }), ([first, ...others]) => {
      // One contract between the same parties: what is left to differ is in the row.
      const all = others.map((sheet) => ({ ...first!, ...sheet, contractNo: first!.contractNo }));
      const same = all.map((sheet) => ({
        ...sheet,
        contractUuid: first!.contractUuid,
        sender: first!.sender,
        receiver: first!.receiver,
      }));
      const lines = new SheetLines(partiesOf(first!));
      for (const sheet of [first!, ...same, first!]) {
        const leafHash = lines.read(streamOf(copyRow(columnsOf(sheet))));
        assert.deepEqual(Buffer.from(leafHash!, 'latin1'), hashOfEntry(entryOf(sheet).text));
      }
    }),
    { numRuns: runs(300) },
  );
});

test('any other bit of a row makes another entry, or needs the way by texts', () => {
  fc.assert(
    fc.property(sheets, fc.nat(), fc.nat({ max: 7 }), (sheet, place, bit) => {
      const lines = new SheetLines(partiesOf(sheet));
      const row = copyRow(columnsOf(sheet));
      const [leafHash, record, { instant }] = [
        lines.read(streamOf(row)),
        lines.record.toString('hex'),
        lines,
      ];
      // Lengths of columns and their count are not of the content.
      const contents = [
        [6, 22],
        [26, 34],
        [38, 42],
        [46, 50],
        [54, 58],
        [62, 66],
        [70, 74],
        [78, row.length - 12],
      ] as const;
      const bytes = contents.flatMap(([start, end]) =>
        Array.from({ length: end - start }, (_, at) => start + at),
      );
      const at = bytes[place % bytes.length]!;
      row[at]! ^= 1 << bit;
      const other = lines.read(streamOf(row));
      assert.ok(
        other === null ||
          other !== leafHash ||
          lines.record.toString('hex') !== record ||
          lines.instant !== instant,
      );
    }),
    { numRuns: runs(1000) },
  );
});

test('rows that need the way by texts', () => {
  const [sheet] = fc.sample(sheets, { numRuns: 1, seed: 1 }) as [Sheet];
  const lines = new SheetLines(partiesOf(sheet));
  const columns = columnsOf(sheet);
  const read = (column: number, value: Buffer | null) => {
    const row = copyRow(columns.with(column, value));
    return [lines.read(streamOf(row)), sheetFields(row, 0)[column]];
  };
  const [DAY, CREATED_AT] = [3, 1];
  assert.deepEqual(read(DAY, integer(2 ** 31 - 1)), [null, 'infinity']);
  assert.deepEqual(read(DAY, integer(-(2 ** 31))), [null, '-infinity']);
  assert.deepEqual(read(DAY, integer(2 ** 31 - 2)), [null, 'day 2147483646'], 'no Date');
  assert.deepEqual(read(DAY, integer(3_000_000)), [null, '+010213-09-21']);
  const instant = BigInt(sheet.committedAt - EPOCH_MS) * 1000n;
  const [leafHash, text] = read(CREATED_AT, microseconds(instant + 1n));
  assert.equal(leafHash, null);
  assert.equal(instantOf(text!), 0, 'no instant of the platform');
  assert.equal(read(CREATED_AT, microseconds(2n ** 63n - 1n))[0], null);
  for (let column = 0; column < 8; column++) assert.deepEqual(read(column, null), [null, '']);
  for (const column of [8, 9]) assert.deepEqual(read(column, Buffer.from('{1,2}')), [null, '{1,2}']);
  const unknown = new SheetLines({ ...partiesOf(sheet), positions: new Map() });
  assert.equal(unknown.read(streamOf(copyRow(columns))), null);
});
