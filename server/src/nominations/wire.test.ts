import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TSOS } from '@saldo/api';
import { formatInstant, MAX_SLOTS, SLOT_MS, slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import { kwhFromMatchedKw, MAX_SLOT_KWH, mwhNumber } from '@saldo/core/energy.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import fc from 'fast-check';
import type { NominationRow } from './store.ts';
import { nominationWriter, type SlotRange } from './wire.ts';

const OPERATOR = { name: 'Bilanzkreis "Öst" – 電力', eic: '11XSALDO-------Z' };

const instant = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1000);
const volumes = (length: number) =>
  fc.array(fc.oneof(fc.nat(50_000), fc.nat(MAX_SLOT_KWH)), { minLength: length, maxLength: length });

const head = {
  id: fc.uuid(),
  direction: fc.constantFrom<NominationRow['direction']>('out', 'in'),
  version: fc.integer({ min: 1, max: 200 }),
  previous_id: fc.option(fc.uuid()),
  status: fc.constantFrom<NominationRow['status']>('pending', 'match', 'partial_match', 'superseded'),
  eic: fc.stringMatching(/^[A-Z0-9-]{16}$/),
  tso: fc.constantFrom(...TSOS),
  gate_closure: instant,
  sent_at: fc.option(instant),
  confirmed_at: fc.option(instant),
  created_at: instant,
};

/** An ordinary day and the clock-change days; with and without slots, confirmed or not. */
const row: fc.Arbitrary<NominationRow> = fc
  .constantFrom('2026-10-24', '2026-10-25', '2027-03-28')
  .chain((day) =>
    fc.oneof(
      fc.record({ ...head, delivery_day: fc.constant(day) }),
      fc.record({
        ...head,
        delivery_day: fc.constant(day),
        amounts: volumes(slotCount(day)),
        matched: fc.option(volumes(slotCount(day))),
      }),
    ),
  );

const range: fc.Arbitrary<SlotRange> = fc.oneof(
  fc.constant({ from: 1, to: MAX_SLOTS }),
  fc.record({ from: fc.integer({ min: 1, max: MAX_SLOTS }), to: fc.integer({ min: 1, max: MAX_SLOTS }) }),
);

const instantOf = (given: number | null) => (given === null ? null : formatInstant(given));

const slotsOf = ({ delivery_day, amounts, matched }: NominationRow, { from, to }: SlotRange) =>
  (amounts ?? [])
    .map((kwh, at) => ({
      delivery_start: formatInstant(slotStart(delivery_day, at + 1)),
      delivery_end: formatInstant(slotStart(delivery_day, at + 1) + SLOT_MS),
      slot_number: at + 1,
      amount: mwhNumber(kwh),
      matched_amount: matched ? mwhNumber(kwhFromMatchedKw(matched[at]!)) : null,
    }))
    .filter(({ slot_number: slot }) => slot >= from && slot <= to);

const objectOf = (row: NominationRow, range: SlotRange) => ({
  id: encodeId(ID_PREFIX.nomination, row.id),
  status: row.status,
  version: row.version,
  previous_nomination_id: row.previous_id && encodeId(ID_PREFIX.nomination, row.previous_id),
  gate_closure: instantOf(row.gate_closure),
  confirmed_at: instantOf(row.confirmed_at),
  direction: row.direction,
  eic: row.eic,
  tso: row.tso,
  sent_at: instantOf(row.sent_at),
  counterparty: OPERATOR,
  ...(row.amounts ? { slots: slotsOf(row, range) } : {}),
  created_at: instantOf(row.created_at),
});

test('nominations equal the JSON of their rows, for any requested slots', () => {
  const write = nominationWriter(OPERATOR);
  const pagination = fc.option(fc.constant({ limit: 20, has_more: true, next_cursor: 'a_cursor-1' }));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 8 }), range, pagination, (rows, range, pagination) => {
      const nominations = rows.map((row) => objectOf(row, range));
      const expected = pagination === null ? { nominations } : { nominations, pagination };
      assert.deepEqual(write.list(rows, range, pagination), Buffer.from(JSON.stringify(expected)));
      for (const [at, row] of rows.entries())
        assert.equal(write.one(row, range).toString(), JSON.stringify(nominations[at]));
    }),
  );
});
