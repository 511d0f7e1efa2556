import { type ImportResult, LIMITS } from '@saldo/api';
import { isDayWithin } from '@saldo/core/contracts/contract.ts';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { DecimalMark } from '@saldo/core/enums.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import {
  type ContractDayInput,
  type LineFault,
  linesOf,
} from '@saldo/core/transactions/contract-day-input.ts';
import { type DayGap, IncompleteDays } from '@saldo/core/transactions/incomplete-days.ts';
import { sourceOn } from '../contracts/source-store.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { DayBatch, prepareDryRun } from './day-batch.ts';
import { ImportBatch, type Rejection, type VolumeFormat, VolumeReader } from './import-stream.ts';
import {
  type ContractNames,
  type ExplainInactive,
  explainInactive,
  isActiveOn,
  lockContracts,
  readContracts,
  type VolumeContract,
} from './volume-contracts.ts';

/** Contract-days per transaction: enough to amortise its cost, few enough to hold its locks only for a short time. */
const DAYS_AT_ONCE = 400;
/** Two batches overlap: one is computed while the database writes the other. More would only wait for locks. */
const BATCHES_AT_ONCE = 2;

export type ImportOptions = {
  readonly format: VolumeFormat;
  /** The decimal mark that the sender of a CSV file states. */
  readonly decimal: DecimalMark | null;
  readonly isDryRun: boolean;
  readonly now: number;
};

/** The answer to an import, before the language of its messages is known. */
export type ImportReport = Omit<ImportResult, 'rejected'> & { rejected: Rejection[] };

/** Created by the caller and updated batch by batch, so that an aborted import can still report what it stored. */
export const newImportReport = (isDryRun: boolean): ImportReport => ({
  rows: 0,
  created: 0,
  corrected: 0,
  unchanged: 0,
  rejected: [],
  rejected_lines: 0,
  rejected_days: 0,
  incomplete_days: { count: 0, days: [] },
  dry_run: isDryRun,
});

/**
 * Imports the volumes of a stream and adds the counts to `result`. Each transaction stores whole contract-days. When
 * the stream breaks off, the contract-day that is incomplete is discarded; batches that are committed stay.
 */
export async function importVolumes(
  db: Database,
  source: AsyncIterable<Buffer>,
  options: ImportOptions,
  result: ImportReport,
): Promise<void> {
  const incomplete = new IncompleteDays();
  try {
    if (options.isDryRun) {
      // A dry run is one transaction without locks. It writes to a temporary table, which no other session can see.
      await db.transaction(async (tx) => {
        await prepareDryRun(tx);
        await forEachBatch(source, options, async (batch) => {
          add(result, incomplete, await applyBatch(tx, batch, options));
        });
      });
    } else {
      await forEachBatch(source, options, async (batch, locked) => {
        add(result, incomplete, await db.transaction((tx) => applyBatch(tx, batch, options, locked)));
      });
    }
  } finally {
    const days = incomplete.first(LIMITS.incompleteDays);
    result.incomplete_days = {
      count: incomplete.count,
      days: days.map(({ contract, day, missing }) => ({ contract, delivery_date: day, missing })),
    };
  }
}

/** Calls `locked` as soon as the contracts of the batch are locked. */
type ApplyBatch = (batch: ImportBatch, locked: () => void) => Promise<void>;

/**
 * Reads the stream and applies its batches, two at a time. A batch starts only after the previous one has locked its
 * contracts: if both contain the same contract, the later batch waits for that lock, which preserves the file's order.
 */
