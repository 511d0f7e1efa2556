import { assert } from '../assert.ts';
import { MAX_SLOTS } from '../delivery-day.ts';
import { MAX_SLOT_KWH } from '../energy.ts';
import { TRANSACTION_STATUSES, type TransactionStatus } from '../enums.ts';

/**
 * The volumes that one import or correction set for one contract and delivery day. `volumes` has one element per slot.
 * The other arrays have one element per slot, or a single one that is the same for all; those that would hold only
 * defaults are null. That keeps nearly all rows small.
 */
export type Sheet = SheetCells & { id: string; createdAt: number };

/** What corrections of a contract day depend on. */
export type SheetCells = {
  revision: number;
  /** In kWh; null for a slot that this revision does not set. */
  volumes: (number | null)[];
  /** Status codes; null if all cells are valid. */
  statuses: number[] | null;
  /** Null if all cells are first versions. */
  versions: number[] | null;
  /** The revision with the previous version; null without one. */
  previous: (number | null)[] | null;
};

/** The part of a sheet that a sum needs. */
export type Volumes = Pick<Sheet, 'volumes' | 'statuses'>;

/** One transaction: a slot of a sheet that has a volume. */
export type Cell = {
  slot: number;
  version: number;
  status: TransactionStatus;
  volumeKwh: number;
  revision: number;
  previousRevision: number | null;
};

/** New statuses of a stored sheet. Nothing else of a stored sheet changes. */
export type StatusChange = { revision: number; statuses: number[]; statusMask: number };

/** Whether a transaction is to be changed: its sheet, slot and status. */
export type Choice = (holder: SheetCells, slot: number, status: TransactionStatus) => boolean;

export type NewSheet = Pick<Sheet, 'revision' | 'volumes' | 'versions' | 'previous'>;

export type DayChange = {
  created: number;
  corrected: number;
  unchanged: number;
  sheet: NewSheet | null;
  superseded: StatusChange[];
};

type DraftSheet = { volumes: (number | null)[]; versions: number[]; previous: (number | null)[] };
type StatusDrafts = Map<SheetCells, number[]>;

/** One bit per status that occurs in a sheet, so that partial indexes find the rare ones. */
export const STATUS_BIT = { valid: 1, invalid: 2, superseded: 4 } as const;

const VALID = 0;
const INVALID = 1;
export const SUPERSEDED = 2;
/** Element of `versions` for a slot that the sheet does not set. */
const NO_VERSION = 0;

const NARROW_BYTES = 2;
const WIDE_BYTES = 4;
/** A cell with all bits set has no volume. In four bytes no volume is that large. */
const NARROW_EMPTY = 0xffff;
const WIDE_EMPTY = 0xffffffff;

/**
 * Encodes volumes for storage: one byte with the number of bytes per cell, then the cells in big-endian order. Two bytes
 * hold up to 262 MW; a sheet with a larger cell uses four bytes for all. In SQL, `sheet_volume` and `sheet_slots` of the
 * first migration decode them.
 */
export function packVolumes(volumes: readonly (number | null)[]): Uint8Array {
  let cellBytes = NARROW_BYTES;
  for (let at = 0; at < volumes.length; at++) {
    if ((volumes[at] ?? 0) >= NARROW_EMPTY) cellBytes = WIDE_BYTES;
  }
  const bytes = new Uint8Array(1 + volumes.length * cellBytes);
  bytes[0] = cellBytes;
  let end = 1;
  for (let at = 0; at < volumes.length; at++) {
    const cell = volumes[at] ?? WIDE_EMPTY;
    if (cellBytes === WIDE_BYTES) {
      bytes[end++] = cell >>> 24;
      bytes[end++] = cell >>> 16;
    }
    bytes[end++] = cell >>> 8;
    bytes[end++] = cell;
  }
  return bytes;
}

export function unpackVolumes(bytes: Uint8Array): (number | null)[] {
  const volumes: (number | null)[] = [];
  if (bytes[0] === NARROW_BYTES) {
    for (let at = 1; at < bytes.length; at += NARROW_BYTES) {
      const cell = (bytes[at]! << 8) | bytes[at + 1]!;
      volumes.push(cell === NARROW_EMPTY ? null : cell);
    }
    return volumes;
  }
  assert(bytes[0] === WIDE_BYTES, 'a cell has two or four bytes');
  for (let at = 1; at < bytes.length; at += WIDE_BYTES) {
    const cell = ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
    volumes.push(cell === WIDE_EMPTY ? null : cell);
  }
  return volumes;
}

export function statusMask(sheet: Volumes): number {
  const { volumes, statuses } = sheet;
  if (statuses === null) return STATUS_BIT.valid;
  let mask = 0;
  for (let at = 0; at < volumes.length; at++) {
    if (volumes[at] !== null) mask |= 1 << elementAt(statuses, at);
  }
  return mask;
}

