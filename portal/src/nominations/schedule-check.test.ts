import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScheduleCheck } from '@saldo/api';
import {
  differentSlots,
  differingIds,
  equalIds,
  explainedSlots,
  formatOfFile,
  messageFormatOf,
  powersOfFile,
  rowsOf,
  totalsOfCheck,
  withoutHeader,
} from './schedule-check.ts';

const position = { eic: '11XNORDWIND----J', tso: 'DE_TENNET', direction: 'out' } as const;
const compared = { ...position, nomination_id: 'nom_1', slots_equal: 99, slots: [] };
const different = {
  ...compared,
  nomination_id: 'nom_2',
  slots: [{ slot_number: 9, amount: 1, yours: 0.99975, difference: 0.00025 }],
};
const check: ScheduleCheck = {
  delivery_date: '2026-10-25',
  message_version: null,
  compared: [compared, different],
  missing: ['nom_3'],
  unknown: [
    { ...position, identification: null, opposite_nomination_id: null },
    { ...position, direction: 'in', identification: null, opposite_nomination_id: 'nom_3' },
  ],
  ignored: 0,
  rules: [],
};

test('rows have the faults first', () => {
  assert.deepEqual(
    rowsOf(check).map(({ state, nominationId, differentSlots: count }) => [state, nominationId, count]),
    [
      ['swapped', 'nom_3', 0],
      ['unknown', null, 0],
      ['missing', 'nom_3', 0],
      ['different', 'nom_2', 1],
      ['equal', 'nom_1', 0],
    ],
  );
});

test('a check is equal only if something was compared and nothing is wrong', () => {
  const right = { ...check, compared: [compared], missing: [], unknown: [] };
  assert.equal(totalsOfCheck(right).isEqual, true);
  assert.equal(totalsOfCheck({ ...right, compared: [] }).isEqual, false);
  assert.equal(totalsOfCheck({ ...right, missing: ['nom_3'] }).isEqual, false);
  assert.deepEqual(totalsOfCheck(check), {
    slots: 199,
    different: 1,
    missing: 1,
    unknown: 2,
    broken: 0,
    isEqual: false,
  });
});

test('series that differ or are missing are loaded again, in the format of the file', async () => {
  assert.deepEqual(differingIds(check), ['nom_2', 'nom_3']);
  assert.deepEqual(equalIds(check), ['nom_1']);
  assert.equal(withoutHeader('a,b\n1,2\n'), '1,2\n');
  assert.equal(await messageFormatOf(new Blob(['<?xml?><Schedule_MarketDocument xmlns="">'])), 'cim');
  assert.equal(await messageFormatOf(new Blob(['<?xml?><ScheduleMessage>'])), 'ess');
});

test('a difference of one kW is kept', () => {
  const slots = differentSlots(check, different);
  const [slot] = slots;
  assert.deepEqual([slot?.amountKw, slot?.yoursKw, slot?.differenceKw], [4000, 3999, 1]);
  assert.equal(new Date(slot?.start ?? 0).toISOString(), '2026-10-25T00:00:00.000Z');
  const nominated = [8, 9].map((number) => ({ slot: number, start: 0, amountKwh: 1000, matchedKw: null }));
  assert.deepEqual(powersOfFile(nominated, slots), [4000, 3999]);
});

test('the content decides the format, not the name', async () => {
  assert.equal(await formatOfFile(new Blob(['\u{feff}<?xml version="1.0"?>'])), 'xml');
  assert.equal(await formatOfFile(new Blob(['delivery_date;eic'])), 'csv');
});

test('only quarter-hours that differ or have reasons are explained', () => {
  const slot = {
    slot_number: 1,
    delivery_start: '',
    delivery_end: '',
    amount: 1,
    matched_amount: 1,
    counterpart_amount: null,
    difference: null,
    reasons: [],
  };
  const slots = [
    slot,
    { ...slot, matched_amount: null },
    { ...slot, slot_number: 2, matched_amount: 0.5 },
    { ...slot, slot_number: 3, counterpart_amount: 1, difference: 0 },
    { ...slot, slot_number: 4, counterpart_amount: 2, difference: -1 },
    { ...slot, slot_number: 5, reasons: [{ code: 'A44', text: '' }] },
  ];
  const head = { nomination_id: '', tso: 'DE_TENNET', message_version: 1, reasons: [] } as const;
  const times = { sent_at: null, acknowledged_at: null, confirmed_at: null };
  assert.deepEqual(
    explainedSlots({ ...head, ...times, reasons: [], slots }).map(({ slot_number }) => slot_number),
    [2, 4, 5],
  );
});
