import { assert } from '../assert.ts';
import type { CauseKind, Direction } from '../enums.ts';
import { countedAsOf, type InvalidatedCell } from '../transactions/sheet.ts';
import type { PlacedSheet } from './late-changes.ts';
import { amountOf } from './nomination.ts';

/** What a nomination version knew of a contract-day: its newest revision and its number of invalidations. */
export type KnownPart = { revision: number; invalidations: number };

type CountedInvalidation = InvalidatedCell & { number: number };

type ChangedDay = { sheets: readonly PlacedSheet[]; invalidated: readonly CountedInvalidation[] };

/** The contract-day as a nomination version knew it. */
export const knownPart = <Day extends ChangedDay>(day: Day, { revision, invalidations }: KnownPart): Day => ({
  ...day,
  sheets: day.sheets.filter((sheet) => sheet.revision <= revision),
  invalidated: day.invalidated.filter(({ number }) => number <= invalidations),
});

/** One change of a contract-day, and what it adds to the saldo of a position: signed, per slot, in kWh. */
export type Change = { kind: CauseKind; at: number; addedKwh: readonly number[] };

export type ChangeInput<Day extends ChangedDay> = {
  /** The contract-day as the later version knew it. */
  day: Day;
  /** What the earlier version knew of it. */
  since: KnownPart;
  /** What the contract-day added to the saldo of the position in the earlier version. */
  sharesBefore: readonly number[];
  /** What a part of the contract-day adds to the saldo of the position in the later version. */
  sharesOf: (part: Day) => readonly number[];
  /** Whether the volumes of a revision follow from a forecast or a meter. */
  followsSeries: (revision: number) => boolean;
};

/**
 * The changes of a contract-day between two versions, one per sheet or invalidation. Their additions sum to the difference
 * of its shares. A change that adds nothing to the position is left out.
 */
export function changesOfDay<Day extends ChangedDay>(input: ChangeInput<Day>): Change[] {
  const { day, since, sharesOf, followsSeries } = input;
  const changes: Change[] = [];
  let known = { ...since };
  let shares = input.sharesBefore;
  for (const step of stepsAfter(day, since)) {
    const before = knownPart(day, known);
    known = {
      ...known,
      ...('number' in step ? { invalidations: step.number } : { revision: step.revision }),
    };
    const next = sharesOf(knownPart(day, known));
    assert(next.length === shares.length, 'all shares have every slot of the day');
    const addedKwh = next.map((kwh, at) => kwh - shares[at]!);
    shares = next;
    if (addedKwh.every((kwh) => kwh === 0)) continue;
    const isInvalidation = 'number' in step;
    const at = isInvalidation ? step.invalidatedAt : step.createdAt;
    const kind = isInvalidation ? 'invalidated' : kindOf(step, before, followsSeries(step.revision));
    changes.push({ kind, at, addedKwh });
  }
  return changes;
}

/**
 * Sheets by revision and invalidations by number, both merged by time. An invalidation follows the sheet whose cells it
 * invalidates, also when the clock was set back in between.
 */
function* stepsAfter(
  { sheets, invalidated }: ChangedDay,
  since: KnownPart,
): Generator<PlacedSheet | CountedInvalidation> {
  const newSheets = sheets.filter(({ revision }) => revision > since.revision);
  const groups = Map.groupBy(
    invalidated.filter(({ number }) => number > since.invalidations),
    ({ number }) => number,
  );
  const invalidations = Array.from(groups.values(), ([first]) => first!).sort((a, b) => a.number - b.number);
  for (const sheet of newSheets) {
    const isDue = ({ revision, invalidatedAt }: CountedInvalidation) =>
      revision < sheet.revision && invalidatedAt < sheet.createdAt;
    while (invalidations[0] !== undefined && isDue(invalidations[0])) yield invalidations.shift()!;
    yield sheet;
  }
  yield* invalidations;
}

function kindOf(sheet: PlacedSheet, before: ChangedDay, followsSeries: boolean): CauseKind {
  const setSlots = sheet.volumes.flatMap((volume, at) => (volume === null ? [] : at));
  const valid = countedAsOf(before.sheets, before.invalidated, sheet.volumes.length);
  const isMove = setSlots.some((at) => {
    const placed = valid[at]?.sheet;
    return (
      placed !== undefined &&
      (placed.senderPosition !== sheet.senderPosition || placed.receiverPosition !== sheet.receiverPosition)
    );
  });
  if (isMove) return 'moved';
  if (followsSeries) return 'source';
  const isCorrection = setSlots.some((at) => before.sheets.some(({ volumes }) => volumes[at] !== null));
  return isCorrection ? 'corrected' : 'created';
}

/** What each change did to the amounts of a direction, and what no change explains: per slot, in kWh. */
export type Attribution = { ofChanges: number[][]; rest: number[] };

/**
 * Splits the difference of two versions among the changes between them, exactly. The changes are applied one after the
 * other, because an amount is never below zero: what a change does to it depends on the saldo that the change meets.
 */
export function attribute(
  saldoBefore: readonly number[],
  changes: readonly Pick<Change, 'addedKwh'>[],
  direction: Direction,
  amounts: { before: readonly number[]; after: readonly number[] },
): Attribution {
  const saldo = [...saldoBefore];
  const rest = amounts.after.map((kwh, at) => kwh - amounts.before[at]!);
  const ofChanges = changes.map(({ addedKwh }) =>
    addedKwh.map((added, at) => {
      const earlier = amountOf(saldo[at]!, direction);
      saldo[at]! += added;
      const difference = amountOf(saldo[at]!, direction) - earlier;
      rest[at]! -= difference;
      return difference;
    }),
  );
  return { ofChanges, rest };
}
