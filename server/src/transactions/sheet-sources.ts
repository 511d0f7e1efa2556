import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { SeriesKind } from '@saldo/core/enums.ts';
import { type Origins, originAt, packOrigins } from '@saldo/core/series/origins.ts';
import { elementAt, type NewSheet } from '@saldo/core/transactions/sheet.ts';
import { CopyText } from '../platform/db/copy-text.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';

type SeriesRevision = { readonly seriesNo: number; readonly revision: number };

/** The revisions of series that volumes were computed from. */
type UsedRevisions = { readonly forecast: SeriesRevision | null; readonly meter: SeriesRevision | null };

/** What the volumes of a day follow from, slot by slot. */
export type DaySource = UsedRevisions & { readonly origins: Origins };

/** What the volumes of a sheet follow from, as it is stored. */
export type SheetSource = UsedRevisions & { readonly origins: string };

export const sourceOfSheet = ({ origins, ...revisions }: DaySource, { volumes }: NewSheet): SheetSource => ({
  ...revisions,
  origins: packOrigins(origins, volumes),
});

/**
 * The source of a sheet that repeats volumes of earlier ones. They may follow from different revisions: those of the
 * newest sheet are kept.
 */
export function repeatedSource(
  { volumes, previous }: NewSheet,
  sourceOf: (revision: number) => SheetSource | null,
): SheetSource | null {
  const revisions = volumes.map((volume, at) =>
    volume === null || previous === null ? null : elementAt(previous, at),
  );
  const origins = revisions.map((revision, at) => {
    const source = revision === null ? null : sourceOf(revision);
    return source && originAt(source.origins, at + 1);
  });
  const repeated = [...new Set(revisions)].filter((revision) => revision !== null).sort((a, b) => a - b);
  const newest = repeated.map(sourceOf).findLast((source) => source !== null);
  return newest ? { ...newest, origins: packOrigins(origins, volumes) } : null;
}

type SourceRow = { contractNo: number; day: DeliveryDay; revision: number; source: SheetSource };

const COPY = `copy sheet_source (contract_no, delivery_day, revision, origins, forecast_no, forecast_revision, meter_no,
  meter_revision) from stdin`;

export async function insertSheetSources(tx: Tx, rows: readonly SourceRow[]): Promise<void> {
  if (rows.length === 0) return;
  const text = new CopyText();
  const revision = (of: SeriesRevision | null) => {
    text.integer(of?.seriesNo ?? null);
    text.integer(of?.revision ?? null);
  };
  for (const row of rows) {
    text.integer(row.contractNo);
    text.field(row.day);
    text.integer(row.revision);
    text.field(row.source.origins);
    revision(row.source.forecast);
    revision(row.source.meter);
    text.endRow();
  }
  await tx.copy(COPY, text.written());
}

/** `offset 0` makes it one look-up per contract-day: the planner could read all sources instead. */
const READ = statement(
  'sources_of_sheets',
  `select s.* from unnest($1::int[], $2::date[]) as asked (contract_no, delivery_day)
   cross join lateral (
     select contract_no, delivery_day, revision, origins, forecast_no, forecast_revision, meter_no, meter_revision
     from sheet_source found
     where found.contract_no = asked.contract_no and found.delivery_day = asked.delivery_day
     offset 0) as s`,
);

type Columns = [
  contractNo: number,
  day: DeliveryDay,
  revision: number,
  origins: string,
  forecastNo: number | null,
  forecastRevision: number | null,
  meterNo: number | null,
  meterRevision: number | null,
];

type StoredDay = { readonly contractNo: number; readonly day: DeliveryDay };

/** The sources of the sheets of contract-days, each of which is asked for once. */
export class SheetSources {
  private readonly sources = new Map<string, SheetSource>();

  async load(db: Pick<Db, 'arrays'>, days: readonly StoredDay[]): Promise<void> {
    if (days.length === 0) return;
    const rows = await db.arrays<Columns>(READ, [
      days.map(({ contractNo }) => contractNo),
      days.map(({ day }) => day),
    ]);
    for (const [contractNo, day, revision, origins, ...used] of rows) {
      const source = { origins, forecast: revisionOf(used[0], used[1]), meter: revisionOf(used[2], used[3]) };
      this.sources.set(keyOf(contractNo, day, revision), source);
    }
  }

  of({ contractNo, day }: StoredDay, revision: number): SheetSource | null {
    return this.sources.get(keyOf(contractNo, day, revision)) ?? null;
  }

  /** The series that the volume of one transaction follows from. */
  originOf(day: StoredDay, revision: number, slot: number): SeriesKind | null {
    const source = this.of(day, revision);
    return source && originAt(source.origins, slot);
  }
}

const revisionOf = (seriesNo: number | null, revision: number | null): SeriesRevision | null =>
  seriesNo === null || revision === null ? null : { seriesNo, revision };

const keyOf = (contractNo: number, day: DeliveryDay, revision: number) => `${contractNo} ${day} ${revision}`;
