import { type DeliveryDay, dayEnd, dayStart } from '../delivery-day.ts';
import type { ContractStatus } from '../enums.ts';

/** Half-open: the end is the first instant without delivery. */
export type DeliveryPeriod = { deliveryStart: number | null; deliveryEnd: number | null };

/** `isActivated`: whether both customers have been activated at least once. */
export function contractStatus(
  { deliveryStart, deliveryEnd, isActivated }: DeliveryPeriod & { isActivated: boolean },
  now: number,
): ContractStatus {
  if (!isActivated || deliveryStart === null || now < deliveryStart) return 'pending';
  return deliveryEnd !== null && now >= deliveryEnd ? 'completed' : 'in_progress';
}

/** Whether the contract delivers on the whole day. A contract without both dates has no volumes. */
export function isDayWithin({ deliveryStart, deliveryEnd }: DeliveryPeriod, day: DeliveryDay): boolean {
  if (deliveryStart === null || deliveryEnd === null) return false;
  return deliveryStart <= dayStart(day) && dayEnd(day) <= deliveryEnd;
}
