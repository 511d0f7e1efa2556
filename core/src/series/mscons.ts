import { MINUTE_MS, parseInstant } from '../delivery-day.ts';
import type { Resolution } from '../enums.ts';
import {
  componentOf,
  EDIFACT_LIMITS,
  type Notation,
  quoted,
  type Segment,
  SegmentCursor,
} from './edifact.ts';
import { type EnvelopeFault, type Interchange, type MessagePlace, SEGMENT_TOO_LONG } from './interchange.ts';
import { type FlowDirection, type LoadProfile, LoadProfiles, type ProfileFault } from './load-profile.ts';
import { checkMarketLocation, type MarketLocationFault } from './market-location.ts';
import { placeValue, type StartFault, type ValueFault, whFromText } from './value.ts';

export type MessageFault =
  | EnvelopeFault
  | MarketLocationFault
  | ValueFault
  | StartFault
  | ProfileFault
  | { readonly key: 'mscons.message_type'; readonly found: string }
  | { readonly key: 'mscons.message_function'; readonly found: string }
  | { readonly key: 'mscons.unknown_segment'; readonly found: string }
  | { readonly key: 'mscons.no_location' }
  | { readonly key: 'mscons.no_product' }
  | { readonly key: 'mscons.no_values' }
  | { readonly key: 'mscons.unit'; readonly found: string }
  | { readonly key: 'mscons.no_interval' }
  | { readonly key: 'mscons.repeated_time' }
  | { readonly key: 'mscons.time'; readonly found: string }
  | { readonly key: 'mscons.interval_length'; readonly minutes: number };

/** What a message contains that is not read. `segment` is that of the first occurrence. */
export type MessageRemark = {
  /** A quantity that is neither a true nor a substitute value, or a product that is no load profile of active energy. */
  readonly key: 'mscons.quantity_ignored' | 'mscons.product_ignored';
  readonly segment: number;
  readonly marketLocation: string;
  /** The qualifier of the quantity or the code of the product. */
  readonly found: string;
  count: number;
};

export type MessageReading =
  | {
      readonly kind: 'read';
      readonly profiles: readonly LoadProfile[];
      readonly remarks: readonly MessageRemark[];
      /** Number of remarks beyond the limit. */
      readonly furtherRemarks: number;
    }
  | Rejection;

/** Segments count from UNH = 1. */
type Rejection = { readonly kind: 'rejected'; readonly segment: number; readonly fault: MessageFault };

const MESSAGE_TYPE = 'MSCONS:D:04B:UN:2.4c';
/** The segments of MSCONS D.04B that say nothing about a load profile. */
const OTHER_SEGMENTS: ReadonlySet<string> = new Set(
  'AUT CAV CCI CNT COM CTA CUX FTX IMD MEA MOA NAD PRI RFF STS UNS'.split(' '),
);
/** The function of a message that brings new values. A cancellation has 1. */
const ORIGINAL = '9';
const METERED_LOCATION = '172';
const OWN_CODE = '5';
const TRUE_VALUE = '220';
const SUBSTITUTE_VALUE = '67';
const START = '163';
const END = '164';
const WITH_OFFSET = '303';
const TIME_FORM = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})([+-]\d{2})$/;
/** Active energy of electricity (medium 1) on any channel, with any suffix such as *255. */
const OBIS_FORM = /^(?:1-\d{1,3}:)?([12])\.29\.0(?:\*\d{1,3})?$/;
const RESOLUTION_OF: ReadonlyMap<number, Resolution> = new Map([
  [15 * MINUTE_MS, 'PT15M'],
  [60 * MINUTE_MS, 'PT60M'],
]);

/** Reads one message of an interchange as a whole, or rejects it as a whole. */
export function readMessage(text: string, { notation }: Interchange, place: MessagePlace): MessageReading {
  if (place.rejection !== null) return { kind: 'rejected', ...place.rejection };
  const cursor = new SegmentCursor(text, place.from, notation);
  const reader = new MessageReader(notation);
  for (let number = 1; cursor.advance() === 'segment'; number++) {
    const segment = cursor.read();
    const rejection = segment === null ? rejected(number, SEGMENT_TOO_LONG) : reader.add(segment, number);
    if (rejection !== null) return rejection;
    if (segment?.tag === 'UNT') break;
  }
  return reader.result();
}

