import { type DeliveryDay, slotCount } from '../delivery-day.ts';
import type { SeriesOwner } from '../enums.ts';
import type { PlacedValue } from './value.ts';

/** From the perspective of the owner of the market location. */
export type FlowDirection = 'consumption' | 'feed_in';

/** Metered values of a market location in one direction. */
export type LoadProfile = {
  readonly marketLocation: string;
  readonly direction: FlowDirection;
  readonly days: readonly ProfileDay[];
};

type ProfileDay = {
  readonly day: DeliveryDay;
  /** One per slot, null for a slot without a value. */
  readonly valuesWh: (number | null)[];
  /** Slots whose value is an estimate of the metering operator. */
  readonly substituteSlots: number[];
};

export type ProfileFault =
  | { readonly key: 'mscons.duplicate_slot'; readonly day: DeliveryDay; readonly slot: number }
  | { readonly key: 'mscons.too_many_days'; readonly max: number };

/** The days of one load profile. */
type OpenProfile = Omit<LoadProfile, 'days'> & { readonly days: Map<DeliveryDay, ProfileDay> };

/** Collects values by market location, direction and day. */
export class LoadProfiles {
  private readonly maxDays: number;
  private readonly profiles = new Map<string, OpenProfile>();
  private dayCount = 0;

  constructor(maxDays: number) {
    this.maxDays = maxDays;
  }

  add(
    { marketLocation, direction }: Omit<LoadProfile, 'days'>,
    { day, slot, wh }: PlacedValue,
    isSubstitute: boolean,
  ): ProfileFault | null {
    const key = `${direction} ${marketLocation}`;
    let profile = this.profiles.get(key);
    if (profile === undefined) {
      profile = { marketLocation, direction, days: new Map() };
      this.profiles.set(key, profile);
    }
    let found = profile.days.get(day);
    if (found === undefined) {
      if (this.dayCount === this.maxDays) return { key: 'mscons.too_many_days', max: this.maxDays };
      this.dayCount++;
      found = { day, valuesWh: Array.from({ length: slotCount(day) }, () => null), substituteSlots: [] };
      profile.days.set(day, found);
    }
    for (const [at, slotWh] of wh.entries()) {
      const index = slot - 1 + at;
      if (found.valuesWh[index] !== null) return { key: 'mscons.duplicate_slot', day, slot: index + 1 };
      found.valuesWh[index] = slotWh;
      if (isSubstitute) found.substituteSlots.push(index + 1);
    }
    return null;
  }

  list(): LoadProfile[] {
    return Array.from(this.profiles.values(), ({ days, ...profile }) => ({
      ...profile,
      days: [...days.values()],
    }));
  }
}

export type DirectionRemark = {
  readonly key: 'mscons.direction_ignored';
  readonly marketLocation: string;
  readonly direction: FlowDirection;
};

/** A plant's series is what it feeds in, a customer's what it consumes. */
const DIRECTION_OF: Readonly<Record<SeriesOwner, FlowDirection>> = {
  asset: 'feed_in',
  customer: 'consumption',
};

/** Decides which load profiles are applied. `ownerOf` returns null for a market location without a series. */
export function assignProfiles(
  profiles: readonly LoadProfile[],
  ownerOf: (marketLocation: string) => SeriesOwner | null,
): { applied: LoadProfile[]; unknown: string[]; remarks: DirectionRemark[] } {
  const applied: LoadProfile[] = [];
  const unknown = new Set<string>();
  const remarks: DirectionRemark[] = [];
  for (const profile of profiles) {
    const { marketLocation, direction } = profile;
    const owner = ownerOf(marketLocation);
    if (owner === null) unknown.add(marketLocation);
    else if (direction === DIRECTION_OF[owner]) applied.push(profile);
    else remarks.push({ key: 'mscons.direction_ignored', marketLocation, direction });
  }
  return { applied, unknown: [...unknown], remarks };
}
