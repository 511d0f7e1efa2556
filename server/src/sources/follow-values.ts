import { setImmediate } from 'node:timers/promises';
import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import { SOURCE_KINDS, type SourceKind } from '@saldo/core/enums.ts';
import { type SourcedDay, sourceVolumes } from '@saldo/core/series/source.ts';
import type { Cell } from '@saldo/core/transactions/sheet.ts';
import { type ContractSource, seriesOf, sourceOn } from '../contracts/source-store.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { type ChangedSeriesDay, type SeriesDay, SeriesHistories } from '../series/value-batch.ts';
import { type ContractDay, DayBatch } from '../transactions/day-batch.ts';
import { DirtyPositions } from '../transactions/dirty-positions.ts';
import { type IsRestored, type RestoredDays, readRestored, reissue } from '../transactions/stored-days.ts';
import { lockContractsByNo, takesVolumes, type VolumeContract } from '../transactions/volume-contracts.ts';

/** Contract-days that are read and stored at once. */
const DAYS_AT_ONCE = 400;
/** Contract-days that are computed before other requests are served. */
const DAYS_WITHOUT_PAUSE = 64;

/** A contract-day whose volumes follow from its source, with the slots of its series that have a new value. */
type FollowedDay = ContractDay & {
  readonly source: ContractSource;
  readonly changedForecast: ReadonlySet<number>;
  readonly changedMeter: ReadonlySet<number>;
};

const CONTRACTS_OF_SERIES = statement(
  'contracts_that_follow_series',
  `select distinct contract_no from (
     select contract_no from contract_source where forecast_no = any($1::int[])
     union all select contract_no from contract_source where meter_no = any($1::int[])) as following`,
);

/**
 * Locks the contracts that follow series. Writers of values do so before they read the clock, so that the instants of a
 * contract-day are in the order of its revisions. Precondition: the series are locked.
 */
export async function lockFollowing(tx: Tx, seriesNos: readonly number[]): Promise<VolumeContract[]> {
  if (seriesNos.length === 0) return [];
  const following = await tx.arrays<[no: number]>(CONTRACTS_OF_SERIES, [seriesNos]);
  if (following.length === 0) return [];
  return lockContractsByNo(
    tx,
    following.map(([no]) => no),
  );
}

/**
 * Computes the volumes of all contracts that follow changed values. Precondition: the series are locked and their values
 * stored in this transaction. Locks the contracts in the order of imports, then reads the values of both series of each,
 * so that two writers of forecast and meter of one contract do not miss each other's values.
 */
export async function followValues(tx: Tx, changed: readonly ChangedSeriesDay[], now: number): Promise<void> {
  const contracts = await lockFollowing(tx, [...new Set(changed.map(({ seriesNo }) => seriesNo))]);
  if (contracts.length === 0) return;
  const dirty = new DirtyPositions();
  await followDays(tx, followedDays(contracts, changed), dirty, now);
  await dirty.mark(tx);
}

/** Slots with a new value are known for changed days only. */
type ValueDay = SeriesDay & { readonly slots?: readonly number[] };

/** The contract-days of these days of series that take volumes, by day and contract like those of an import. */
function followedDays(
  contracts: readonly VolumeContract[],
  days: readonly ValueDay[],
  isWanted: (contract: VolumeContract, day: DeliveryDay) => boolean = () => true,
): FollowedDay[] {
  const ofSeries = new Map<number, VolumeContract[]>();
  for (const contract of contracts) {
    for (const seriesNo of new Set(contract.sources.flatMap(seriesOf)))
      ofSeries.getOrInsertComputed(seriesNo, () => []).push(contract);
  }
  const followed = new Map<
    string,
    FollowedDay & { changedForecast: Set<number>; changedMeter: Set<number> }
  >();
  for (const { seriesNo, day, slots = [] } of days) {
    for (const contract of ofSeries.get(seriesNo) ?? []) {
      const source = sourceOn(contract.sources, day);
      if (source === null || !seriesOf(source).includes(seriesNo)) continue;
      if (!takesVolumes(contract, day) || !isWanted(contract, day)) continue;
      const one = followed.getOrInsertComputed(`${day} ${contract.no}`, () => ({
        ...{ contract, day, source, changedForecast: new Set(), changedMeter: new Set() },
      }));
      const changed = source.forecastNo === seriesNo ? one.changedForecast : one.changedMeter;
      for (const slot of slots) changed.add(slot);
    }
  }
  return [...followed.values()].sort(
    (one, other) => compare(one.day, other.day) || one.contract.no - other.contract.no,
  );
}

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));

/** One row per day that has values: every day of a series has a first revision. */
const DAYS_WITH_VALUES = statement(
  'days_with_values',
  `select series_no, delivery_day from series_sheet
   where series_no = any($1::int[]) and delivery_day >= $2 and revision = 1`,
);

/** Which days of contracts follow their sources again. */
export type FollowAgain = {
  readonly first: DeliveryDay;
  readonly isWanted?: (contract: VolumeContract, day: DeliveryDay) => boolean;
  /** Transactions that become valid again. Each has one new version, whose volume follows from the newest values. */
  readonly restored?: RestoredDays | undefined;
};

