import { LIMITS } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { DecimalMark } from '@saldo/core/enums.ts';
import { type DayGap, IncompleteDays } from '@saldo/core/transactions/incomplete-days.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import type { ImportColumns } from './import-columns.ts';
import { type ImportBatch, type ImportFormat, ImportReader, type Rejection } from './import-stream.ts';

/** Days per transaction: enough to amortise its cost, few enough to hold its locks only for a short time. */
const DAYS_AT_ONCE = 400;
/** Two batches overlap: one is computed while the database writes the other. More would only wait for locks. */
const BATCHES_AT_ONCE = 2;

export type ImportOptions = {
  readonly format: ImportFormat;
  /** The decimal mark that the sender of a CSV file states. */
  readonly decimal: DecimalMark | null;
  readonly isDryRun: boolean;
  readonly clock: Clock;
};

/** What a file is about: its columns, and how its days are stored. */
export type ImportSubject = {
  readonly columns: ImportColumns;
  /** Prepares the transaction of a dry run. */
  prepareDryRun(tx: Tx): Promise<void>;
  /** Validates and stores a batch. Calls `locked` as soon as the contracts or series of the batch are locked. */
  applyBatch(tx: Tx, batch: ImportBatch, options: ImportOptions, locked: () => void): Promise<BatchResult>;
};

type Counts = {
  rows: number;
  created: number;
  corrected: number;
  unchanged: number;
  rejected_lines: number;
  rejected_days: number;
};

/** A day that has a new revision. */
export type ChangedDay = {
  readonly series: string;
  readonly delivery_date: DeliveryDay;
  readonly revision: number;
};

export type BatchResult = Counts & {
  readonly rejected: readonly Rejection[];
  readonly gaps: readonly DayGap[];
  /** The days that the audit names. */
  readonly changed: readonly ChangedDay[];
};

/** The answer to an import, before the language of its messages is known, and what its audit event says besides. */
export type ImportReport = Counts & {
  rejected: Rejection[];
  incompleteDays: { count: number; days: { subject: string; day: DeliveryDay; missing: number }[] };
  changedDays: { count: number; first: ChangedDay[] };
};

/** Created by the caller and updated batch by batch, so that an aborted import can still report what it stored. */
export const newImportReport = (): ImportReport => ({
  rows: 0,
  created: 0,
  corrected: 0,
  unchanged: 0,
  rejected: [],
  rejected_lines: 0,
  rejected_days: 0,
  incompleteDays: { count: 0, days: [] },
  changedDays: { count: 0, first: [] },
});

/**
 * Imports the lines of a stream and adds the counts to `report`. Each transaction stores whole days. When the stream breaks
 * off, the day that is incomplete is discarded; batches that are committed stay.
 */
export async function runImport(
  db: Database,
  subject: ImportSubject,
  source: AsyncIterable<Buffer>,
  options: ImportOptions,
  report: ImportReport,
): Promise<void> {
  const incomplete = new IncompleteDays();
  const reader = new ImportReader(subject.columns, options.format, options.decimal);
  try {
    if (options.isDryRun) {
      // A dry run is one transaction without locks, as long as the upload. It writes to a temporary table only, and announces no
      // change, for which reads as of an instant would wait.
      await db.rolledBack(async (tx) => {
        await subject.prepareDryRun(tx);
        await forEachBatch(source, reader, async (batch) => {
          add(report, incomplete, await subject.applyBatch(tx, batch, options, () => {}));
        });
      });
    } else {
      await forEachBatch(source, reader, async (batch, locked) => {
        const result = await db.transaction((tx) => subject.applyBatch(tx, batch, options, locked));
        add(report, incomplete, result);
      });
    }
  } finally {
    report.incompleteDays = { count: incomplete.count, days: incomplete.first(LIMITS.incompleteDays) };
  }
}

/** Calls `locked` as soon as the contracts or series of the batch are locked. */
type ApplyBatch = (batch: ImportBatch, locked: () => void) => Promise<void>;

/**
 * Reads the stream and applies its batches, two at a time. A batch starts only after the previous one has locked its
 * contracts or series: if both contain the same one, the later batch waits for that lock, which preserves the file's order.
 */
async function forEachBatch(
  source: AsyncIterable<Buffer>,
  reader: ImportReader,
  apply: ApplyBatch,
): Promise<void> {
  const applying: Promise<void>[] = [];
  let previousLocked: Promise<void> = Promise.resolve();
  const next = async () => {
    const batch = reader.take();
    if (applying.length === BATCHES_AT_ONCE) await applying.shift();
    await previousLocked;
    const { promise, resolve } = Promise.withResolvers<void>();
    previousLocked = promise;
    const applied = apply(batch, resolve).finally(resolve);
    // The failure is thrown where the promise is awaited. Without this handler Node would report it as unhandled first.
    applied.catch(() => {});
    applying.push(applied);
  };
  try {
    for await (const chunk of source) {
      reader.push(chunk);
      if (reader.finishedDays >= DAYS_AT_ONCE) await next();
    }
    reader.finish();
    await next();
  } finally {
    // Wait for running batches even after a failure, so that no write happens after this function has returned.
    await Promise.allSettled(applying);
  }
  await Promise.all(applying);
}

function add(report: ImportReport, incomplete: IncompleteDays, batch: BatchResult): void {
  report.rows += batch.rows;
  report.created += batch.created;
  report.corrected += batch.corrected;
  report.unchanged += batch.unchanged;
  report.rejected_lines += batch.rejected_lines;
  report.rejected_days += batch.rejected_days;
  for (const gap of batch.gaps) incomplete.set(gap);
  if (batch.rejected.length > 0) report.rejected = inOrder([...report.rejected, ...batch.rejected]);
  const { changedDays } = report;
  changedDays.count += batch.changed.length;
  changedDays.first.push(...batch.changed.slice(0, LIMITS.auditedDays - changedDays.first.length));
}

const inOrder = (rejected: Rejection[]) =>
  rejected.sort((one, other) => one.line - other.line).slice(0, LIMITS.rejectedLines);
