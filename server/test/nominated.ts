import assert from 'node:assert/strict';
import type { Explanation, NominationCauses, Tso } from '@saldo/api';
import { slotCount } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { recordConfirmations } from '../src/nominations/actions.ts';
import { type Client, client, type TestPlatform } from './harness.ts';

export type NominationSlot = {
  slot_number: number;
  amount: number;
  matched_amount: number | null;
  delivery_start: string;
  delivery_end: string;
};

/** The members of a nomination that tests use. */
export type Nominated = {
  id: string;
  status: string;
  version: number;
  previous_nomination_id: string | null;
  gate_closure: string;
  direction: 'out' | 'in';
  eic: string;
  tso: Tso;
  slots: NominationSlot[];
};

export const listNominated = async (request: Client, query = ''): Promise<Nominated[]> =>
  (await request(`/v1/nominations?include_slots=true&limit=100${query}`)).body.nominations;

export const kwhOf = kwhFromMwh;
export const amountsOf = (nomination: Nominated) => nomination.slots.map(({ amount }) => kwhOf(amount));
export const nominationUuid = ({ id }: Nominated) => decodeId(ID_PREFIX.nomination, id) as string;

/** The saldo of the listed transactions equals the nomination's amount in every slot, and none of them is zero. */
export function assertExplains({ nomination_id, direction, slots }: Explanation): void {
  for (const { slot_number, amount, transactions } of slots) {
    const saldo = transactions.reduce(
      (kwh, { role, volume }) => kwh + (role === 'sender' ? kwhOf(volume) : -kwhOf(volume)),
      0,
    );
    const expected = Math.max(0, direction === 'out' ? saldo : -saldo);
    assert.equal(kwhOf(amount), expected, `${nomination_id} slot ${slot_number}`);
    for (const { volume } of transactions) assert.notEqual(volume, 0);
  }
}

/** The causes of a version sum to its difference from the version before. */
export function assertCauses(causes: NominationCauses, before: Nominated | null, after: Nominated): void {
  const changed = amountsOf(after).map((kwh, at) => kwh - (before === null ? 0 : amountsOf(before)[at]!));
  const sum = (kwh: readonly number[]) => kwh.reduce((total, one) => total + one, 0);
  assert.equal(causes.since_nomination_id, before?.id ?? null);
  assert.equal(kwhOf(causes.difference), sum(changed), after.id);
  assert.equal(causes.slots_changed, changed.filter((kwh) => kwh !== 0).length, after.id);
  assert.equal(sum(causes.causes.map(({ difference }) => kwhOf(difference))), sum(changed), after.id);
}

/** The same value in every slot of a day. */
export const flat = (day: string, value: number) => Array.from({ length: slotCount(day) }, () => value);
/** One value in these slots, another one in all others. */
export const only = (day: string, slots: readonly number[], value: number, elsewhere = 0) =>
  flat(day, elsewhere).map((other, at) => (slots.includes(at + 1) ? value : other));

/** Volumes in only these slots of a day. */
export const cells = (day: string, bySlot: Record<number, number>) =>
  flat(day, 0).map((_, at) => bySlot[at + 1] ?? null);

/** A seller and a buyer with a contract, and API clients for both. */
export async function makeDeal({ baseUrl, world }: TestPlatform) {
  const parties = await world.pair();
  const contract = await world.contract(parties.producer, parties.consumer);
  const asSeller = client(baseUrl, parties.seller.key);
  const asBuyer = client(baseUrl, parties.buyer.key);
  return { ...parties, contract, asSeller, asBuyer };
}

/** The TSO confirms each slot with the power that `matched` returns for the nominated one. */
export const confirm = (
  { db, clock }: TestPlatform,
  nomination: Nominated,
  matched: (kw: number, at: number) => number,
  isFinal = true,
) =>
  db.transaction((tx) => {
    const matchedKw = amountsOf(nomination).map((kwh, at) => matched(kwh * 4, at));
    const matchedNomination = { id: nominationUuid(nomination), matchedKw };
    return recordConfirmations(tx, [matchedNomination], isFinal, clock.now());
  });