/**
 * Computes the volumes of contracts that now take them, or whose source has changed, on all days that have values. Adds
 * the positions to be netted, which the caller marks. Returns the number of transactions. Precondition: the contracts are
 * locked. Their series need no lock: a writer of values that has not committed waits for the contracts.
 */
export async function followSources(
  tx: Tx,
  contracts: readonly VolumeContract[],
  { first, isWanted, restored }: FollowAgain,
  dirty: DirtyPositions,
  now: number,
): Promise<number> {
  const seriesNos = [...new Set(contracts.flatMap(({ sources }) => sources.flatMap(seriesOf)))];
  if (seriesNos.length === 0) return 0;
  const rows = await tx.arrays<[seriesNo: number, day: DeliveryDay]>(DAYS_WITH_VALUES, [seriesNos, first]);
  const days = rows.map(([seriesNo, day]) => ({ seriesNo, day }));
  return followDays(tx, followedDays(contracts, days, isWanted), dirty, now, restored);
}

async function followDays(
  tx: Tx,
  days: readonly FollowedDay[],
  dirty: DirtyPositions,
  now: number,
  restored?: RestoredDays,
): Promise<number> {
  let transactions = 0;
  const values = new NewestValues(tx);
  for (let at = 0; at < days.length; at += DAYS_AT_ONCE) {
    const some = days.slice(at, at + DAYS_AT_ONCE);
    await values.load(some);
    const batch = new DayBatch(tx, now);
    await batch.load(some);
    if (restored !== undefined) await batch.loadSources();
    const isRestored = restored === undefined ? null : await readRestored(tx, some, restored);
    for (const [index, day] of some.entries()) {
      if (index % DAYS_WITHOUT_PAUSE === 0) await setImmediate();
      transactions += followDay(batch, day, values, isRestored);
    }
    await batch.store(dirty);
  }
  return transactions;
}

/** Returns the number of transactions. */
function followDay(
  batch: DayBatch,
  followed: FollowedDay,
  values: NewestValues,
  isRestored: IsRestored | null,
): number {
  const { contract, day, source } = followed;
  const [forecast, meter] = [values.of(source.forecastNo, day), values.of(source.meterNo, day)];
  const terms = { ...source, kind: kindOf(contract) };
  const wh = { forecastWh: forecast?.wh ?? null, meterWh: meter?.wh ?? null };
  const computed = sourceVolumes(terms, wh, slotCount(day));
  const volumes = writtenVolumes(followed, computed, batch.invalidCells(followed), isRestored);
  const { created, corrected } = batch.write(followed, volumes, {
    origins: computed.origins,
    forecast: forecast?.used ?? null,
    meter: meter?.used ?? null,
  });
  return created + corrected + (isRestored === null ? 0 : reissue(batch, followed, isRestored));
}

/**
 * An invalid transaction stays invalid until its own value changes, or until it becomes valid again. In the latter case
 * `reissue` repeats an equal volume, so that the transaction keeps its source.
 */
function writtenVolumes(
  followed: FollowedDay,
  { volumesKwh, origins }: SourcedDay,
  invalid: readonly (Cell | null)[] | null,
  isRestored: IsRestored | null,
): (number | null)[] {
  if (invalid === null) return volumesKwh;
  return volumesKwh.map((kwh, at) => {
    const cell = invalid[at];
    if (!cell) return kwh;
    const { slot, revision, volumeKwh } = cell;
    const changed = origins[at] === 'meter' ? followed.changedMeter : followed.changedForecast;
    const isWritten =
      changed.has(slot) || (kwh !== volumeKwh && isRestored !== null && isRestored(followed, revision, slot));
    return isWritten ? kwh : null;
  });
}

function kindOf({ ppaType, externalId }: VolumeContract): SourceKind {
  const kind = SOURCE_KINDS.find((candidate) => candidate === ppaType);
  if (kind === undefined) throw new Error(`the contract ${externalId} cannot have a source`);
  return kind;
}

type DayValues = {
  readonly wh: readonly (number | null)[];
  /** The newest revision of the day. */
  readonly used: { readonly seriesNo: number; readonly revision: number };
};

/** The newest values of days of series, computed once for all contracts of a series. */
class NewestValues {
  private readonly histories = new SeriesHistories();
  private readonly days = new Map<string, DayValues | null>();
  private readonly tx: Tx;

  constructor(tx: Tx) {
    this.tx = tx;
  }

  async load(days: readonly FollowedDay[]): Promise<void> {
    const asked = new Map<string, SeriesDay>();
    for (const { source, day } of days) {
      for (const seriesNo of seriesOf(source)) asked.set(`${seriesNo} ${day}`, { seriesNo, day });
    }
    await this.histories.load(this.tx, [...asked.values()]);
  }

  /** Null without a series or without any value of the day. Precondition: the day was loaded. */
  of(seriesNo: number | null, day: DeliveryDay): DayValues | null {
    if (seriesNo === null) return null;
    return this.days.getOrInsertComputed(`${seriesNo} ${day}`, () => {
      const revision = this.histories.of({ seriesNo, day }).at(-1)?.revision;
      if (revision === undefined) return null;
      return { wh: this.histories.newestWh({ seriesNo, day }), used: { seriesNo, revision } };
    });
  }
}
