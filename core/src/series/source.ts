import { assert } from '../assert.ts';
import { CumulativeRounding } from '../cumulative-rounding.ts';
import { findUnits } from '../decimal.ts';
import type { SeriesKind, SourceKind } from '../enums.ts';
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

export type ShareFault = { readonly key: 'series.share_range' } | { readonly key: 'series.share_decimals' };

/** Millionths of a JSON number above 0 and up to 1. */
export function shareFromJson(share: number): number | ShareFault {
  if (!(share > 0 && share <= 1)) return { key: 'series.share_range' };
  return findUnits(share, SHARE_DECIMALS) ?? { key: 'series.share_decimals' };
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