/** The transaction in a slot of a sheet, or null if the sheet does not set it. */
export function cellAt(sheet: SheetCells, slot: number): Cell | null {
  const at = slot - 1;
  const volumeKwh = sheet.volumes[at] ?? null;
  if (volumeKwh === null) return null;
  return {
    slot,
    version: versionAt(sheet, at),
    status: statusAt(sheet, at),
    volumeKwh,
    revision: sheet.revision,
    previousRevision: sheet.previous === null ? null : elementAt(sheet.previous, at),
  };
}

/**
 * The transactions of a contract day by slot, then version. Sheets are in ascending order of their revision; some may be
 * missing, because a later sheet never has an earlier version.
 */
export function unfold(sheets: readonly SheetCells[], from = 1, to = MAX_SLOTS): Cell[] {
  const cells: Cell[] = [];
  const last = Math.min(to, sheets[0]?.volumes.length ?? 0);
  for (let slot = from; slot <= last; slot++) {
    for (let index = 0; index < sheets.length; index++) {
      const cell = cellAt(sheets[index]!, slot);
      if (cell !== null) cells.push(cell);
    }
  }
  return cells;
}

/** All versions of a slot, newest first. */
export function chain(history: readonly SheetCells[], slot: number): Cell[] {
  return unfold(history, slot, slot).reverse();
}

/** The part of a sheet that decides which of its cells counted at an instant. */
export type DatedSheet = Pick<Sheet, 'revision' | 'createdAt' | 'volumes'>;

/** An invalidation of one transaction: the cell of a revision. */
export type InvalidatedCell = { revision: number; slot: number; invalidatedAt: number };

/** A transaction that counts towards a saldo. */
export type CountedCell<S extends DatedSheet> = { sheet: S; volumeKwh: number };

/**
 * Per slot the transaction that was valid after these sheets and invalidations, or null. Ignores the statuses of the
 * sheets, which are those of today. With `deadlines`, one per slot, sheets and invalidations from then on do not count.
 */
export function countedAsOf<S extends DatedSheet>(
  sheets: readonly S[],
  invalidated: readonly InvalidatedCell[],
  slotCount: number,
  deadlines: readonly number[] | null = null,
): (CountedCell<S> | null)[] {
  const isInTime = (instant: number, at: number) => deadlines === null || instant < deadlines[at]!;
  const counted = Array.from({ length: slotCount }, (_, at): CountedCell<S> | null => {
    const sheet = sheets.findLast(
      ({ volumes, createdAt }) => (volumes[at] ?? null) !== null && isInTime(createdAt, at),
    );
    return sheet === undefined ? null : { sheet, volumeKwh: sheet.volumes[at]! };
  });
  for (const { revision, slot, invalidatedAt } of invalidated) {
    const at = slot - 1;
    if (counted[at]?.sheet.revision === revision && isInTime(invalidatedAt, at)) counted[at] = null;
  }
  return counted;
}

/** A sheet that was stored at or before an instant, and the cells that it replaces. */
export type SupersedingSheet = Pick<Sheet, 'revision' | 'volumes' | 'previous'>;

/**
 * The statuses of a sheet after these later sheets and invalidations of its day, in the form of `Sheet.statuses`. A cell that
 * was invalid and is superseded is superseded.
 */
export function statusesAfter(
  { revision, volumes }: Pick<Sheet, 'revision' | 'volumes'>,
  later: readonly SupersedingSheet[],
  invalidated: readonly { readonly revision: number; readonly slots: readonly number[] }[],
): number[] {
  const statuses: number[] = volumes.map(() => VALID);
  for (const invalidation of invalidated) {
    if (invalidation.revision === revision)
      for (const slot of invalidation.slots) statuses[slot - 1] = INVALID;
  }
  for (const sheet of later) {
    const { previous } = sheet;
    if (previous === null || !previous.includes(revision)) continue;
    for (let at = 0; at < statuses.length; at++)
      if (sheet.volumes[at] !== null && elementAt(previous, at) === revision) statuses[at] = SUPERSEDED;
  }
  return statuses;
}

/** Per slot the valid volume, or null. Writing the result back changes nothing. */
export function currentVolumes(history: readonly SheetCells[], slotCount: number): (number | null)[] {
  return newestSheets(history, slotCount).map((sheet, at) =>
    sheet !== null && codeAt(sheet, at) === VALID ? (sheet.volumes[at] ?? null) : null,
  );
}

