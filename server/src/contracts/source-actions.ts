import type { SourceInput } from '@saldo/api';
import { dayStart } from '@saldo/core/delivery-day.ts';
import { decodeId, encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { checkShares, type SharingContract } from '@saldo/core/series/shares.ts';
import { checkSource, type SourcedContract, WHOLE_SHARE } from '@saldo/core/series/source.ts';
import type { Tx } from '../platform/db/database.ts';
import { type FieldError, problem } from '../platform/http/problem.ts';
import { lockSeries, type SeriesRow } from '../series/store.ts';
import {
  type ContractSource,
  readSharing,
  readSources,
  type SharingRow,
  SINCE_CREATION,
  seriesOf,
} from './source-store.ts';

export type NewSource = Omit<ContractSource, 'firstDay'>;

/** The series that a request names, locked together with those that the contract has. */
export async function lockSourceSeries(
  tx: Tx,
  input: SourceInput | null,
  current: readonly ContractSource[] = [],
): Promise<SeriesRow[]> {
  const ids = [input?.forecast, input?.meter].map((id) => uuidOf(id)).filter((id) => id !== null);
  const nos = current.flatMap(seriesOf);
  return ids.length + nos.length === 0 ? [] : lockSeries(tx, { ids, nos });
}

const uuidOf = (id: string | null | undefined): string | null =>
  id === null || id === undefined ? null : decodeId(ID_PREFIX.series, id);

/** The source that a request asks for, or null with its errors added. Precondition: its series are locked. */
export function decideSource(
  input: SourceInput,
  contract: SourcedContract,
  locked: readonly SeriesRow[],
  errors: FieldError[],
): NewSource | null {
  const find = (id: string | null | undefined): SeriesRow | 'unknown' | null => {
    if (id === null || id === undefined) return null;
    return locked.find((series) => series.id === uuidOf(id)) ?? 'unknown';
  };
  const [forecast, meter] = [find(input.forecast), find(input.meter)];
  const decision = checkSource(contract, {
    forecast: owned(forecast),
    meter: owned(meter),
    share: input.share,
    maxPowerMw: input.max_power_mw ?? null,
  });
  if (decision.kind === 'invalid') {
    errors.push(...decision.faults.map((fault) => ({ ...fault, code: 'validation_failed' as const })));
    return null;
  }
  const numberOf = (series: typeof forecast) => (series === null || series === 'unknown' ? null : series.no);
  const { shareMillionths, maxPowerKw } = decision.terms;
  return { forecastNo: numberOf(forecast), meterNo: numberOf(meter), shareMillionths, maxPowerKw };
}

function owned(series: SeriesRow | 'unknown' | null) {
  if (series === null || series === 'unknown') return series;
  const { kind, asset_id: assetId, customer_id: customerId } = series;
  if (assetId !== null) return { kind, ownerType: 'asset', ownerId: assetId } as const;
  return { kind, ownerType: 'customer', ownerId: customerId ?? '' } as const;
}

/**
 * Throws if the shares of a series exceed 1 on any day. Precondition: the series are locked, and the change of the
 * contract is stored.
 */
export async function requireShares(tx: Tx, series: readonly SeriesRow[]): Promise<void> {
  for (const { no, id } of series) {
    const rows = await readSharing(tx, no);
    const sources = await readSources(
      tx,
      rows.map((row) => row.no),
    );
    const decision = checkShares(rows.flatMap((row) => periodsOf(row, sources.get(row.no) ?? [], no)));
    if (decision.kind === 'fits') continue;
    const { day, shareMillionths, contracts } = decision;
    const message = {
      series: encodeId(ID_PREFIX.series, id),
      share: shareMillionths / WHOLE_SHARE,
      contracts: [...new Set(contracts)],
    };
    throw problem(
      'shares_exceeded',
      day === null
        ? { key: 'problem.shares_exceeded_always', ...message }
        : { key: 'problem.shares_exceeded', day, ...message },
    );
  }
}

/** The periods in which a contract delivers a share of the series: those of its sources within its delivery. */
function periodsOf(
  { external_id, delivery_start, delivery_end }: SharingRow,
  sources: readonly ContractSource[],
  seriesNo: number,
): SharingContract[] {
  return sources.flatMap((source, at) => {
    if (!seriesOf(source).includes(seriesNo)) return [];
    const next = sources[at + 1]?.firstDay;
    const start = source.firstDay === SINCE_CREATION ? null : dayStart(source.firstDay);
    const end = next === undefined ? null : dayStart(next);
    return {
      id: external_id,
      shareMillionths: source.shareMillionths,
      deliveryStart: maxOf(start, delivery_start),
      deliveryEnd: minOf(end, delivery_end),
    };
  });
}

const maxOf = (one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);
const minOf = (one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
