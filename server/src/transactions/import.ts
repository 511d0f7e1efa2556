import { isDayWithin } from '@saldo/core/contracts/contract.ts';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { type DayInput, isWhole, type LineFault, linesOf } from '@saldo/core/transactions/day-input.ts';
import { sourceOn } from '../contracts/source-store.ts';
import type { Tx } from '../platform/db/database.ts';
import { prepareDryRun } from './batch-sheets.ts';
import { DayBatch } from './day-batch.ts';
import { VOLUME_COLUMNS } from './import-columns.ts';
import type { BatchResult, ImportOptions, ImportSubject } from './import-run.ts';
import { ImportBatch } from './import-stream.ts';
import {
  type ContractNames,
  type ExplainInactive,
  explainInactive,
  isActiveOn,
  lockContracts,
  readContracts,
  type VolumeContract,
} from './volume-contracts.ts';

/** Volumes of contracts, day by day. */
export const VOLUME_IMPORT: ImportSubject = { columns: VOLUME_COLUMNS, prepareDryRun, applyBatch };

/** Validates and stores a batch. A contract-day with a fault is rejected as a whole and does not affect the others. */
async function applyBatch(
  tx: Tx,
  batch: ImportBatch,
  options: ImportOptions,
  locked: () => void,
): Promise<BatchResult> {
  const { isDryRun, clock } = options;
  const wellFormed = batch.days.filter(({ hasFaults }) => !hasFaults);
  const contracts = await findContracts(tx, batch.days, isDryRun);
  locked();
  const now = clock.now();
  let rejectedDays = batch.days.length - wellFormed.length;
  const contractFaults = new ImportBatch();
  const inactive = await explainInactive(tx, inactiveContracts(batch.days, contracts));
  const known: { contract: VolumeContract; day: DeliveryDay; input: DayInput }[] = [];
  for (const input of batch.days) {
    const contract = contracts(input.subject);
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
    const change = stored.write(day, day.input.values);
    counts.created += change.created;
    counts.corrected += change.corrected;
    counts.unchanged += change.unchanged;
  }
  await stored.save();
  return {
    ...counts,
    rows: batch.rows,
    rejected: [...batch.rejected, ...contractFaults.rejected],
    rejected_lines: batch.rejectedLines + contractFaults.rejectedLines,
    rejected_days: rejectedDays,
    gaps: known.map(({ contract, day, input }) => ({
      subjectNo: contract.no,
      subject: input.subject,
      day,
      // Nearly all days are complete by themselves, which needs no look at what is stored.
      missing: isWhole(input) ? 0 : stored.missingSlots({ contract, day }),
      line: input.firstLine,
    })),
    changed: [],
  };
}

/** A line names its contract by id or by external id. A text with the form of an id is always treated as an id. */
async function findContracts(tx: Tx, days: readonly DayInput[], isDryRun: boolean): Promise<FindContract> {
  const uuids = new Map<string, string | null>();
  for (const { subject: contract } of days) {
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
function inactiveContracts(days: readonly DayInput[], find: FindContract): number[] {
  const numbers = days.flatMap(({ subject: name, day }) => {
    const contract = find(name);
    return contract !== null && day !== null && !isActiveOn(contract, day) ? [contract.no] : [];
  });
  return [...new Set(numbers)];
}

/** `inactive` explains contracts whose customers are not all active. */
function contractFault(
  contract: VolumeContract | null,
  { day }: DayInput,
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
