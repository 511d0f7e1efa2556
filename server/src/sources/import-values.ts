import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { SeriesKind } from '@saldo/core/enums.ts';
import { decodeId, encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { missingSlots } from '@saldo/core/series/missing-values.ts';
import { type DayInput, isWhole, type LineFault, linesOf } from '@saldo/core/transactions/day-input.ts';
import type { DayGap } from '@saldo/core/transactions/incomplete-days.ts';
import type { Tx } from '../platform/db/database.ts';
import { FIRST_DAY, LAST_DAY } from '../platform/http/time-filter.ts';
import { lockSeries, readSeries, type SeriesRow } from '../series/store.ts';
import { prepareDryRun, SeriesHistories } from '../series/value-batch.ts';
import { invalidDate } from '../transactions/import-lines.ts';
import type { BatchResult, ImportOptions, ImportSubject } from '../transactions/import-run.ts';
import { ImportBatch } from '../transactions/import-stream.ts';
import { storeValues } from './actions.ts';
import { lockFollowing } from './follow-values.ts';
import { VALUE_COLUMNS } from './value-columns.ts';

/** Values of series, day by day. */
export const VALUE_IMPORT: ImportSubject = { columns: VALUE_COLUMNS, prepareDryRun, applyBatch };

/** A block of lines whose series and day exist. */
type KnownDay = { readonly series: SeriesRow; readonly day: DeliveryDay; readonly input: DayInput };

/** The kind that a market location means in a file without a column for it. */
const DEFAULT_KIND: SeriesKind = 'meter';

/** Validates and stores a batch. A day with a fault is rejected as a whole and does not affect the others. */
async function applyBatch(
  tx: Tx,
  batch: ImportBatch,
  { isDryRun, clock }: ImportOptions,
  locked: () => void,
): Promise<BatchResult> {
  const find = await findSeries(tx, batch.days, isDryRun);
  locked();
  const numbers = batch.days.flatMap((input) => find(input)?.no ?? []);
  if (!isDryRun) await lockFollowing(tx, [...new Set(numbers)]);
  const now = clock.now();
  const faults = new ImportBatch();
  const known: KnownDay[] = [];
  let rejectedDays = 0;
  for (const input of batch.days) {
    const series = find(input);
    const fault = seriesFault(series, input);
    if (fault !== null) for (const line of linesOf(input)) faults.reject(line, fault);
    else if (input.day !== null) known.push({ series: series!, day: input.day, input });
    if (fault !== null || input.hasFaults) rejectedDays++;
  }
  const values = known
    .filter(({ input }) => !input.hasFaults)
    .map(({ series, day, input }) => ({ series, day, valuesWh: input.values }));
  const { changes, changed } = await storeValues(tx, values, now, isDryRun);
  const sum = (count: 'created' | 'corrected' | 'unchanged') =>
    changes.reduce((total, change) => total + change[count], 0);
  const ids = new Map(known.map(({ series }) => [series.no, series.id]));
  return {
    rows: batch.rows,
    created: sum('created'),
    corrected: sum('corrected'),
    unchanged: sum('unchanged'),
    rejected: [...batch.rejected, ...faults.rejected],
    rejected_lines: batch.rejectedLines + faults.rejectedLines,
    rejected_days: rejectedDays,
    gaps: await gapsOf(tx, known, isDryRun),
    changed: changed.map(({ seriesNo, day, revision }) => ({
      series: encodeId(ID_PREFIX.series, ids.get(seriesNo)!),
      delivery_date: day,
      revision,
    })),
  };
}

/** How many slots of each day have no value now. Nearly all days are complete by themselves, which needs no query. */
async function gapsOf(tx: Tx, days: readonly KnownDay[], isDryRun: boolean): Promise<DayGap[]> {
  const histories = new SeriesHistories(isDryRun);
  const keyOf = ({ series, day }: KnownDay) => ({ seriesNo: series.no, day });
  await histories.load(tx, days.filter(({ input }) => !isWhole(input)).map(keyOf));
  return days.map((known) => ({
    subjectNo: known.series.no,
    subject: known.input.subject,
    day: known.day,
    missing: isWhole(known.input) ? 0 : missingSlots(histories.newestWh(keyOf(known))).length,
    line: known.input.firstLine,
  }));
}

type FindSeries = (input: DayInput) => SeriesRow | null;

/**
 * A line names its series by id, or by market location and kind. A text with the form of an id is always treated as an id:
 * no market location has it.
 */
async function findSeries(tx: Tx, days: readonly DayInput[], isDryRun: boolean): Promise<FindSeries> {
  const uuids = new Map<string, string | null>();
  const locations = new Map<string, { marketLocation: string; kind: SeriesKind }>();
  for (const { subject, kind } of days) {
    let uuid = uuids.get(subject);
    if (uuid === undefined) {
      uuid = decodeId(ID_PREFIX.series, subject);
      uuids.set(subject, uuid);
    }
    // Postgres rejects a NUL in any text parameter, and no market location can contain one.
    if (uuid !== null || subject.includes('\0')) continue;
    const location = { marketLocation: subject, kind: kind ?? DEFAULT_KIND };
    locations.set(locationKey(location.kind, subject), location);
  }
  const names = {
    ids: [...uuids.values()].filter((uuid) => uuid !== null),
    locations: [...locations.values()],
  };
  const found = isDryRun ? await readSeries(tx, names) : await lockSeries(tx, names);
  const byId = new Map(found.map((series) => [series.id, series]));
  const byLocation = new Map(
    found.map((series) => [locationKey(series.kind, series.market_location ?? ''), series]),
  );
  return ({ subject, kind }) => {
    const uuid = uuids.get(subject) ?? null;
    const series =
      uuid === null ? byLocation.get(locationKey(kind ?? DEFAULT_KIND, subject)) : byId.get(uuid);
    return series ?? null;
  };
}

const locationKey = (kind: SeriesKind, location: string) => `${kind} ${location}`;

function seriesFault(series: SeriesRow | null, { kind, day }: DayInput): LineFault | null {
  if (series === null) {
    return { code: 'unknown_series', message: { key: 'import.unknown_series', kind: kind ?? DEFAULT_KIND } };
  }
  if (kind !== null && kind !== series.kind) {
    return { code: 'unknown_series', message: { key: 'import.other_kind', kind, actual: series.kind } };
  }
  return day !== null && (day < FIRST_DAY || day > LAST_DAY) ? invalidDate : null;
}