async function forEachBatch(
  source: AsyncIterable<Buffer>,
  { format, decimal }: ImportOptions,
  apply: ApplyBatch,
): Promise<void> {
  const reader = new VolumeReader(format, decimal);
  const applying: Promise<void>[] = [];
  let contractsLocked: Promise<void> = Promise.resolve();
  const next = async () => {
    const batch = reader.take();
    if (applying.length === BATCHES_AT_ONCE) await applying.shift();
    await contractsLocked;
    const { promise, resolve } = Promise.withResolvers<void>();
    contractsLocked = promise;
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

type BatchResult = Omit<ImportReport, 'incomplete_days' | 'dry_run'> & { readonly gaps: readonly DayGap[] };

function add(result: ImportReport, incomplete: IncompleteDays, batch: BatchResult): void {
  result.rows += batch.rows;
  result.created += batch.created;
  result.corrected += batch.corrected;
  result.unchanged += batch.unchanged;
  result.rejected_lines += batch.rejected_lines;
  result.rejected_days += batch.rejected_days;
  for (const gap of batch.gaps) incomplete.set(gap);
  if (batch.rejected.length > 0) result.rejected = inOrder([...result.rejected, ...batch.rejected]);
}

const inOrder = (rejected: BatchResult['rejected']) =>
  rejected.sort((one, other) => one.line - other.line).slice(0, LIMITS.rejectedLines);

/** Validates and stores a batch. A contract-day with a fault is rejected as a whole and does not affect the others. */
async function applyBatch(
  tx: Tx,
  batch: ImportBatch,
  options: ImportOptions,
  locked: () => void = () => {},
): Promise<BatchResult> {
  const { isDryRun, now } = options;
  const wellFormed = batch.days.filter(({ hasFaults }) => !hasFaults);
  const contracts = await findContracts(tx, batch.days, isDryRun);
  locked();
  let rejectedDays = batch.days.length - wellFormed.length;
  const contractFaults = new ImportBatch();
  const inactive = await explainInactive(tx, inactiveContracts(batch.days, contracts));
  const known: { contract: VolumeContract; day: DeliveryDay; input: ContractDayInput }[] = [];
  for (const input of batch.days) {
    const contract = contracts(input.contract);
    const fault = contractFault(contract, input, inactive);
    if (fault !== null) {
      // The lines are well-formed, but their contract or day accepts no volumes, so each of them is rejected.
      for (const line of linesOf(input)) contractFaults.reject(line, fault);
      if (!input.hasFaults) rejectedDays++;
    } else if (input.day !== null) {
      known.push({ contract: contract!, day: input.day, input });
    }
  }
  const stored = new DayBatch(tx, now, isDryRun);
  await stored.load(known);
  const counts = { created: 0, corrected: 0, unchanged: 0 };
  for (const day of known) {
    if (day.input.hasFaults) continue;
    const change = stored.write(day, day.input.volumes);
    counts.created += change.created;
    counts.corrected += change.corrected;
    counts.unchanged += change.unchanged;
  }
  await stored.save();
  return {
    ...counts,
    rows: batch.rows,
    rejected: inOrder([...batch.rejected, ...contractFaults.rejected]),
    rejected_lines: batch.rejectedLines + contractFaults.rejectedLines,
    rejected_days: rejectedDays,
    gaps: known.map(({ contract, day, input }) => ({
      contractNo: contract.no,
      contract: input.contract,
      day,
      // Nearly all days are complete by themselves, which needs no look at what is stored.
      missing: isWhole(input) ? 0 : stored.missingSlots({ contract, day }),
      line: input.firstLine,
    })),
  };
}

const isWhole = ({ hasFaults, volumes }: ContractDayInput) => !hasFaults && !volumes.includes(null);

/** A line names its contract by id or by external id. A text with the form of an id is always treated as an id. */
async function findContracts(
  tx: Tx,
  days: readonly ContractDayInput[],
  isDryRun: boolean,
): Promise<FindContract> {
  const uuids = new Map<string, string | null>();
  for (const { contract } of days) {
    if (!uuids.has(contract)) uuids.set(contract, decodeId(ID_PREFIX.contract, contract));
  }
  const names: ContractNames = {
    ids: [...uuids.values()].filter((uuid) => uuid !== null),
    // Postgres rejects a NUL in any text parameter, and no stored external id can contain one.
    externalIds: [...uuids]
      .filter(([name, uuid]) => uuid === null && !name.includes('\0'))
      .map(([name]) => name),
  };
  const found = isDryRun ? await readContracts(tx, names) : await lockContracts(tx, names);
  const byId = new Map(found.map((contract) => [contract.id, contract]));
  const byExternalId = new Map(found.map((contract) => [contract.externalId, contract]));
  return (name) => {
    const uuid = uuids.get(name) ?? null;
    return (uuid === null ? byExternalId.get(name) : byId.get(uuid)) ?? null;
  };
}

type FindContract = (name: string) => VolumeContract | null;

/** Numbers of the contracts that have a day on which a customer is not active. */
function inactiveContracts(days: readonly ContractDayInput[], find: FindContract): number[] {
  const numbers = days.flatMap(({ contract: name, day }) => {
    const contract = find(name);
    return contract !== null && day !== null && !isActiveOn(contract, day) ? [contract.no] : [];
  });
  return [...new Set(numbers)];
}

/** `inactive` explains contracts whose customers are not all active. */
function contractFault(
  contract: VolumeContract | null,
  { day }: ContractDayInput,
  inactive: ExplainInactive,
): LineFault | null {
  if (contract === null) return { code: 'unknown_contract', message: { key: 'import.unknown_contract' } };
  const { type, deliveryStart, deliveryEnd } = contract;
  if (type !== 'ppa' || deliveryStart === null || deliveryEnd === null) {
    return {
      code: 'contract_without_volumes',
      message: { key: 'import.contract_without_volumes' },
    };
  }
  if (day !== null && !isDayWithin(contract, day)) {
    return { code: 'day_outside_contract', message: { key: 'import.not_delivering', day } };
  }
  if (day !== null && sourceOn(contract.sources, day) !== null)
    return { code: 'contract_has_source', message: { key: 'import.contract_has_source', day } };
  if (day !== null && !isActiveOn(contract, day))
    return { code: 'customer_not_active', message: inactive(contract.no) };
  return null;
}