/** Per slot its newest transaction if that is invalid. Null if none is. */
export function invalidCells(history: readonly SheetCells[], slotCount: number): (Cell | null)[] | null {
  if (!history.some(({ statuses }) => statuses?.includes(INVALID))) return null;
  return newestSheets(history, slotCount).map((sheet, at) =>
    sheet !== null && codeAt(sheet, at) === INVALID ? cellAt(sheet, at + 1) : null,
  );
}

/**
 * Decides what the given volumes change: new slots become first versions, changed volumes become corrections, equal
 * volumes and nulls change nothing. Repeating the volume of an invalid transaction is a correction, because it makes the
 * volume valid again.
 */
export function writeDay(history: readonly SheetCells[], volumes: readonly (number | null)[]): DayChange {
  if (history.length === 0) return writeNewDay(volumes);
  const holders = newestSheets(history, volumes.length);
  const draft = emptyDraft(volumes);
  const statuses: StatusDrafts = new Map();
  let created = 0;
  let corrected = 0;
  let unchanged = 0;
  for (let at = 0; at < volumes.length; at++) {
    const volume = volumes[at] ?? null;
    if (volume === null) continue;
    assertVolume(volume);
    const holder = holders[at] ?? null;
    if (holder === null) {
      created++;
      draft.versions[at] = 1;
    } else if (holder.volumes[at] === volume && codeAt(holder, at) === VALID) {
      unchanged++;
      continue;
    } else {
      corrected++;
      correct(draft, holder, at);
      setStatus(statuses, holder, at, SUPERSEDED);
    }
    draft.volumes[at] = volume;
  }
  const sheet = created + corrected === 0 ? null : packed(nextRevision(history), draft, corrected > 0);
  return { created, corrected, unchanged, sheet, superseded: statusChanges(statuses) };
}

function emptyDraft(slots: readonly unknown[]): DraftSheet {
  return {
    volumes: slots.map(() => null),
    versions: slots.map(() => NO_VERSION),
    previous: slots.map(() => null),
  };
}

function correct(draft: DraftSheet, holder: SheetCells, at: number): void {
  draft.versions[at] = versionAt(holder, at) + 1;
  draft.previous[at] = holder.revision;
}

/**
 * Makes the next version of the chosen transactions with the same volumes, valid whatever they were before. `isChosen`
 * gets the newest transaction of each slot.
 */
export function reissueDay(history: readonly SheetCells[], isChosen: Choice): DayChange {
  const holders = newestSheets(history, history[0]?.volumes.length ?? 0);
  const draft = emptyDraft(holders);
  const statuses: StatusDrafts = new Map();
  let corrected = 0;
  for (let at = 0; at < holders.length; at++) {
    const holder = holders[at]!;
    if (holder === null || !isChosen(holder, at + 1, statusAt(holder, at))) continue;
    corrected++;
    correct(draft, holder, at);
    draft.volumes[at] = holder.volumes[at] ?? null;
    setStatus(statuses, holder, at, SUPERSEDED);
  }
  const sheet = corrected === 0 ? null : packed(nextRevision(history), draft, true);
  return { created: 0, corrected, unchanged: 0, sheet, superseded: statusChanges(statuses) };
}

/** Nearly all imported days are new: every volume is a first version. */
function writeNewDay(volumes: readonly (number | null)[]): DayChange {
  let created = 0;
  for (let at = 0; at < volumes.length; at++) {
    const volume = volumes[at] ?? null;
    if (volume === null) continue;
    assertVolume(volume);
    created++;
  }
  const sheet = created === 0 ? null : { revision: 1, volumes: [...volumes], versions: null, previous: null };
  return { created, corrected: 0, unchanged: 0, sheet, superseded: [] };
}

/** Invalidates the valid transactions of these slots, so that no saldo includes them. */
export function invalidate(history: readonly SheetCells[], slots: readonly number[]): StatusChange[] {
  const holders = newestSheets(history, history[0]?.volumes.length ?? 0);
  const statuses: StatusDrafts = new Map();
  for (const slot of slots) {
    const holder = holders[slot - 1] ?? null;
    if (holder !== null && codeAt(holder, slot - 1) === VALID) setStatus(statuses, holder, slot - 1, INVALID);
  }
  return statusChanges(statuses);
}

/** Invalidates one transaction. The caller has found it before, so its absence is a programming error. */
export function invalidateCell(
  history: readonly SheetCells[],
  revision: number,
  slot: number,
): { kind: 'done'; changed: StatusChange[] } | { kind: 'not_valid'; status: TransactionStatus } {
  const sheet = history.find((candidate) => candidate.revision === revision);
  const cell = sheet === undefined ? null : cellAt(sheet, slot);
  if (sheet === undefined || cell === null) {
    throw new Error(`revision ${revision} does not set slot ${slot}`);
  }
  if (cell.status !== 'valid') return { kind: 'not_valid', status: cell.status };
  const statuses: StatusDrafts = new Map();
  setStatus(statuses, sheet, slot - 1, INVALID);
  return { kind: 'done', changed: statusChanges(statuses) };
}

