import type { Reconciliation, ScheduleCheck } from '@saldo/api';
import { slotStart } from '@saldo/core/delivery-day.ts';
import { kwFromExactMwh, kwFromKwh } from '@saldo/core/energy.ts';
import type { NominatedSlot } from './nominated-slots.ts';

/** A row of the result. A nomination that the file does not have has only its id. */
export type CheckedRow = {
  readonly id: string;
  readonly state: 'equal' | 'different' | 'missing' | 'unknown' | 'swapped';
  readonly series: Pick<ScheduleCheck['compared'][number], 'eic' | 'tso' | 'direction'> | null;
  /** The nomination that can be opened. */
  readonly nominationId: string | null;
  readonly differentSlots: number;
};

/** Faults first. */
const ORDER: Readonly<Record<CheckedRow['state'], number>> = {
  swapped: 0,
  unknown: 1,
  missing: 2,
  different: 3,
  equal: 4,
};

export function rowsOf({ compared, missing, unknown }: ScheduleCheck): CheckedRow[] {
  const rows: CheckedRow[] = [
    ...unknown.map((series): CheckedRow => {
      const nominationId = series.opposite_nomination_id;
      const state = nominationId === null ? 'unknown' : 'swapped';
      const id = `${series.eic} ${series.tso} ${series.direction}`;
      return { id, state, series, nominationId, differentSlots: 0 };
    }),
    ...missing.map(
      (id): CheckedRow => ({ id, state: 'missing', series: null, nominationId: id, differentSlots: 0 }),
    ),
    ...compared.map(
      (series): CheckedRow => ({
        id: series.nomination_id,
        state: series.slots.length > 0 ? 'different' : 'equal',
        series,
        nominationId: series.nomination_id,
        differentSlots: series.slots.length,
      }),
    ),
  ];
  return rows.toSorted((one, other) => ORDER[one.state] - ORDER[other.state]);
}

export type CheckTotals = {
  readonly slots: number;
  readonly different: number;
  readonly missing: number;
  readonly unknown: number;
  /** Number of findings for which the TSO would reject the file. */
  readonly broken: number;
  readonly isEqual: boolean;
};

export function totalsOfCheck({ compared, missing, unknown, rules }: ScheduleCheck): CheckTotals {
  const different = compared.reduce((sum, { slots }) => sum + slots.length, 0);
  const equal = compared.reduce((sum, { slots_equal }) => sum + slots_equal, 0);
  return {
    slots: equal + different,
    different,
    missing: missing.length,
    unknown: unknown.length,
    broken: rules.length,
    isEqual: compared.length > 0 && different + missing.length + unknown.length === 0,
  };
}

/** A quarter-hour on which file and nomination differ, in kW, because a file may be finer than a kWh. */
export type DifferentSlot = {
  readonly slot: number;
  readonly start: number;
  readonly amountKw: number;
  readonly yoursKw: number;
  /** The nominated power minus that of the file. */
  readonly differenceKw: number;
};

export const differentSlots = (
  { delivery_date }: Pick<ScheduleCheck, 'delivery_date'>,
  { slots }: Pick<ScheduleCheck['compared'][number], 'slots'>,
): DifferentSlot[] =>
  slots.map(({ slot_number, amount, yours }) => {
    const [amountKw, yoursKw] = [kwFromExactMwh(amount), kwFromExactMwh(yours)];
    const start = slotStart(delivery_date, slot_number);
    return { slot: slot_number, start, amountKw, yoursKw, differenceKw: amountKw - yoursKw };
  });

/** The power of the file in each quarter-hour: the nominated one, except where it differs. */
export function powersOfFile(
  nominated: readonly NominatedSlot[],
  different: readonly DifferentSlot[],
): number[] {
  const yours = new Map(different.map(({ slot, yoursKw }) => [slot, yoursKw]));
  return nominated.map(({ slot, amountKwh }) => yours.get(slot) ?? kwFromKwh(amountKwh));
}

/** XML begins with a bracket, whatever the name of the file is. */
export async function formatOfFile(file: Blob): Promise<'csv' | 'xml'> {
  const beginning = await file.slice(0, 64).text();
  return beginning.trimStart().startsWith('<') ? 'xml' : 'csv';
}

/** The format of a message, for another one of the same kind. */
export async function messageFormatOf(file: Blob): Promise<'ess' | 'cim'> {
  const beginning = await file.slice(0, 2000).text();
  return beginning.includes('Schedule_MarketDocument') ? 'cim' : 'ess';
}

/** The nominations whose series the file has to change or to add. */
export const differingIds = ({ compared, missing }: ScheduleCheck): string[] => [
  ...compared.filter(({ slots }) => slots.length > 0).map(({ nomination_id }) => nomination_id),
  ...missing,
];

/** The nominations that the file has as they are. */
export const equalIds = ({ compared }: ScheduleCheck): string[] =>
  compared.filter(({ slots }) => slots.length === 0).map(({ nomination_id }) => nomination_id);

export const withoutHeader = (csv: string): string => csv.slice(csv.indexOf('\n') + 1);

/** The quarter-hours of a reconciliation that need an explanation. */
export const explainedSlots = ({ slots }: Reconciliation): Reconciliation['slots'] =>
  slots.filter(
    ({ amount, matched_amount, difference, reasons }) =>
      (matched_amount !== null && matched_amount !== amount) ||
      (difference !== null && difference !== 0) ||
      reasons.length > 0,
  );
