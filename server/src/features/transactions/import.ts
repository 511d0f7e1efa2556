import { type ImportResult, LIMITS } from '@saldo/api';
import { isDayWithin } from '@saldo/core/contracts/contract.ts';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import {
  type ContractDayInput,
  type LineFault,
  linesOf,
} from '@saldo/core/transactions/contract-day-input.ts';
import type { Database, Tx } from '../../db/database.ts';
import {
  type ContractNames,
  DayBatch,
  lockContracts,
  prepareDryRun,
  readContracts,
  type VolumeContract,
} from './day-batch.ts';
import { ImportBatch, type VolumeFormat, VolumeReader } from './import-stream.ts';

/** Contract-days of one transaction: enough to make its costs small, few enough that nobody waits long for its locks. */
const DAYS_AT_ONCE = 400;
/** While the database writes one batch, the next is decided; more at once would only wait for each other. */
const BATCHES_AT_ONCE = 2;

export type ImportOptions = {
  readonly format: VolumeFormat;
  readonly isDryRun: boolean;
  readonly now: number;
};

/** The counts of an import as they grow, so that one that is cut off can still tell what it has done. */
export const newImportResult = (isDryRun: boolean): ImportResult => ({
  rows: 0,
  created: 0,
  corrected: 0,
  unchanged: 0,
  rejected: [],
  rejected_lines: 0,
  rejected_days: 0,
  dry_run: isDryRun,
});

/**
 * Takes the volumes of a stream into `result`. Each transaction holds whole contract-days; while the database works
 * on them, the next are read. Of a stream that breaks off, the day that was being read is not taken.
 */
export async function importVolumes(
  db: Database,
  source: AsyncIterable<Buffer>,
  options: ImportOptions,
  result: ImportResult,
): Promise<void> {
  if (!options.isDryRun) {
    return forEachBatch(source, options.format, async (batch, locked) => {
      add(result, await db.transaction((tx) => applyBatch(tx, batch, options, locked)));
    });
  }
  // A dry run is one transaction without locks, in which it keeps what it would have written for itself.
  return db.transaction(async (tx) => {
    await prepareDryRun(tx);
    await forEachBatch(source, options.format, async (batch) => {
      add(result, await applyBatch(tx, batch, options));
    });
  });
}

type ApplyBatch = (batch: ImportBatch, locked: () => void) => Promise<void>;

/**
 * Reads the stream and has its stretches taken, two at a time. The later of the two begins when the earlier has locked
 * its contracts: where both are about the same one, the later waits for it, so that the order of the file holds.
 */
async function forEachBatch(
  source: AsyncIterable<Buffer>,
  format: VolumeFormat,
  apply: ApplyBatch,
): Promise<void> {
  const reader = new VolumeReader(format);
  const applying: Promise<void>[] = [];
  let contractsLocked: Promise<void> = Promise.resolve();
  const next = async () => {
    const batch = reader.take();
    if (applying.length === BATCHES_AT_ONCE) await applying.shift();
    await contractsLocked;
    const { promise, resolve } = Promise.withResolvers<void>();
    contractsLocked = promise;
    const applied = apply(batch, resolve).finally(resolve);
    // Whoever waits for it sees the failure; until then it must not count as one that nobody handles.
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
    // Nothing goes on behind the back of whoever hears of the end.
    await Promise.allSettled(applying);
  }
  await Promise.all(applying);
}

type BatchResult = Omit<ImportResult, 'dry_run'>;

function add(result: ImportResult, batch: BatchResult): void {
  result.rows += batch.rows;
  result.created += batch.created;
  result.corrected += batch.corrected;
  result.unchanged += batch.unchanged;
  result.rejected_lines += batch.rejected_lines;
  result.rejected_days += batch.rejected_days;
  if (batch.rejected.length > 0) result.rejected = inOrder([...result.rejected, ...batch.rejected]);
}

const inOrder = (rejected: BatchResult['rejected']) =>
  rejected.sort((one, other) => one.line - other.line).slice(0, LIMITS.rejectedLines);

/** Decides and stores what a batch says. Days that fall leave no trace; the others are not held up by them. */
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
  const accepted: { contract: VolumeContract; day: DeliveryDay; input: ContractDayInput }[] = [];
  for (const input of batch.days) {
    const contract = contracts(input.contract);
    const fault = contractFault(contract, input);
    if (fault !== null) {
      // Lines that are right in themselves are faulty by what they are about.
      for (const line of linesOf(input)) contractFaults.reject(line, fault);
      if (!input.hasFaults) rejectedDays++;
    } else if (!input.hasFaults && input.day !== null) {
      accepted.push({ contract: contract!, day: input.day, input });
    }
  }
  const days = new DayBatch(tx, now, isDryRun);
  await days.load(accepted);
  const counts = { created: 0, corrected: 0, unchanged: 0 };
  for (const day of accepted) {
    const change = days.write(day, day.input.volumes);
    counts.created += change.created;
    counts.corrected += change.corrected;
    counts.unchanged += change.unchanged;
  }
  await days.save();
  return {
    ...counts,
    rows: batch.rows,
    rejected: inOrder([...batch.rejected, ...contractFaults.rejected]),
    rejected_lines: batch.rejectedLines + contractFaults.rejectedLines,
    rejected_days: rejectedDays,
  };
}

/** A contract is named by its id or by its external id; what has the form of an id is one. */
async function findContracts(
  tx: Tx,
  days: readonly ContractDayInput[],
  isDryRun: boolean,
): Promise<(name: string) => VolumeContract | null> {
  const uuids = new Map<string, string | null>();
  for (const { contract } of days) {
    if (!uuids.has(contract)) uuids.set(contract, decodeId(ID_PREFIX.contract, contract));
  }
  const names: ContractNames = {
    ids: [...uuids.values()].filter((uuid) => uuid !== null),
    // No stored text holds a NUL, and Postgres refuses it even in a comparison.
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

function contractFault(contract: VolumeContract | null, { day }: ContractDayInput): LineFault | null {
  if (contract === null)
    return { code: 'unknown_contract', message: 'there is no contract with this id or external id' };
  const { type, deliveryStart, deliveryEnd } = contract;
  if (type !== 'ppa' || deliveryStart === null || deliveryEnd === null) {
    return {
      code: 'contract_without_volumes',
      message: 'only ppa contracts with both delivery dates take volumes',
    };
  }
  if (day !== null && !isDayWithin(contract, day)) {
    return { code: 'day_outside_contract', message: `the contract does not deliver on ${day}` };
  }
  return null;
}
