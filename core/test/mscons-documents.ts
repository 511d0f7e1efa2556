import { addDays, dayStart, formatInstant, SLOT_MS } from '../src/delivery-day.ts';
import { DEFAULT_NOTATION, type Notation } from '../src/series/edifact.ts';

/** Two market locations and a metering location with valid identifications, which are invented. */
export const MALO = '12345678913';
export const OTHER_MALO = '98765432105';
export const MELO = `DE${'0'.repeat(30)}7`;

/** Writes a segment: elements of components, with its service characters escaped. */
export function joined(
  elements: readonly (readonly string[])[],
  notation: Notation = DEFAULT_NOTATION,
): string {
  const { component, element, release, terminator } = notation;
  const escaped = (data: string) =>
    release === null
      ? data
      : Array.from(data, (character) =>
          [component, element, release, terminator].includes(character) ? release + character : character,
        ).join('');
  return elements.map((components) => components.map(escaped).join(component)).join(element) + terminator;
}

/** A segment in the notation of specifications: `seg('QTY', '220:1.5:KWH')`, with the escapes of the author. */
export const seg = (...elements: string[]): string => `${elements.join('+')}'`;

export const time = (instant: number): string => {
  const digits = formatInstant(instant).replaceAll(/\D/g, '');
  return `${digits.slice(0, 12)}?+00`;
};

export const quantity = (
  start: number,
  value: string,
  options: { minutes?: number; code?: string } = {},
): string[] => [
  seg('QTY', `${options.code ?? '220'}:${value}:KWH`),
  seg('DTM', `163:${time(start)}:303`),
  seg('DTM', `164:${time(start + (options.minutes ?? 15) * 60_000)}:303`),
];

/** The segments of one load profile with one value per slot of a day. */
export const profile = (
  location: string,
  obis: string,
  day: string,
  kwh: (slot: number) => string,
): string[] => {
  const slots = (dayStart(addDays(day, 1)) - dayStart(day)) / SLOT_MS;
  return [
    ...line(location, obis),
    ...Array.from({ length: slots }, (_, at) => quantity(dayStart(day) + at * SLOT_MS, kwh(at + 1))).flat(),
  ];
};

export const line = (location: string, obis: string): string[] => [
  seg('NAD', 'DP'),
  seg('LOC', '172', location),
  seg('LIN', '1'),
  seg('PIA', '5', `1-1?:${obis}:SRW`),
];

/** A message with its envelope; `body` follows after the head of five segments. */
export function message(body: readonly string[], reference = 'M1'): string {
  const segments = [
    seg('UNH', reference, 'MSCONS:D:04B:UN:2.4c'),
    seg('BGM', '7', `DOC${reference}`, '9'),
    seg('DTM', '137:202611170600?+00:303'),
    seg('NAD', 'MS', '9900000000001::293'),
    seg('UNS', 'D'),
    ...body,
  ];
  return [...segments, seg('UNT', String(segments.length + 1), reference)].join('');
}

/** Number of segments of a message before its body. */
export const HEAD_SEGMENTS = 5;

export const interchange = (messages: readonly string[], reference = 'R1', una = "UNA:+.? '"): string =>
  una +
  seg('UNB', 'UNOC:3', '9900000000001:500', '9900000000002:500', '261117:0600', reference, '', 'TL') +
  messages.join('') +
  seg('UNZ', String(messages.length), reference);
