import { profileVolumes } from '@saldo/core/contracts/profile.ts';
import { type DeliveryDay, dayNumber, localHours, SLOTS_PER_HOUR } from '@saldo/core/delivery-day.ts';
import type { SeriesKind } from '@saldo/core/enums.ts';
import { ASSETS, type AssetName, type CastContract, CONTRACTS, SITES, type SiteName } from './cast.ts';

/** Volumes that resemble weather and demand. They are deterministic, so that every start produces the same. */

/** A pseudo-random number from 0 to 1 that depends only on its seeds. */
function noise(...seeds: number[]): number {
  let state = 0x9e3779b9;
  for (const seed of seeds) {
    state = Math.imul(state ^ (seed + 0x7f4a7c15), 0x85ebca6b);
    state ^= state >>> 13;
  }
  state = Math.imul(state, 0xc2b2ae35);
  return ((state ^ (state >>> 16)) >>> 0) / 2 ** 32;
}

/** Weather changes slowly: noise every three hours, with linear interpolation between. */
function slowNoise(index: number, day: DeliveryDay, slot: number): number {
  const knot = Math.floor(slot / 12);
  const along = (slot % 12) / 12;
  const at = (number: number) => noise(index, dayNumber(day), number);
  return at(knot) * (1 - along) + at(knot + 1) * along;
}

function solarShare(index: number, day: DeliveryDay, hour: number): number {
  const clouds = 0.4 + 0.6 * noise(index, dayNumber(day));
  const height = Math.sin((Math.PI * (hour - 6)) / 13);
  return height > 0 ? 0.8 * clouds * height : 0;
}

function demandShare(index: number, day: DeliveryDay, hour: number, slot: number): number {
  const workday = hour >= 6 && hour < 22 ? 0.85 : 0.55;
  return workday + 0.15 * noise(index, dayNumber(day), slot);
}

type Curve = 'solar' | 'wind' | 'demand';

const curveOf = (plant: AssetName | null): Curve =>
  plant !== null && ASSETS[plant].technology === 'solar' ? 'solar' : 'wind';

/** Share of the power in each slot. The index makes curves of the same kind different. */
function sharesOf(curve: Curve, index: number, day: DeliveryDay): number[] {
  return localHours(day).map((hour, at) => {
    switch (curve) {
      case 'demand':
        return demandShare(index, day, hour, at);
      case 'solar':
        return solarShare(index, day, hour + (at % SLOTS_PER_HOUR) / SLOTS_PER_HOUR);
      case 'wind':
        return 0.1 + 0.75 * slowNoise(index, day, at);
    }
  });
}

/** kWh per slot of the contract with this index on this day. */
export function demoVolumes(contract: CastContract, index: number, day: DeliveryDay): number[] {
  switch (contract.ppaType) {
    case 'baseload':
    case 'peakload':
      return profileVolumes({ kind: contract.ppaType, powerKw: contract.powerKw }, day);
    case 'shaped': {
      const month = Array.from({ length: 24 }, (_, hour) => (hour >= 7 && hour < 21 ? contract.powerKw : 0));
      return profileVolumes({ kind: 'shaped', powerKw: Array.from({ length: 12 }, () => month) }, day);
    }
  }
  const curve = contract.ppaType === 'consumed' ? 'demand' : curveOf(contract.asset);
  return sharesOf(curve, index, day).map((share) => Math.round((contract.powerKw * share) / SLOTS_PER_HOUR));
}

const SITE_NAMES = Object.keys(SITES);
/** Keeps the noise of forecasts apart from that of the weather. */
const FORECAST_SEED = 1000;
const MOST_FORECAST_ERROR = 0.1;

/** Wh per slot of a plant or consumer. The forecast differs from the meter by up to a tenth. */
export function demoValuesWh(site: SiteName, kind: SeriesKind, day: DeliveryDay): number[] {
  const { owner } = SITES[site];
  const index = CONTRACTS.length + SITE_NAMES.indexOf(site);
  const isPlant = 'asset' in owner;
  const powerW = (isPlant ? ASSETS[owner.asset].nominalPowerKw : owner.powerKw) * 1000;
  const curve = isPlant ? curveOf(owner.asset) : 'demand';
  const factor = (slot: number) =>
    kind === 'meter' ? 1 : 1 + MOST_FORECAST_ERROR * (2 * slowNoise(FORECAST_SEED + index, day, slot) - 1);
  return sharesOf(curve, index, day).map((share, at) =>
    Math.round((powerW * share * factor(at)) / SLOTS_PER_HOUR),
  );
}