const rejected = (segment: number, fault: MessageFault): Rejection => ({ kind: 'rejected', segment, fault });

/** A QTY segment with the times of the DTM segments after it. */
type Quantity = {
  readonly segment: number;
  readonly text: string;
  readonly unit: string;
  readonly isSubstitute: boolean;
  readonly marketLocation: string;
  readonly direction: FlowDirection;
  start: number | null;
  end: number | null;
};

class MessageReader {
  private readonly notation: Notation;
  private readonly profiles = new LoadProfiles(EDIFACT_LIMITS.messageDays);
  private readonly remarks = new Map<string, MessageRemark>();
  private furtherRemarks = 0;
  private hasQuantities = false;
  private marketLocation: string | null = null;
  /** Of the line's product: null for one that is not read, undefined before it is known. */
  private direction: FlowDirection | null | undefined = undefined;
  /** The quantity whose times are still read. */
  private quantity: Quantity | null = null;

  constructor(notation: Notation) {
    this.notation = notation;
  }

  result(): MessageReading {
    const { profiles, remarks, furtherRemarks } = this;
    return { kind: 'read', profiles: profiles.list(), remarks: [...remarks.values()], furtherRemarks };
  }

  add(segment: Segment, number: number): Rejection | null {
    switch (segment.tag) {
      case 'UNH':
        return this.checkType(segment, number);
      case 'BGM':
        return this.checkFunction(segment, number);
      case 'LOC':
        return this.finishQuantity() ?? this.readLocation(segment, number);
      case 'LIN':
        this.direction = undefined;
        return this.finishQuantity();
      case 'PIA':
        return this.finishQuantity() ?? this.readProduct(segment, number);
      case 'QTY':
        return this.finishQuantity() ?? this.readQuantity(segment, number);
      case 'DTM':
        return this.readTime(segment, number);
      case 'UNT':
        return (
          this.finishQuantity() ?? (this.hasQuantities ? null : rejected(number, { key: 'mscons.no_values' }))
        );
      default:
        // A damaged tag must not hide a value.
        return OTHER_SEGMENTS.has(segment.tag)
          ? null
          : rejected(number, { key: 'mscons.unknown_segment', found: quoted(segment.tag) });
    }
  }

  private checkType({ elements }: Segment, number: number): Rejection | null {
    const found = elements[1]?.join(':') ?? '';
    return found === MESSAGE_TYPE
      ? null
      : rejected(number, { key: 'mscons.message_type', found: quoted(found) });
  }

  /** Without a function a message is an original. */
  private checkFunction(segment: Segment, number: number): Rejection | null {
    const found = componentOf(segment, 3) || ORIGINAL;
    return found === ORIGINAL
      ? null
      : rejected(number, { key: 'mscons.message_function', found: quoted(found) });
  }

  private readLocation(segment: Segment, number: number): Rejection | null {
    this.direction = undefined;
    this.marketLocation = null;
    if (componentOf(segment, 1) !== METERED_LOCATION) return null;
    const marketLocation = componentOf(segment, 2);
    const fault = checkMarketLocation(marketLocation);
    if (fault !== null) return rejected(number, fault);
    this.marketLocation = marketLocation;
    return null;
  }

  private readProduct(segment: Segment, number: number): Rejection | null {
    if (componentOf(segment, 1) !== OWN_CODE) return null;
    const { marketLocation } = this;
    if (marketLocation === null) return rejected(number, { key: 'mscons.no_location' });
    const product = componentOf(segment, 2);
    const [, flow] = OBIS_FORM.exec(product) ?? [];
    this.direction = flow === undefined ? null : flow === '1' ? 'consumption' : 'feed_in';
    if (flow === undefined) this.remark('mscons.product_ignored', number, marketLocation, product);
    return null;
  }

