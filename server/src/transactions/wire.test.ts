import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Asset, TSOS } from '@saldo/api';
import { formatInstant, SLOT_MS, slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import { MAX_SLOT_KWH, mwhNumber } from '@saldo/core/energy.ts';
import type { TransactionStatus } from '@saldo/core/enums.ts';
import { encodeId, ID_PREFIX, sheetUuid, transactionUuid } from '@saldo/core/id.ts';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import type { SheetRow } from './sheet-rows.ts';
import type { TransactionRecord } from './store.ts';
import { transactionBytes, transactionEnvelope } from './wire.ts';

/** An ordinary day and the clock-change days. */
const DAYS = ['2026-10-24', '2026-10-25', '2027-03-28'];
const uuid = fc.uuid();
const sheetId = uuid.map(sheetUuid);
const eic = fc.stringMatching(/^[A-Z0-9-]{16}$/);
const tso = fc.constantFrom(...TSOS);
const CORRECTED_REVISIONS = [1, 2, 3];

const row: fc.Arbitrary<SheetRow> = fc.record({
  sheet: fc.record({
    id: sheetId,
    createdAt: fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1000),
    revision: fc.constant(4),
    volumes: fc.constant([]),
    statuses: fc.constant(null),
    versions: fc.constant(null),
    previous: fc.constant(null),
  }),
  day: fc.constantFrom(...DAYS),
  contractNo: fc.nat(),
  contractId: uuid,
  senderEic: eic,
  senderTso: tso,
  receiverEic: eic,
  receiverTso: tso,
  assetId: fc.option(uuid),
  correctedIds: fc
    .tuple(sheetId, sheetId, sheetId)
    .map((ids) => Object.fromEntries(CORRECTED_REVISIONS.map((revision, at) => [revision, ids[at]!]))),
});

/** Few combinations of status and version, so that consecutive transactions often share one. */
const cell = fc.record({
  share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  version: fc.constantFrom(1, 2, 12),
  status: fc.constantFrom<TransactionStatus>('valid', 'invalid', 'superseded'),
  volumeKwh: fc.oneof(fc.nat(5000), fc.nat(MAX_SLOT_KWH)),
  previousRevision: fc.constantFrom(null, null, ...CORRECTED_REVISIONS),
});

/** Sheets in any order, many of them repeated. */
const records: fc.Arbitrary<TransactionRecord[]> = fc
  .tuple(
    fc.array(row, { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(2), cell), { maxLength: 120 }),
  )
  .map(([rows, cells]) =>
    cells.map(([at, { share, ...rest }]) => {
      const ofSheet = rows[at % rows.length]!;
      const slot = 1 + Math.floor(share * slotCount(ofSheet.day));
      return { row: ofSheet, cell: { ...rest, slot, revision: ofSheet.sheet.revision } };
    }),
  );

const objectOf = ({ row, cell }: TransactionRecord) => {
  const start = slotStart(row.day, cell.slot);
  const idOf = (id: string) => encodeId(ID_PREFIX.transaction, transactionUuid(id, cell.slot));
  return {
    id: idOf(row.sheet.id),
    type: 'ppa',
    contract_id: encodeId(ID_PREFIX.contract, row.contractId),
    status: cell.status,
    version: cell.version,
    previous_transaction_id:
      cell.previousRevision === null ? null : idOf(row.correctedIds![cell.previousRevision]!),
    sender: {
      eic: row.senderEic,
      asset_id: row.assetId && encodeId(ID_PREFIX.asset, row.assetId),
      tso: row.senderTso,
    },
    receiver: { eic: row.receiverEic, tso: row.receiverTso },
    delivery_start: formatInstant(start),
    delivery_end: formatInstant(start + SLOT_MS),
    slot_number: cell.slot,
    volume: mwhNumber(cell.volumeKwh),
    created_at: formatInstant(row.sheet.createdAt),
  };
};

test('a page of transactions equals the JSON of its records, in any order and versions', () => {
  const cursor = fc.option(fc.base64String());
  fc.assert(
    fc.property(records, cursor, (given, next_cursor) => {
      const pagination = { limit: 120, has_more: next_cursor !== null, next_cursor };
      const expected = { transactions: given.map(objectOf), pagination };
      assert.equal(transactionEnvelope(given, { pagination }).toString(), JSON.stringify(expected));
    }),
  );
});

test('asset names keep all characters', () => {
  const asset: Asset = {
    id: 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c',
    name: 'Windpark Größe "Süd" – 風 🌬',
    nominal_power: 12.5,
    technology: 'wind_onshore',
    tso: 'DE_TENNET',
  };
  fc.assert(
    fc.property(records, (given) => {
      const expected = { transactions: given.map(objectOf), assets: [asset] };
      assert.deepEqual(
        transactionEnvelope(given, { assets: [asset] }),
        Buffer.from(JSON.stringify(expected)),
      );
    }),
    { numRuns: runs(20) },
  );
});

test('all slots of a day together, and each alone, equal the JSON of their records', () => {
  for (const day of DAYS) {
    const [sample] = fc.sample(row, 1);
    const all = Array.from({ length: slotCount(day) }, (_, at) => ({
      row: { ...sample!, day },
      cell: {
        slot: at + 1,
        version: 1,
        status: 'valid' as const,
        volumeKwh: at * 25,
        revision: 1,
        previousRevision: null,
      },
    }));
    const ofOneSheet = all.map(({ cell }) => ({ row: all[0]!.row, cell }));
    const expected = JSON.stringify({ transactions: all.map(objectOf) });
    assert.equal(transactionEnvelope(ofOneSheet, {}).toString(), expected);
    assert.equal(transactionEnvelope(all, {}).toString(), expected);
    for (const record of all)
      assert.equal(transactionBytes(record).toString(), JSON.stringify(objectOf(record)));
  }
});

test('a correction without its previous version throws', () => {
  const [sample] = fc.sample(row, 1);
  const cell = {
    slot: 1,
    version: 2,
    status: 'valid' as const,
    volumeKwh: 1,
    revision: 4,
    previousRevision: 9,
  };
  assert.throws(() => transactionBytes({ row: sample!, cell }), /knows the sheet/);
});
