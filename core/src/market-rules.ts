import { assert } from './assert.ts';
import type { DeliveryDay } from './delivery-day.ts';
import { TSOS, type Tso } from './enums.ts';
import type { Holidays } from './holidays.ts';

/** A rule with its first delivery day. Null: from the beginning. The next entry of the list ends it. */
export type Dated<Rule> = Rule & { readonly validFrom: DeliveryDay | null };

/** Deadlines of the market. `…Minutes` without a lead are local minutes of the day. */
export type GateTimes = {
  /** On the day before delivery. */
  readonly dayAheadMinutes: number;
  /** On the day before delivery. TSOs process changes after the day-ahead gate from this time on. */
  readonly waitEndMinutes: number;
  /** Before the start of each slot. */
  readonly intradayLeadMinutes: number;
  /** On the next working day after delivery. */
  readonly dayAfterMinutes: number;
  /** Latest day of the gate, counted from delivery, if no working day comes before. */
  readonly dayAfterMaxDays: number;
};

/** Upper bound of `dayAfterMaxDays`: no gate of a delivery day is later than this many days after it. */
export const MAX_DAY_AFTER_DAYS = 14;

/** Issuers of the numbers by which gateways address market partners. */
export const NUMBER_AUTHORITIES = ['BDEW', 'GS1', 'DVGW'] as const;
export type PartyNumber = {
  readonly number: string;
  readonly authority: (typeof NUMBER_AUTHORITIES)[number];
};

/** Codes of a TSO: EICs of its area (where energy is) and of itself (who sends and receives messages). */
export type TsoCodes = {
  readonly area: string;
  readonly party: string;
  /** Short tag for identifications of messages and bridges. */
  readonly tag: string;
  /** Null: not known. */
  readonly partyNumber: PartyNumber | null;
};

export type ControlArea = TsoCodes & { readonly tso: Tso };

/** Everything that a regulator may change, with dates. Each list is ascending and covers all days. */
export type MarketRules = {
  readonly gates: readonly Dated<GateTimes>[];
  readonly holidays: readonly Dated<Holidays>[];
  readonly controlAreas: Readonly<Record<Tso, readonly Dated<TsoCodes>[]>>;
  readonly operator: readonly Dated<{ readonly partyNumber: PartyNumber | null }>[];
};

/** The entry that applies to a day. */
export function inForce<Rule>(entries: readonly Dated<Rule>[], day: DeliveryDay): Rule {
  const found = entries.findLast(({ validFrom }) => validFrom === null || validFrom <= day);
  assert(found !== undefined, 'rules cover all days');
  return found;
}

export function tsoCodes(rules: MarketRules, tso: Tso, day: DeliveryDay): TsoCodes {
  const { area, party, tag, partyNumber } = inForce(rules.controlAreas[tso], day);
  return { area, party, tag, partyNumber };
}

/** In the order in which bridges between them are filled. */
export function controlAreas(rules: MarketRules, day: DeliveryDay): ControlArea[] {
  return TSOS.map((tso) => ({ tso, ...tsoCodes(rules, tso, day) }));
}

/** The control area whose TSO has or had this party code. Two TSOs never share a code, so the day is not needed. */
export function findAreaByParty(rules: MarketRules, partyEic: string): ControlArea | null {
  for (const tso of TSOS) {
    const found = rules.controlAreas[tso].findLast(({ party }) => party === partyEic);
    if (found !== undefined) return { tso, ...found };
  }
  return null;
}