  private readQuantity(segment: Segment, number: number): Rejection | null {
    const { marketLocation, direction } = this;
    if (marketLocation === null) return rejected(number, { key: 'mscons.no_location' });
    if (direction === undefined) return rejected(number, { key: 'mscons.no_product' });
    this.hasQuantities = true;
    if (direction === null) return null;
    const qualifier = componentOf(segment, 1);
    if (qualifier !== TRUE_VALUE && qualifier !== SUBSTITUTE_VALUE) {
      this.remark('mscons.quantity_ignored', number, marketLocation, qualifier);
      return null;
    }
    this.quantity = {
      segment: number,
      text: componentOf(segment, 1, 1),
      unit: componentOf(segment, 1, 2),
      isSubstitute: qualifier === SUBSTITUTE_VALUE,
      marketLocation,
      direction,
      start: null,
      end: null,
    };
    return null;
  }

  /** Times before the first quantity, such as the period of the message, say nothing about a value. */
  private readTime(segment: Segment, number: number): Rejection | null {
    const { quantity } = this;
    const qualifier = componentOf(segment, 1);
    if (quantity === null || (qualifier !== START && qualifier !== END)) return null;
    const which = qualifier === START ? 'start' : 'end';
    if (quantity[which] !== null) return rejected(number, { key: 'mscons.repeated_time' });
    const text = componentOf(segment, 1, 1);
    const format = componentOf(segment, 1, 2);
    const instant = format === WITH_OFFSET ? parseTime(text) : null;
    if (instant === null) return rejected(number, { key: 'mscons.time', found: quoted(`${text}:${format}`) });
    quantity[which] = instant;
    return null;
  }

  private finishQuantity(): Rejection | null {
    const { quantity } = this;
    if (quantity === null) return null;
    this.quantity = null;
    const fault = this.addValue(quantity);
    return fault === null ? null : rejected(quantity.segment, fault);
  }

  private addValue(quantity: Quantity): MessageFault | null {
    const interval = parseInterval(quantity);
    if ('key' in interval) return interval;
    // Load profiles of active energy are in kWh, so that most senders leave out the unit.
    if (quantity.unit !== '' && quantity.unit !== 'KWH') {
      return { key: 'mscons.unit', found: quoted(quantity.unit) };
    }
    const { start, resolution } = interval;
    const wh = whFromText(withPoint(quantity.text, this.notation), 'energy_kwh', resolution);
    if (typeof wh !== 'number') return wh;
    const placed = placeValue(start, resolution, wh);
    return 'key' in placed ? placed : this.profiles.add(quantity, placed, quantity.isSubstitute);
  }

  private remark(key: MessageRemark['key'], segment: number, marketLocation: string, text: string): void {
    const found = quoted(text);
    const id = `${key} ${marketLocation} ${found}`;
    const known = this.remarks.get(id);
    if (known !== undefined) known.count++;
    else if (this.remarks.size === EDIFACT_LIMITS.messageRemarks) this.furtherRemarks++;
    else this.remarks.set(id, { key, segment, marketLocation, found, count: 1 });
  }
}

/** The decimal mark of the interchange as a point. Text with another mark becomes malformed. */
const withPoint = (text: string, { decimal }: Notation): string =>
  decimal === '.' ? text : text.replaceAll('.', ' ').replace(decimal, '.');

function parseInterval({ start, end }: Quantity): { start: number; resolution: Resolution } | MessageFault {
  if (start === null || end === null) return { key: 'mscons.no_interval' };
  const resolution = RESOLUTION_OF.get(end - start);
  if (resolution === undefined) return { key: 'mscons.interval_length', minutes: (end - start) / MINUTE_MS };
  return { start, resolution };
}

/** Reads '202611162300+00', a time with its offset from UTC in hours. */
function parseTime(text: string): number | null {
  const [, year, month, day, hour, minute, offset] = TIME_FORM.exec(text) ?? [];
  return parseInstant(`${year}-${month}-${day}T${hour}:${minute}:00${offset}:00`);
}
