import type { DeliveryDay } from '../delivery-day.ts';
import { kwFromKwh } from '../energy.ts';
import type { Direction, Tso } from '../enums.ts';
import type { Message } from '../messages/message.ts';
import type { UnusableSeries } from './answer.ts';
import type { OwnNomination } from './own-schedule.ts';
import { OPERATOR_BUSINESS_TYPES, type Schedule, type Series } from './schedule.ts';
import type { Finding } from './schedule-rules.ts';

/** A series with the operator in the schedule of a balance group. */
export type CheckedSeries = {
  /** Null in a CSV file. */
  readonly identification: string | null;
  readonly eic: string;
  readonly tso: Tso;
  readonly direction: Direction;
  /** Per slot: one value, or two if a line of a CSV file contradicts itself. */
  readonly powersKw: readonly (readonly number[])[];
};

/** The series with the operator in a file. */
export type CheckedSchedule = {
  readonly day: DeliveryDay;
  /** Null in a CSV file. */
  readonly version: number | null;
  /** Balance groups and TSOs whose nominations the file should have. */
  readonly eics: ReadonlySet<string>;
  readonly tsos: ReadonlySet<Tso>;
  readonly series: readonly CheckedSeries[];
  /** Number of series with other parties. */
  readonly ignored: number;
};

/** A CSV file has the findings of its series with other parties. */
export type CheckedCsv = CheckedSchedule & { readonly findings: readonly Finding[] };

/** Sentences without full stop that explain why a file cannot be compared. */
export type CheckFaults = { readonly faults: readonly Message[] };

/** A schedule that was read from XML, and its series that could not be used. */
export type ReadSchedule = {
  readonly schedule: Schedule;
  readonly unusable: readonly UnusableSeries[];
  readonly headFaults: readonly Message[];
};

/**
 * Selects the series with the operator. Series with others may be of any kind, also unreadable: they are only counted.
 * The sender of a schedule is its balance group.
 */
export function seriesWithOperator(
  { schedule, unusable }: Pick<ReadSchedule, 'schedule' | 'unusable'>,
  operatorEic: string,
): CheckedSchedule | CheckFaults {
  const isWithOperator = ({ outParty, inParty }: Pick<UnusableSeries, 'outParty' | 'inParty'>) =>
    outParty === operatorEic || inParty === operatorEic;
  const faults = unusable
    .filter((series) => isWithOperator(series) || (series.outParty === null && series.inParty === null))
    .map(({ fault }) => fault);
  const found = schedule.series.filter(
    (series) => isWithOperator(series) && series.outParty !== series.inParty,
  );
  const series = found.map((one) => checkedSeries(one, schedule, operatorEic));
  faults.push(...found.flatMap(typeFault), ...found.flatMap((one) => areaFault(one, schedule)));
  faults.push(...duplicates(series));
  if (faults.length > 0) return { faults };
  return {
    day: schedule.day,
    version: schedule.version,
    eics: new Set([schedule.operatorEic, ...series.map(({ eic }) => eic)]),
    tsos: new Set([schedule.tso]),
    series,
    ignored: schedule.series.length - found.length + unusable.length,
  };
}

function checkedSeries(
  { identification, outParty, inParty, powersKw }: Series,
  { tso }: Schedule,
  operatorEic: string,
): CheckedSeries {
  const [eic, direction] = inParty === operatorEic ? [outParty, 'out' as const] : [inParty, 'in' as const];
  return { identification, eic, tso, direction, powersKw: powersKw.map((powerKw) => [powerKw]) };
}

/** The operator has no other series with a balance group. */
function typeFault({ identification, businessType: code }: Series): Message[] {
  if (OPERATOR_BUSINESS_TYPES.includes(code)) return [];
  const part = { key: 'document.series', identification } as const;
  const field = { key: 'document.field_businessType' } as const;
  const fault = { key: 'document.code', field, code, known: OPERATOR_BUSINESS_TYPES } as const;
  return [{ key: 'document.within', part, fault }];
}

function areaFault(
  { identification, outArea, inArea }: Series,
  { codes: { area }, tso }: Schedule,
): Message[] {
  if (outArea === area && inArea === area) return [];
  return [{ key: 'document.check_area', identification, outArea, inArea, tso, area }];
}

const keyOf = ({ eic, tso, direction }: Pick<OwnNomination, 'eic' | 'tso' | 'direction'>) =>
  `${eic} ${tso} ${direction}`;

function duplicates(series: readonly CheckedSeries[]): Message[] {
  const seen = new Set<string>();
  return series.flatMap((one) => {
    const key = keyOf(one);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [{ key: 'document.check_twice', eic: one.eic, direction: one.direction }];
  });
}

export type ScheduleComparison<Nomination> = {
  compared: {
    nomination: Nomination;
    slotsEqual: number;
    /** Slots that differ. */
    slots: { slot: number; amountKwh: number; yoursKw: number }[];
  }[];
  /** Nominations of the file's balance groups and TSOs that the file does not have. */
  missing: Nomination[];
  /** Series without a nomination, with the nomination of the other direction if the file does not have that one. */
  unknown: { series: CheckedSeries; opposite: Nomination | null }[];
};

/** Compares a schedule with the current nominations of its day, exactly, in kW. */
export function compareSchedule<Nomination extends OwnNomination>(
  { eics, tsos, series }: CheckedSchedule,
  nominations: readonly Nomination[],
): ScheduleComparison<Nomination> {
  const nominated = new Map(nominations.map((nomination) => [keyOf(nomination), nomination]));
  const present = new Set(series.map(keyOf));
  const oppositeOf = (one: CheckedSeries) => {
    const key = keyOf({ ...one, direction: one.direction === 'out' ? 'in' : 'out' });
    return present.has(key) ? null : (nominated.get(key) ?? null);
  };
  const result: ScheduleComparison<Nomination> = { compared: [], missing: [], unknown: [] };
  for (const one of series) {
    const nomination = nominated.get(keyOf(one));
    if (nomination === undefined) {
      result.unknown.push({ series: one, opposite: oppositeOf(one) });
      continue;
    }
    const slots = nomination.amountsKwh.flatMap((amountKwh, at) => {
      const yoursKw = one.powersKw[at]!.find((powerKw) => powerKw !== kwFromKwh(amountKwh));
      return yoursKw === undefined ? [] : [{ slot: at + 1, amountKwh, yoursKw }];
    });
    result.compared.push({ nomination, slotsEqual: nomination.amountsKwh.length - slots.length, slots });
  }
  result.missing = nominations.filter(
    (nomination) => eics.has(nomination.eic) && tsos.has(nomination.tso) && !present.has(keyOf(nomination)),
  );
  return result;
}
