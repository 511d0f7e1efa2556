import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Nomination, Reconciliation } from '@saldo/api';
import { SLOT_MS, slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import { monthRows } from './month-rows.ts';
import { changesBetween, findDay, hoursOf, isMismatch, slotsOf, totalsOf } from './nominated-slots.ts';

type Amounts = (slot: number) => { amount: number; matched: number | null };

function nomination(day: string, amounts: Amounts, more: Partial<Nomination> = {}): Nomination {
  const slots = Array.from({ length: slotCount(day) }, (_, index) => {
    const { amount, matched } = amounts(index + 1);
    return {
      slot_number: index + 1,
      delivery_start: new Date(slotStart(day, index + 1)).toISOString(),
      delivery_end: new Date(slotStart(day, index + 1) + SLOT_MS).toISOString(),
      amount,
      matched_amount: matched,
    };
  });
  return {
    id: 'nom_1',
    status: 'match',
    version: 1,
    previous_nomination_id: null,
    gate_closure: null,
    confirmed_at: null,
    direction: 'out',
    eic: '11XNORDWIND----J',
    tso: 'DE_50HERTZ',
    sent_at: null,
    counterparty: { name: 'Saldo', eic: '11XSALDO-------Z' },
    created_at: '2026-10-24T08:00:00Z',
    slots,
    ...more,
  };
}

test('totals are exact, and there is no matched total as long as a slot is not matched', () => {
  const whole = totalsOf(slotsOf(nomination('2026-11-15', () => ({ amount: 0.1, matched: 0.1 }))));
  assert.deepEqual(whole, { amountKwh: 9600, matchedKw: 4 * 9600, mismatches: 0 });
  const open = totalsOf(
    slotsOf(nomination('2026-11-15', (slot) => ({ amount: 0.1, matched: slot === 96 ? null : 0.1 }))),
  );
  assert.equal(open.matchedKw, null);
  assert.equal(open.mismatches, 0);
});

test('an unmatched nomination is no mismatch; one matched with zero is', () => {
  const slots = slotsOf(nomination('2026-11-15', (slot) => ({ amount: 1, matched: slot === 5 ? 0 : null })));
  assert.deepEqual(
    slots.filter(isMismatch).map(({ slot }) => slot),
    [5],
  );
});

test('the reconciliation shows a difference of 1 kW, which the rounded amounts hide', () => {
  const rounded = nomination('2026-11-15', () => ({ amount: 1.75, matched: 1.75 }));
  assert.equal(slotsOf(rounded).filter(isMismatch).length, 0);
  const slots = (rounded.slots ?? []).map((slot) => ({
    ...slot,
    matched_amount: slot.slot_number === 3 ? 1.74975 : 1.75,
    counterpart_amount: null,
    difference: null,
    reasons: [],
  }));
  const reconciliation = { slots } as unknown as Reconciliation;
  const exact = slotsOf(rounded, reconciliation);
  assert.deepEqual(
    exact.filter(isMismatch).map(({ slot, matchedKw }) => [slot, matchedKw]),
    [[3, 6999]],
  );
  assert.equal(totalsOf(exact).matchedKw, 96 * 7000 - 1);
});

test('a clock-change day has 25 hours of four quarters, whose sums make the day', () => {
  const day = nomination('2026-10-25', (slot) => ({ amount: slot / 1000, matched: null }));
  const hours = hoursOf(slotsOf(day));
  assert.equal(hours.length, 25);
  assert.ok(hours.every(({ slots }) => slots.length === 4));
  const sum = hours.reduce((total, { slots }) => total + totalsOf(slots).amountKwh, 0);
  assert.equal(sum, (100 * 101) / 2);
  assert.equal(findDay(day), '2026-10-25');
});

test('changes list exactly the slots that differ', () => {
  const before = nomination('2026-11-15', () => ({ amount: 1, matched: null }));
  const after = nomination('2026-11-15', (slot) => ({ amount: slot === 7 ? 1.5 : 1, matched: null }));
  assert.deepEqual(
    changesBetween(before, after).map(({ slot, beforeKwh, afterKwh }) => [slot, beforeKwh, afterKwh]),
    [[7, 1000, 1500]],
  );
  assert.deepEqual(changesBetween(before, before), []);
  assert.equal(changesBetween(null, after).length, 96);
});

test('a month nets deliveries against receipts, and marks days without either', () => {
  const out = nomination('2026-11-15', () => ({ amount: 2, matched: 2 }));
  const back = nomination('2026-11-15', (slot) => ({ amount: 0.5, matched: slot === 3 ? 0 : 0.5 }), {
    direction: 'in',
  });
  const [empty, filled] = monthRows(['2026-11-14', '2026-11-15'], [out, back]);
  assert.ok(empty?.saldoKwh.every((kwh) => kwh === null));
  assert.equal(filled?.saldoKwh[0], 1500);
  assert.equal(filled?.netKwh, 96 * 1500);
  assert.deepEqual([...(filled?.mismatched ?? [])], [3]);
});
