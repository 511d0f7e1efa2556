import { profileVolumes } from '@saldo/core/contracts/profile.ts';
import { type DeliveryDay, dayNumber, localHours, SLOTS_PER_HOUR } from '@saldo/core/delivery-day.ts';
import { ASSETS, type CastContract } from './cast.ts';

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

/** Wind changes slowly: noise every three hours, with linear interpolation between. */
function windShare(index: number, day: DeliveryDay, slot: number): number {
  const knot = Math.floor(slot / 12);
  const along = (slot % 12) / 12;
  const at = (number: number) => 0.1 + 0.75 * noise(index, dayNumber(day), number);
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
  const solar = contract.asset !== null && ASSETS[contract.asset].technology === 'solar';
  const hours = localHours(day);
  return hours.map((hour, at) => {
    const quarter = hour + (at % SLOTS_PER_HOUR) / SLOTS_PER_HOUR;
    const share =
      contract.ppaType === 'consumed'
        ? demandShare(index, day, hour, at)
        : solar
          ? solarShare(index, day, quarter)
          : windShare(index, day, at);
    return Math.round((contract.powerKw * share) / SLOTS_PER_HOUR);
  });
}
