import { assert } from '../assert.ts';
import { type DeliveryDay, slotCount } from '../delivery-day.ts';
import { kwFromKwh } from '../energy.ts';
import type { Direction, Tso } from '../enums.ts';
import { type MarketRules, tsoCodes } from '../market-rules.ts';
import {
  MAX_MESSAGE_VERSION,
  messageIdentification,
  nominatedSeries,
  type Schedule,
  type Series,
  seriesIdentification,
} from './schedule.ts';

/** A nomination of a balance group: what it has to nominate against the operator. */
export type OwnNomination = {
  readonly eic: string;
  readonly tso: Tso;
  readonly direction: Direction;
  readonly amountsKwh: readonly number[];
};

/**
 * A series of the balance group's own schedule. Parties and areas are those of the operator's series: energy flows from
 * the same party to the same party, whichever side nominates it.
 */
export function ownSeries(
  { eic, direction, amountsKwh }: OwnNomination,
  area: string,
  operatorEic: string,
  version: number,
): Series {
  return {
    ...nominatedSeries({ eic, direction }, area, operatorEic),
    identification: seriesIdentification(operatorEic, direction),
    version,
    powersKw: amountsKwh.map(kwFromKwh),
  };
}

/**
 * The whole schedule of a balance group for one TSO and day, with the operator as its only counterpart. Every series has
 * the version of the message: a TSO rejects a higher one, and a changed series with the version that it had before.
 */
export function ownSchedule(
  { eic, tso, day, version }: { eic: string; tso: Tso; day: DeliveryDay; version: number },
  nominations: readonly OwnNomination[],
  operatorEic: string,
  rules: MarketRules,
): Schedule {
  assert(version >= 1 && version <= MAX_MESSAGE_VERSION, 'a message version has one to three digits');
  const codes = tsoCodes(rules, tso, day);
  const series = nominations.map((nomination) => {
    assert(nomination.eic === eic && nomination.tso === tso, 'a schedule is of one position');
    assert(nomination.amountsKwh.length === slotCount(day), 'a nomination has every slot of its day');
    return ownSeries(nomination, codes.area, operatorEic, version);
  });
  return {
    operatorEic: eic,
    tso,
    codes,
    day,
    messageId: messageIdentification(day, eic, codes),
    version,
    series,
  };
}
