import { cellAt, chain, countedAsOf, type Sheet, type SheetCells, writeDay } from '../transactions/sheet.ts';

/**
 * The values that one delivery changed of a day of a series: a sheet whose cells are Wh and always valid. Its values are
 * null where it changed nothing. A stored revision is never changed.
 */
export type SeriesRevision = Pick<Sheet, 'revision' | 'createdAt' | 'versions'> & {
  readonly valuesWh: (number | null)[];
};

type NewSeriesRevision = Omit<SeriesRevision, 'createdAt'>;

export type SeriesDayChange = {
  readonly created: number;
  readonly corrected: number;
  readonly unchanged: number;
  /** Null if no value differs. */
  readonly next: NewSeriesRevision | null;
};

/** One version of a slot, or its newest one at an instant. */
export type SlotVersion = { readonly slot: number; readonly wh: number; readonly version: number };

const asSheet = ({ revision, versions, valuesWh }: NewSeriesRevision): SheetCells => ({
  revision,
  versions,
  volumes: valuesWh,
  statuses: null,
  previous: null,
});

/** Decides what arriving values change, by the rules of every correction. A null says nothing. */
export function writeValues(
  history: readonly SeriesRevision[],
  valuesWh: readonly (number | null)[],
): SeriesDayChange {
  const { created, corrected, unchanged, sheet } = writeDay(history.map(asSheet), valuesWh);
  const next =
    sheet === null ? null : { revision: sheet.revision, versions: sheet.versions, valuesWh: sheet.volumes };
  return { created, corrected, unchanged, next };
}

/** The number of slots that have a value, in whichever revision. */
export function filledSlots(history: readonly Pick<SeriesRevision, 'valuesWh'>[]): number {
  const slots = history[0]?.valuesWh ?? [];
  return slots.filter((_, at) => history.some(({ valuesWh }) => (valuesWh[at] ?? null) !== null)).length;
}

/** Per slot the newest value that was stored at an instant or before, null for a gap. */
export function valuesAsOf(
  history: readonly SeriesRevision[],
  slotCount: number,
  asOf: number,
): (SlotVersion | null)[] {
  const known = history
    .filter(({ createdAt }) => createdAt <= asOf)
    .map((revision) => ({ ...asSheet(revision), createdAt: revision.createdAt }));
  return countedAsOf(known, [], slotCount).map((cell, at) =>
    cell === null ? null : { slot: at + 1, wh: cell.volumeKwh, version: cellAt(cell.sheet, at + 1)!.version },
  );
}

/** All versions of a slot, newest first. */
export function versionsOfSlot(history: readonly SeriesRevision[], slot: number): SlotVersion[] {
  return chain(history.map(asSheet), slot).map(({ volumeKwh, version }) => ({
    slot,
    wh: volumeKwh,
    version,
  }));
}
