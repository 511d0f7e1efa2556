import type { Contract, DeliveryDayCalendar, Source, Tso } from '@saldo/api';
import { type DeliveryDay, MINUTE_MS, SLOTS_PER_HOUR } from '@saldo/core/delivery-day.ts';

/** A visitor has to be able to send before the day-ahead gate closes. */
const TIME_TO_SEND_MS = 20 * MINUTE_MS;

/**
 * Whether schedules of the day can be sent during the whole story: until shortly before the day-ahead gate, and after the
 * wait phase, in which TSOs accept no changes.
 */
export function isOpen({ gates }: Pick<DeliveryDayCalendar, 'gates'>, now: number): boolean {
  const closes = (phase: (typeof gates)[number]['phase']) =>
    Date.parse(gates.find((gate) => gate.phase === phase)?.closes_at ?? '');
  return now < closes('day_ahead') - TIME_TO_SEND_MS || now >= closes('wait');
}

/** Volumes of a contract that follows series cannot be typed. Within one balance group nothing is nominated. */
const isEditable = (contract: Contract & { readonly source?: Source | null }): boolean =>
  contract.type === 'ppa' && !contract.source && contract.seller.eic !== contract.buyer.eic;

/** The contract of the story: between control areas and with the same volume in every quarter-hour, if there is one. */
export function chooseContract(contracts: readonly Contract[]): Contract | null {
  const rank = (contract: Contract) =>
    (contract.type === 'ppa' && contract.ppa_type === 'baseload' ? 2 : 0) +
    (contract.seller.tso === contract.buyer.tso ? 0 : 1);
  return contracts.filter(isEditable).toSorted((one, other) => rank(other) - rank(one))[0] ?? null;
}

/** Hours of the night are left out: late in the evening their gates are about to close. */
const FIRST_HOUR = 6;
const NOON = 12;

/**
 * The first slot of the hour with the most energy, the one next to noon if there are several. Null without energy. Every
 * story takes energy away, so that the next one changes another hour.
 */
export function chooseHour(volumesKwh: readonly (number | null)[]): number | null {
  const hours = Array.from({ length: volumesKwh.length / SLOTS_PER_HOUR - FIRST_HOUR }, (_, at) => {
    const hour = at + FIRST_HOUR;
    const slots = volumesKwh.slice(hour * SLOTS_PER_HOUR, (hour + 1) * SLOTS_PER_HOUR);
    return { hour, kwh: slots.reduce<number>((sum, kwh) => sum + (kwh ?? 0), 0) };
  });
  const [most] = hours.toSorted(
    (one, other) => other.kwh - one.kwh || Math.abs(one.hour - NOON) - Math.abs(other.hour - NOON),
  );
  return most && most.kwh > 0 ? most.hour * SLOTS_PER_HOUR + 1 : null;
}

/** The volumes that the story types: in one hour a fifth less. Null where nothing changes. */
export const reduced = (volumesKwh: readonly (number | null)[], firstSlot: number): (number | null)[] =>
  volumesKwh.map((kwh, at) =>
    kwh !== null && at + 1 >= firstSlot && at + 1 < firstSlot + SLOTS_PER_HOUR ? Math.floor(kwh * 0.8) : null,
  );

/** A running story. What was stored before it began tells its own changes apart. */
export type Story = {
  readonly step: number;
  readonly contractId: string;
  readonly reference: string;
  readonly day: DeliveryDay;
  /** The first slot of the hour that changes. */
  readonly slot: number;
  /** The position of the seller. */
  readonly eic: string;
  readonly tso: Tso;
  readonly before: { readonly transactions: number; readonly sumKwh: number; readonly nominations: number };
};
