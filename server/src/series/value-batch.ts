import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import {
  filledSlots,
  type SeriesDayChange,
  type SeriesRevision,
  valuesAsOf,
  writeValues,
} from '@saldo/core/series/series-day.ts';
import { packVolumes, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import { CopyText } from '../platform/db/copy-text.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

export type SeriesDay = { readonly seriesNo: number; readonly day: DeliveryDay };

/** A day of a series whose values have changed. */
export type ChangedSeriesDay = SeriesDay & {
  readonly revision: number;
  /** In ascending order. */
  readonly slots: readonly number[];
};

type RevisionColumns = [
  at: number,
  revision: number,
  createdAt: number,
  packedValues: Uint8Array,
  versions: number[] | null,
];

/** One index lookup per day, so that the planner cannot choose a full scan for a large batch. */
const historiesFrom = (source: string) =>
  `select asked.at::int, s.*
   from unnest($1::int[], $2::date[]) with ordinality as asked (series_no, delivery_day, at)
   cross join lateral (
     select revision, created_at, values_wh, versions from ${source} as found
     where found.series_no = asked.series_no and found.delivery_day = asked.delivery_day
     order by revision offset 0
   ) as s`;
const HISTORIES = statement('series_sheets_of_days', historiesFrom('series_sheet'));
const DRY_RUN_HISTORIES = statement(
  'presumed_series_sheets_of_days',
  historiesFrom('(select * from series_sheet union all select * from pg_temp.presumed_series_sheet)'),
);

/** Temporary table for the values of a dry run, so that a day that occurs twice in the file sees its first write. */
const CREATE_DRY_RUN_TABLE = statement(
  'make_presumed_series_sheets',
  'create temporary table presumed_series_sheet (like series_sheet including indexes) on commit drop',
);

export async function prepareDryRun(tx: Tx): Promise<void> {
  await tx.query(CREATE_DRY_RUN_TABLE);
}

const copyInto = (table: string) =>
  `copy ${table} (series_no, delivery_day, revision, created_at, values_wh, versions, filled) from stdin`;
const COPY_SHEETS = copyInto('series_sheet');
const COPY_DRY_RUN_SHEETS = copyInto('pg_temp.presumed_series_sheet');

const keyOf = ({ seriesNo, day }: SeriesDay) => `${seriesNo} ${day}`;

/** The revisions of days of series, oldest first. A day without values is not in the map. */
export class SeriesHistories {
  private readonly histories = new Map<string, SeriesRevision[]>();
  private readonly isDryRun: boolean;

  constructor(isDryRun = false) {
    this.isDryRun = isDryRun;
  }

  async load(db: Db, days: readonly SeriesDay[]): Promise<void> {
    // A day that is asked for twice would have each of its revisions twice.
    const unknown = new Map(days.map((day) => [keyOf(day), day]));
    for (const key of this.histories.keys()) unknown.delete(key);
    const asked = [...unknown.values()];
    if (asked.length === 0) return;
    const rows = await db.arrays<RevisionColumns>(this.isDryRun ? DRY_RUN_HISTORIES : HISTORIES, [
      asked.map(({ seriesNo }) => seriesNo),
      asked.map(({ day }) => day),
    ]);
    for (const day of asked) this.histories.set(keyOf(day), []);
    for (const [at, revision, createdAt, packed, versions] of rows) {
      this.of(asked[at - 1]!).push({ revision, createdAt, valuesWh: unpackVolumes(packed), versions });
    }
  }

  /** Precondition: the day was loaded. */
  of(day: SeriesDay): SeriesRevision[] {
    const history = this.histories.get(keyOf(day));
    if (!history) throw new Error(`the day ${day.day} of series ${day.seriesNo} was not loaded`);
    return history;
  }

  /** The newest value of each slot, null for a gap. */
  newestWh(day: SeriesDay): (number | null)[] {
    const values = valuesAsOf(this.of(day), slotCount(day.day), Number.POSITIVE_INFINITY);
    return values.map((value) => value?.wh ?? null);
  }
}

/**
 * Days of series in one transaction: loaded with one query, changed in memory, saved in bulk. Precondition: the series are
 * locked, unless nothing is saved.
 */
export class ValueBatch {
  readonly histories: SeriesHistories;
  private readonly changes = new Map<string, SeriesDay & { readonly first: number; slots: Set<number> }>();
  private readonly tx: Tx;
  private readonly now: number;
  private readonly isDryRun: boolean;

  /** A dry run writes to its temporary table; see `prepareDryRun`. */
  constructor(tx: Tx, now: number, isDryRun = false) {
    this.tx = tx;
    this.now = now;
    this.isDryRun = isDryRun;
    this.histories = new SeriesHistories(isDryRun);
  }

  load(days: readonly SeriesDay[]): Promise<void> {
    return this.histories.load(this.tx, days);
  }

  /** The newest revision of a day. */
  revisionOf(day: SeriesDay): number | null {
    return this.histories.of(day).at(-1)?.revision ?? null;
  }

  write(day: SeriesDay, valuesWh: readonly (number | null)[]): SeriesDayChange {
    const history = this.histories.of(day);
    const change = writeValues(history, valuesWh);
    if (change.next === null) return change;
    const key = keyOf(day);
    const known = this.changes.get(key) ?? { ...day, first: history.length, slots: new Set<number>() };
    // The clock may have been set back, or another machine's may be ahead: a revision is never older than those before it.
    const createdAt = Math.max(this.now, history.at(-1)?.createdAt ?? this.now);
    history.push({ ...change.next, createdAt });
    for (const [at, wh] of change.next.valuesWh.entries()) if (wh !== null) known.slots.add(at + 1);
    this.changes.set(key, known);
    return change;
  }

  /** Stores everything and returns the days that changed. */
  async save(): Promise<ChangedSeriesDay[]> {
    const changed = [...this.changes.values()];
    if (changed.length === 0) return [];
    const rows = new CopyText();
    for (const { seriesNo, day, first } of changed) {
      const history = this.histories.of({ seriesNo, day });
      for (const [at, sheet] of history.entries()) {
        if (at < first) continue;
        rows.integer(seriesNo);
        rows.field(day);
        rows.integer(sheet.revision);
        rows.field(timestamp(sheet.createdAt));
        rows.binary(packVolumes(sheet.valuesWh));
        rows.integers(sheet.versions);
        rows.integer(filledSlots(history.slice(0, at + 1)));
        rows.endRow();
      }
    }
    await this.tx.copy(this.isDryRun ? COPY_DRY_RUN_SHEETS : COPY_SHEETS, rows.written());
    this.changes.clear();
    return changed.map(({ seriesNo, day, slots }) => ({
      seriesNo,
      day,
      revision: this.revisionOf({ seriesNo, day })!,
      slots: [...slots].sort((one, other) => one - other),
    }));
  }
}
