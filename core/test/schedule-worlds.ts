import fc from 'fast-check';
import { type DeliveryDay, slotCount } from '../src/delivery-day.ts';
import { checkCharacter } from '../src/eic.ts';
import { TSOS, type Tso } from '../src/enums.ts';
import {
  buildSchedules,
  type NextSchedule,
  type NominatedPosition,
  type Schedule,
  type ScheduleInput,
} from '../src/exchange/schedule.ts';
import { BUILT_IN_RULES } from '../src/market-rules-file.ts';

export const OPERATOR = '11XSALDO-------Z';

const withCheck = (first15: string) => first15 + checkCharacter(first15);
const GROUPS = [
  '11XNORDWIND----',
  '11XRHEINSTROM--',
  '11XALBSTROM----',
  '11XSWVIERNAU---',
  '11YALBNETZ-----',
].map(withCheck);
export const PLACES = GROUPS.flatMap((eic) => TSOS.map((tso) => ({ eic, tso })));

/** One day of each length. */
export const anyDay = fc.constantFrom<DeliveryDay>('2026-03-29', '2026-06-15', '2026-10-25');

export type Trade = { from: number; to: number; firstSlot: number; slots: number; kwh: number };
const anyPlace = fc.nat(PLACES.length - 1);
const anyTrade: fc.Arbitrary<Trade> = fc.record({
  from: anyPlace,
  to: anyPlace,
  firstSlot: fc.integer({ min: 1, max: 100 }),
  slots: fc.integer({ min: 1, max: 100 }),
  kwh: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 2 ** 31 - 1 })),
});

/** The market of one day, initially and after each of some corrections. */
export const anyMarkets = fc.array(fc.array(anyTrade, { maxLength: 8 }), { minLength: 1, maxLength: 5 });

/** The nominations of a market. A direction that was nominated before stays, with zeros if necessary. */
export function nominate(
  day: DeliveryDay,
  market: readonly Trade[],
  before: readonly NominatedPosition[],
): NominatedPosition[] {
  const slots = slotCount(day);
  const saldos = PLACES.map(() => Array.from<number>({ length: slots }).fill(0));
  for (const { from, to, firstSlot, slots: length, kwh } of market) {
    for (let at = firstSlot - 1; at < Math.min(firstSlot - 1 + length, slots); at++) {
      saldos[from]![at]! += kwh;
      saldos[to]![at]! -= kwh;
    }
  }
  return nominateSaldos(saldos, before);
}

/** The nominations of these saldos, one per place. A direction that was nominated before stays. */
export function nominateSaldos(
  saldos: readonly (readonly number[])[],
  before: readonly NominatedPosition[],
): NominatedPosition[] {
  return PLACES.flatMap((place, no) => {
    const known = before.find(({ eic, tso }) => eic === place.eic && tso === place.tso);
    const amounts = (sign: 1 | -1, was: readonly number[] | null | undefined) => {
      const kwh = saldos[no]!.map((saldo) => Math.max(sign * saldo, 0));
      return kwh.some((one) => one > 0) || (was ?? null) !== null ? kwh : null;
    };
    const position = { ...place, outKwh: amounts(1, known?.outKwh), inKwh: amounts(-1, known?.inKwh) };
    return position.outKwh === null && position.inKwh === null ? [] : [position];
  });
}

/** The next schedules of the operator by the built-in rules. */
export const nextSchedules = (input: Omit<ScheduleInput, 'operatorEic' | 'rules'>): NextSchedule[] =>
  buildSchedules({ operatorEic: OPERATOR, rules: BUILT_IN_RULES, ...input });

/**
 * The schedules after each market, the newest of each TSO, and their inputs. `closings` has the number of closed slots at
 * each of them.
 */
export function* scheduleHistory(
  day: DeliveryDay,
  markets: readonly (readonly Trade[])[],
  closings: readonly number[] = [],
) {
  let positions: NominatedPosition[] = [];
  let schedules: Schedule[] = [];
  for (const [step, market] of markets.entries()) {
    const previous = schedules;
    const closedSlots = closings[step] ?? 0;
    positions = nominate(day, market, positions);
    const next = nextSchedules({ day, positions, previous, closedSlots });
    schedules = newest(previous, next);
    yield { positions, previous, next, schedules, closedSlots };
  }
}

export function newest(previous: readonly Schedule[], next: ReturnType<typeof buildSchedules>): Schedule[] {
  const renewed = next.flatMap((one) => (one.kind === 'schedule' ? [one.schedule] : []));
  const kept = previous.filter(({ tso }) => !renewed.some((one) => one.tso === tso));
  return [...kept, ...renewed];
}

export function areaOf(tso: Tso): string {
  return BUILT_IN_RULES.controlAreas[tso][0]!.area;
}

export function slotsOf(day: DeliveryDay, bySlot: Readonly<Record<number, number>> = {}): number[] {
  return Array.from({ length: slotCount(day) }, (_, at) => bySlot[at + 1] ?? 0);
}
