import { operatorContractEndpoints as endpoints } from '@saldo/api';
import { isDayWithin } from '@saldo/core/contracts/contract.ts';
import { type DeliveryDay, dayOf } from '@saldo/core/delivery-day.ts';
import { effectiveDay } from '@saldo/core/gates.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { recordAudit } from '../audit/store.ts';
import { type ContractChange, changeContract, createContract } from '../contracts/actions.ts';
import type { ContractRow } from '../contracts/store.ts';
import { wireOperatorContract } from '../contracts/wire.ts';
import { type Clock, transactionClock } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { answerChanged, ifMatch } from '../platform/http/preconditions.ts';
import { type Route, writeRoute } from '../platform/http/routes.ts';
import { lockContract } from '../transactions/actions.ts';
import { DirtyPositions } from '../transactions/dirty-positions.ts';
import { changeStoredDays, type RestoredDays } from '../transactions/stored-days.ts';
import { findNewestActivation, type VolumeContract } from '../transactions/volume-contracts.ts';
import { followSources } from './follow-values.ts';

/** Creation and change of contracts, with the transactions that follow from them in the same transaction. */
export function operatorContractChangeRoutes(context: { clock: Clock; rules: MarketRules }): Route[] {
  const { clock, rules } = context;
  return [
    writeRoute(endpoints.createContract, async (call, tx) => {
      const time = transactionClock(clock);
      const row = await createContract(tx, call.body, time);
      const now = time.now();
      if (row.source) await followNewSource(tx, row, effectiveDay(now, rules), now);
      const after = wireOperatorContract(row, now);
      await recordAudit(tx, call, { action: 'contract.created', subject: after.id, after }, now);
      return after;
    }),

    writeRoute(endpoints.updateContract, async (call, tx) => {
      const { params, body, request } = call;
      const shown = (row: ContractRow) => wireOperatorContract(row, clock.now());
      const changed = await changeContract(tx, params.contract_id, body, ifMatch(request, shown), context);
      await followChange(tx, changed, context.rules);
      const { now } = changed;
      const [before, after] = [
        wireOperatorContract(changed.before, now),
        wireOperatorContract(changed.after, now),
      ];
      await recordAudit(tx, call, { action: 'contract.updated', subject: after.id, before, after }, now);
      return answerChanged(call, after);
    }),
  ];
}

async function followNewSource(tx: Tx, { id }: ContractRow, first: DeliveryDay, now: number): Promise<void> {
  const dirty = new DirtyPositions();
  await followSources(tx, [await lockContract(tx, id)], { first }, dirty, now);
  await dirty.mark(tx);
}

/**
 * An earlier end invalidates transactions, a later one makes them valid again; a new source, and days that the contract
 * now delivers on, make them. Sources come before the restored ones, so that each of those has one new version.
 */
async function followChange(tx: Tx, change: ContractChange, rules: MarketRules): Promise<void> {
  const { before, after, hasNewSource, effectiveDay: effective, now } = change;
  const contract = await lockContract(tx, after.id);
  const dirty = new DirtyPositions();
  const { delivery_start: start, delivery_end: end } = after;
  if (end !== null && end !== before.delivery_end) {
    const reason = { text: 'contract ended', customerId: null, byEnd: true };
    const ended = { kind: 'invalidate', first: dayOf(end), reason } as const;
    await changeStoredDays(tx, [contract], ended, dirty, now);
  }
  const restored = await restoredDays(tx, contract, change, rules);
  const period = { deliveryStart: before.delivery_start, deliveryEnd: before.delivery_end };
  const isWanted = (_: unknown, day: DeliveryDay) =>
    (hasNewSource && day >= effective) || !isDayWithin(period, day);
  const hasNewDays = start !== before.delivery_start || end !== before.delivery_end;
  const first = hasNewDays && start !== null ? dayOf(start) : effective;
  if (hasNewSource || hasNewDays)
    await followSources(tx, [contract], { first, isWanted, restored }, dirty, now);
  if (restored !== undefined)
    await changeStoredDays(tx, [contract], { kind: 'restore and reissue', ...restored }, dirty, now);
  await dirty.mark(tx);
}

/** The days that a later end adds. */
async function restoredDays(
  tx: Tx,
  contract: VolumeContract,
  { before: { delivery_end: oldEnd }, after: { delivery_end: end }, now }: ContractChange,
  rules: MarketRules,
): Promise<RestoredDays | undefined> {
  if (oldEnd === null || end === null || end <= oldEnd) return undefined;
  const activatedAt = await findNewestActivation(tx, contract);
  return { first: dayOf(oldEnd), reactivated: effectiveDay(activatedAt ?? now, rules) };
}