/** Adds the valid volumes of a contract day slot by slot. Sums of integers do not depend on their order. */
export function sumValid(into: Float64Array | number[], history: readonly Volumes[], sign: 1 | -1): void {
  for (let index = 0; index < history.length; index++) {
    const { volumes, statuses } = history[index]!;
    assert(volumes.length === into.length, 'all sheets of a day have the same slots');
    for (let at = 0; at < volumes.length; at++) {
      const volume = volumes[at] ?? null;
      if (volume !== null && (statuses === null || elementAt(statuses, at) === VALID))
        into[at]! += sign * volume;
    }
  }
}

/** The newest sheet of a contract day has its newest transactions, so that it is in every history. */
const nextRevision = (history: readonly SheetCells[]): number => (history.at(-1)?.revision ?? 0) + 1;

/** Per slot the sheet with the newest version. Sheets that are superseded as a whole may be missing. */
function newestSheets(history: readonly SheetCells[], slotCount: number): (SheetCells | null)[] {
  const holders: (SheetCells | null)[] = [];
  for (let at = 0; at < slotCount; at++) holders.push(null);
  let newest = 0;
  for (let index = 0; index < history.length; index++) {
    const sheet = history[index]!;
    assert(sheet.revision > newest, 'a history is in the order of its revisions');
    newest = sheet.revision;
    assert(sheet.volumes.length === slotCount, 'all sheets of a day have the same slots');
    for (let at = 0; at < slotCount; at++) {
      if (sheet.volumes[at] !== null) holders[at] = sheet;
    }
  }
  return holders;
}

function packed(revision: number, draft: DraftSheet, hasCorrections: boolean): NewSheet {
  const { volumes, versions, previous } = draft;
  if (!hasCorrections) return { revision, volumes, versions: null, previous: null };
  return {
    revision,
    volumes,
    versions: shortened(versions, volumes),
    previous: shortened(previous, volumes),
  };
}

export const elementAt = <Element>(elements: readonly Element[], at: number): Element =>
  elements[elements.length === 1 ? 0 : at]!;

/** The slots that a sheet replaces, by the revision that they are of. */
export function supersededSlots({
  volumes,
  previous,
}: Pick<SheetCells, 'volumes' | 'previous'>): Map<number, number[]> {
  const slots = new Map<number, number[]>();
  if (previous === null) return slots;
  for (let at = 0; at < volumes.length; at++) {
    const revision = volumes[at] === null ? null : elementAt(previous, at);
    if (revision === null) continue;
    const known = slots.get(revision);
    if (known === undefined) slots.set(revision, [at + 1]);
    else known.push(at + 1);
  }
  return slots;
}

/** A single element in place of equal ones. Elements of slots without a volume do not matter. */
function shortened<Element>(elements: Element[], volumes: readonly (number | null)[]): Element[] {
  const first = elements[volumes.findIndex((volume) => volume !== null)]!;
  for (let at = 0; at < elements.length; at++) {
    if (volumes[at] !== null && elements[at] !== first) return elements;
  }
  return [first];
}

const codeAt = ({ statuses }: SheetCells, at: number): number =>
  statuses === null ? VALID : elementAt(statuses, at);

const statusAt = (sheet: SheetCells, at: number): TransactionStatus =>
  TRANSACTION_STATUSES[codeAt(sheet, at)]!;

const versionAt = ({ versions }: SheetCells, at: number): number =>
  versions === null ? 1 : elementAt(versions, at);

function setStatus(drafts: StatusDrafts, sheet: SheetCells, at: number, code: number): void {
  let statuses = drafts.get(sheet);
  if (statuses === undefined) {
    statuses = sheet.volumes.map((_, slotAt) => codeAt(sheet, slotAt));
    drafts.set(sheet, statuses);
  }
  statuses[at] = code;
}

/** In order of revisions, so that all writers lock the rows of a day in the same order. */
function statusChanges(drafts: StatusDrafts): StatusChange[] {
  return Array.from(drafts, ([{ revision, volumes }, statuses]) => ({
    revision,
    statuses: shortened(statuses, volumes),
    statusMask: statusMask({ volumes, statuses }),
  })).sort((one, other) => one.revision - other.revision);
}

function assertVolume(volumeKwh: number): void {
  if (!Number.isInteger(volumeKwh) || volumeKwh < 0 || volumeKwh > MAX_SLOT_KWH) {
    throw new Error(`${volumeKwh} kWh is not a volume`);
  }
}
