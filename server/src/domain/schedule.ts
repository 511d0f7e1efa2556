import { assert } from './assert.ts';
import { CONTROL_AREAS, type ControlArea, controlArea, type Tso } from './control-area.ts';
import { type DeliveryDay, slotCount } from './delivery-day.ts';
import { kwFromKwh } from './energy.ts';
import type { Direction } from './nomination.ts';

/** A02 moves energy between two balance groups, A06 moves the operator's own between two control areas. */
export type BusinessType = 'A02' | 'A06';

/** Energy flows from the out party in the out area to the in party in the in area. */
export type SeriesKey = {
  /** The same in every version, on every day and, for a bridge, in both areas' files. */
  identification: string;
  businessType: BusinessType;
  outParty: string;
  outArea: string;
  inParty: string;
  inArea: string;
};

export type Series = SeriesKey & { version: number; powersKw: readonly number[] };

/** What the operator tells one TSO about one day: always everything, in one message. */
export type Schedule = {
  operatorEic: string;
  tso: Tso;
  day: DeliveryDay;
  /** The same for all versions of a day. */
  messageId: string;
  version: number;
  series: readonly Series[];
};

/** What is nominated for a balance group in a control area, per direction; null where there is no nomination. */
export type NominatedPosition = {
  eic: string;
  tso: Tso;
  outKwh: readonly number[] | null;
  inKwh: readonly number[] | null;
};

export type ScheduleInput = {
  operatorEic: string;
  day: DeliveryDay;
  /** The current nominations of all four control areas: bridges need all of them. */
  positions: readonly NominatedPosition[];
  /** The newest schedule made for each TSO and this day, sent or about to be. */
  previous: readonly Schedule[];
};

export type NextSchedule = { tso: Tso } & (
  | {
      /** The newest schedule says exactly this already; it carries the nominations that are current now. */
      kind: 'unchanged';
    }
  | { kind: 'schedule'; schedule: Schedule }
  | {
      /** Slots in which the areas together do not net to zero, with the kW that this one has too many (or too few). */
      kind: 'imbalance';
      slots: readonly { slot: number; powerKw: number }[];
      message: string;
    }
  | { kind: 'versions_exhausted'; message: string }
);

/** The message version has three digits. */
export const MAX_MESSAGE_VERSION = 999;
/** What the formats allow for the identification of a series or a message. */
export const MAX_IDENTIFICATION_LENGTH = 35;

/** An entry for every TSO that has or had something to be told, in the order of the control areas. */
export function buildSchedules(input: ScheduleInput): NextSchedule[] {
  throw new Error('to be written');
}

/** The nomination that a series mirrors: whose it is and its direction there; null for a bridge. */
export function nominationOf(
  series: SeriesKey,
  operatorEic: string,
): { eic: string; direction: Direction } | null {
  if (series.businessType === 'A06') return null;
  return series.inParty === operatorEic
    ? { eic: series.outParty, direction: 'out' }
    : { eic: series.inParty, direction: 'in' };
}

/** '20261025_TPS_11XSALDO-------Z_AMP' */
export function messageIdentification(day: DeliveryDay, operatorEic: string, tso: Tso): string {
  return `${compactDay(day)}_TPS_${operatorEic}_${controlArea(tso).tag}`;
}

/** '20261025' */
export function compactDay(day: DeliveryDay): string {
  return day.replaceAll('-', '');
}
