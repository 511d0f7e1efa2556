import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { insertRow } from '../platform/db/rows.ts';
import { statement } from '../platform/db/statement.ts';

/** The first day of a source that a contract has from its creation on. It sorts before every day. */
export const SINCE_CREATION = '-infinity';

/** A source of a contract, which holds from its first day on until that of the next one. */
export type ContractSource = {
  readonly firstDay: DeliveryDay;
  readonly forecastNo: number | null;
  readonly meterNo: number | null;
  readonly shareMillionths: number;
  readonly maxPowerKw: number | null;
};

type SourceColumns = [
  contractNo: number,
  firstDay: DeliveryDay,
  forecastNo: number | null,
  meterNo: number | null,
  shareMillionths: number,
  maxPowerKw: number | null,
];

const READ = statement(
  'sources_of_contracts',
  `select contract_no, first_day, forecast_no, meter_no, share_millionths, max_power_kw from contract_source
   where contract_no = any($1::int[]) order by contract_no, first_day`,
);

/** The sources by the numbers of their contracts, by first day. A contract without a source is not in the map. */
export async function readSources(
  db: Db,
  contractNos: readonly number[],
): Promise<ReadonlyMap<number, readonly ContractSource[]>> {
  const sources = new Map<number, ContractSource[]>();
  if (contractNos.length === 0) return sources;
  const rows = await db.arrays<SourceColumns>(READ, [contractNos]);
  for (const [contractNo, firstDay, forecastNo, meterNo, shareMillionths, maxPowerKw] of rows) {
    const source = { firstDay, forecastNo, meterNo, shareMillionths, maxPowerKw };
    sources.getOrInsertComputed(contractNo, () => []).push(source);
  }
  return sources;
}

/** The source that the volumes of a day follow from. */
export const sourceOn = (sources: readonly ContractSource[], day: DeliveryDay): ContractSource | null =>
  sources.findLast(({ firstDay }) => firstDay <= day) ?? null;

export const seriesOf = ({ forecastNo, meterNo }: ContractSource): number[] =>
  [forecastNo, meterNo].filter((no) => no !== null);

const DELETE = statement(
  'delete_contract_sources',
  'delete from contract_source where contract_no = $1 and first_day >= $2',
);

/** Sources of the first day or later are replaced. Null ends all sources. Precondition: the contract is locked. */
export async function saveSource(tx: Tx, contractNo: number, source: ContractSource | null): Promise<void> {
  await tx.query(DELETE, [contractNo, source?.firstDay ?? SINCE_CREATION]);
  if (source === null) return;
  await insertRow(tx, 'contract_source', {
    contract_no: contractNo,
    first_day: source.firstDay,
    forecast_no: source.forecastNo,
    meter_no: source.meterNo,
    share_millionths: source.shareMillionths,
    max_power_kw: source.maxPowerKw,
  });
}

/** Sources of all contracts of a series, those with another series too, because they end the ones before them. */
const SHARING = statement(
  'contracts_of_series',
  `select c.no, c.external_id, c.delivery_start, c.delivery_end
   from contract c where c.no in (
     select contract_no from contract_source where forecast_no = $1
     union select contract_no from contract_source where meter_no = $1)
   order by c.no`,
);

export type SharingRow = {
  no: number;
  external_id: string;
  delivery_start: number | null;
  delivery_end: number | null;
};

/** Contracts that have or had a source with this series. */
export const readSharing = (tx: Tx, seriesNo: number): Promise<SharingRow[]> =>
  tx.query<SharingRow>(SHARING, [seriesNo]);

/**
 * Changes of one contract wait for each other here, before they lock its series: which ones these are depends on the
 * change before.
 */
const LOCK_CHANGES = statement(
  'lock_contract_changes',
  "select pg_advisory_xact_lock(hashtextextended('changes of contract ' || $1, 0))",
);

export async function lockChanges(tx: Tx, contractId: string): Promise<void> {
  await tx.query(LOCK_CHANGES, [contractId]);
}
