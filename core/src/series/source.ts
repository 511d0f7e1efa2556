import { assert } from '../assert.ts';
import { CumulativeRounding } from '../cumulative-rounding.ts';
import { findUnits } from '../decimal.ts';
import { findKw } from '../energy.ts';
import { type SeriesKind, type SeriesOwner, SOURCE_KINDS, type SourceKind } from '../enums.ts';
import type { Message } from '../messages/message.ts';
import { MAX_SLOT_WH } from './value.ts';

/** A share of a series is stored in millionths, because it has at most six decimals. */
const SHARE_DECIMALS = 6;
export const WHOLE_SHARE = 10 ** SHARE_DECIMALS;

/** The part of a contract's source that decides its volumes. */
export type SourceTerms = {
  readonly kind: SourceKind;
  readonly shareMillionths: number;
  /** Null: the volumes are not limited. */
  readonly maxPowerKw: number | null;
};

/** Values of one day, one per slot, null for a gap. Null for a source without such a series. */
type SlotValues = readonly (number | null)[] | null;
export type SourceValues = { readonly forecastWh: SlotValues; readonly meterWh: SlotValues };

export type SourcedDay = {
  /** Null for a slot without a value. */
  readonly volumesKwh: (number | null)[];
  /** The series that each volume comes from. */
  readonly origins: (SeriesKind | null)[];
};

/** Millionths of a JSON number above 0 and up to 1. */
export function shareFromJson(share: number): number | Message {
  if (!(share > 0 && share <= 1)) return { key: 'field.share_range' };
  return findUnits(share, SHARE_DECIMALS) ?? { key: 'field.max_decimals', max: SHARE_DECIMALS };
}

/** What decides whether a series can be the source of a contract. */
export type OwnedSeries = {
  readonly kind: SeriesKind;
  readonly ownerType: SeriesOwner;
  readonly ownerId: string;
};

/** The terms of a contract that its source has to fit. */
export type SourcedContract = {
  readonly ppaType: string | null;
  readonly hasProfile: boolean;
  readonly assetId: string | null;
  readonly buyerId: string;
};

/** A source as it is asked for. A series is null if none is given, and `unknown` if there is no such series. */
export type AskedSource = {
  readonly forecast: OwnedSeries | 'unknown' | null;
  readonly meter: OwnedSeries | 'unknown' | null;
  readonly share: number;
  readonly maxPowerMw: number | null;
};

type SourceFault = {
  readonly field: 'source' | `source.${'forecast' | 'meter' | 'share' | 'max_power_mw'}`;
  readonly message: Message;
};

export type SourceDecision =
  | { readonly kind: 'valid'; readonly terms: SourceTerms }
  | { readonly kind: 'invalid'; readonly faults: readonly SourceFault[] };

/** Decides whether a contract can have a source, with all that is wrong with it. */
export function checkSource(contract: SourcedContract, asked: AskedSource): SourceDecision {
  const faults: SourceFault[] = [];
  const fail = (field: SourceFault['field'], message: Message) => faults.push({ field, message });
  const kind = SOURCE_KINDS.find((candidate) => candidate === contract.ppaType) ?? null;
  if (contract.hasProfile) fail('source', { key: 'field.source_beside_profile' });
  else if (kind === null) fail('source', { key: 'field.source_kind' });
  if (asked.forecast === null && asked.meter === null) fail('source', { key: 'field.source_without_series' });
  for (const name of ['forecast', 'meter'] as const) {
    const message = kind === null ? null : seriesFault(contract, kind, name, asked[name]);
    if (message !== null) fail(`source.${name}`, message);
  }
  const shareMillionths = shareFromJson(asked.share);
  if (typeof shareMillionths !== 'number') fail('source.share', shareMillionths);
  const maxPowerKw = asked.maxPowerMw === null ? null : findKw(asked.maxPowerMw);
  if (maxPowerKw === null && asked.maxPowerMw !== null)
    fail('source.max_power_mw', { key: 'field.max_decimals', max: 3 });
  return kind === null || typeof shareMillionths !== 'number' || faults.length > 0
    ? { kind: 'invalid', faults }
    : { kind: 'valid', terms: { kind, shareMillionths, maxPowerKw } };
}

function seriesFault(
  { assetId, buyerId }: SourcedContract,
  kind: SourceKind,
  name: SeriesKind,
  series: AskedSource[SeriesKind],
): Message | null {
  if (series === null) return null;
  if (name === 'meter' && kind === 'forecasted') return { key: 'field.source_meter_of_forecasted' };
  if (series === 'unknown') return { key: 'field.unknown_series' };
  if (series.kind !== name) return { key: `field.source_no_${name}` };
  const isOfAsset = series.ownerType === 'asset' && series.ownerId === assetId;
  const isOfBuyer = series.ownerType === 'customer' && series.ownerId === buyerId;
  if (kind === 'indexed') return isOfAsset || isOfBuyer ? null : { key: 'field.source_owner' };
  if (kind === 'consumed') return isOfBuyer ? null : { key: 'field.source_owner_buyer' };
  return isOfAsset ? null : { key: 'field.source_owner_asset' };
}

/** A Wh times a share is a whole number of these parts. */
const PARTS_PER_WH = WHOLE_SHARE;
const PARTS_PER_KWH = 1000 * PARTS_PER_WH;
/** The Wh that 1 kW delivers within one slot. */
const SLOT_WH_PER_KW = 250;

/**
 * The volumes of a contract's day: energy times share, at most the energy of the maximum power. The sum since the start
 * of the day is rounded half up, so a day is within half a kWh of its exact energy. A gap has no volume and leaves the
 * sum as it is.
 */
export function sourceVolumes(terms: SourceTerms, values: SourceValues, slotCount: number): SourcedDay {
  const { kind, shareMillionths } = terms;
  assert(shareMillionths > 0 && shareMillionths <= WHOLE_SHARE, 'a share is above 0 and at most 1');
  const limit = maxParts(terms.maxPowerKw);
  const meterWh = kind === 'forecasted' ? null : values.meterWh;
  const volumesKwh: (number | null)[] = [];
  const origins: (SeriesKind | null)[] = [];
  const rounding = new CumulativeRounding(PARTS_PER_KWH);
  for (let at = 0; at < slotCount; at++) {
    const meter = meterWh?.[at] ?? null;
    const wh = meter ?? values.forecastWh?.[at] ?? null;
    if (wh === null) {
      volumesKwh.push(null);
      origins.push(null);
      continue;
    }
    volumesKwh.push(rounding.next(Math.min(wh * shareMillionths, limit)));
    origins.push(meter === null ? 'forecast' : 'meter');
  }
  return { volumesKwh, origins };
}

function maxParts(maxPowerKw: number | null): number {
  const wh = maxPowerKw === null ? MAX_SLOT_WH : Math.min(maxPowerKw * SLOT_WH_PER_KW, MAX_SLOT_WH);
  return wh * PARTS_PER_WH;
}
