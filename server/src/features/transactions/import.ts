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
import { ImportStretch, type VolumeFormat, VolumeReader } from './import-stream.ts';

/** Contract-days of one transaction: enough to make its costs small, few enough that nobody waits long for its locks. */
const DAYS_AT_ONCE = 400;
/** While the database writes one stretch, the next is decided; more at once would only wait for each other. */
const STRETCHES_AT_ONCE = 2;

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
    return inStretches(source, options.format, async (stretch, locked) => {
      add(result, await db.transaction((tx) => takeStretch(tx, stretch, options, locked)));
    });
  }
  // A dry run is one transaction without locks, in which it keeps what it would have written for itself.
  return db.transaction(async (tx) => {
    await prepareDryRun(tx);
    await inStretches(source, options.format, async (stretch) => {
      add(result, await takeStretch(tx, stretch, options));
    });
  });
}

type TakeStretch = (stretch: ImportStretch, locked: () => void) => Promise<void>;

/**
 * Reads the stream and has its stretches taken, two at a time. The later of the two begins when the earlier has locked
 * its contracts: where both are about the same one, the later waits for it, so that the order of the file holds.
 */
async function inStretches(
  source: AsyncIterable<Buffer>,
  format: VolumeFormat,
  take: TakeStretch,
): Promise<void> {
  const reader = new VolumeReader(format);
  const taking: Promise<void>[] = [];
  let turn: Promise<void> = Promise.resolve();
  const next = async () => {
    const stretch = reader.take();
    if (taking.length === STRETCHES_AT_ONCE) await taking.shift();
    await turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    turn = promise;
    const taken = take(stretch, resolve).finally(resolve);
    // Whoever waits for it sees the failure; until then it must not count as one that nobody handles.
    taken.catch(() => {});
    taking.push(taken);
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
    await Promise.allSettled(taking);
  }
  await Promise.all(taking);
}

type Taken = Omit<ImportResult, 'dry_run'>;

function add(result: ImportResult, taken: Taken): void {
  result.rows += taken.rows;
  result.created += taken.created;
  result.corrected += taken.corrected;
  result.unchanged += taken.unchanged;
  result.rejected_lines += taken.rejected_lines;
  result.rejected_days += taken.rejected_days;
  if (taken.rejected.length > 0) result.rejected = inOrder([...result.rejected, ...taken.rejected]);
}

const inOrder = (rejected: Taken['rejected']) =>
  rejected.sort((one, other) => one.line - other.line).slice(0, LIMITS.rejectedLines);

/** Decides and stores what a stretch says. Days that fall leave no trace; the others are not held up by them. */
async function takeStretch(
  tx: Tx,
  stretch: ImportStretch,
  options: ImportOptions,
  locked: () => void = () => {},
): Promise<Taken> {
  const { isDryRun, now } = options;
  const sound = stretch.days.filter(({ hasFaults }) => !hasFaults);
  const contracts = await findContracts(tx, stretch.days, isDryRun);
  locked();
  let fallen = stretch.days.length - sound.length;
  const late = new ImportStretch();
  const taken: { contract: VolumeContract; day: DeliveryDay; said: ContractDayInput }[] = [];
  for (const said of stretch.days) {
    const contract = contracts(said.contract);
    const fault = contractFault(contract, said);
    if (fault !== null) {
      // Lines that are right in themselves are faulty by what they are about.
      for (const line of linesOf(said)) late.refuse(line, fault);
      if (!said.hasFaults) fallen++;
    } else if (!said.hasFaults && said.day !== null) {
      taken.push({ contract: contract!, day: said.day, said });
    }
  }
  const batch = new DayBatch(tx, now, isDryRun);
  await batch.load(taken);
  const counts = { created: 0, corrected: 0, unchanged: 0 };
  for (const day of taken) {
    const change = batch.write(day, day.said.volumes);
    counts.created += change.created;
    counts.corrected += change.corrected;
    counts.unchanged += change.unchanged;
  }
  await batch.save();
  return {
    ...counts,
    rows: stretch.rows,
    rejected: inOrder([...stretch.rejected, ...late.rejected]),
    rejected_lines: stretch.rejectedLines + late.rejectedLines,
    rejected_days: fallen,
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
