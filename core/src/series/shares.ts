import type { DeliveryPeriod } from '../contracts/contract.ts';
import { type DeliveryDay, dayOf } from '../delivery-day.ts';
import { WHOLE_SHARE } from './source.ts';

/** A contract that takes a share of a series. Without a date it counts on every day on that side. */
export type SharingContract = DeliveryPeriod & { readonly id: string; readonly shareMillionths: number };

export type SharesDecision =
  | { readonly kind: 'fits' }
  | {
      readonly kind: 'shares_exceeded';
      /** The first day on which the shares exceed 1. Null: from the beginning. */
      readonly day: DeliveryDay | null;
      readonly shareMillionths: number;
      /** The contracts that deliver on that day, in the order given. */
      readonly contracts: readonly string[];
    };

/** Decides whether the shares of all contracts of one series stay within 1 on every day. */
export function checkShares(contracts: readonly SharingContract[]): SharesDecision {
  const spans = contracts
    .map(({ id, shareMillionths, deliveryStart, deliveryEnd }) => ({
      id,
      shareMillionths,
      start: deliveryStart ?? Number.NEGATIVE_INFINITY,
      end: deliveryEnd ?? Number.POSITIVE_INFINITY,
    }))
    .filter(({ start, end }) => start < end);
  const changes = spans
    .flatMap(({ start, end, shareMillionths }) => [
      { at: start, change: shareMillionths },
      { at: end, change: -shareMillionths },
    ])
    .sort((one, other) => (one.at === other.at ? 0 : one.at - other.at));
  let sum = 0;
  for (const [index, { at, change }] of changes.entries()) {
    sum += change;
    // The sum is that of a day only after all changes at its start.
    if (sum <= WHOLE_SHARE || changes[index + 1]?.at === at) continue;
    return {
      kind: 'shares_exceeded',
      day: at === Number.NEGATIVE_INFINITY ? null : dayOf(at),
      shareMillionths: sum,
      contracts: spans.filter(({ start, end }) => start <= at && at < end).map(({ id }) => id),
    };
  }
  return { kind: 'fits' };
}
