import { parseDay, parseInstant, SLOT_MS, slotAt, slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import { RESOLUTIONS, type Resolution, SERIES_KINDS, type SeriesKind } from '@saldo/core/enums.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { placeValue } from '@saldo/core/series/value.ts';
import type { LineFault, ParsedLine } from '@saldo/core/transactions/day-input.ts';
import type { UnitColumn, UnitFault } from './import-columns.ts';

/** Parses the line from `start` to `end`, without its line break. The bytes are valid UTF-8. */
export type LineParser = (bytes: Buffer, start: number, end: number) => ParsedLine;

export const emptyLine = (isPower = false): ParsedLine => ({
  isReadable: false,
  isSameDay: false,
  subject: '',
  kind: null,
  date: '',
  day: null,
  slotCount: 0,
  slot: 0,
  value: 0,
  values: null,
  isPower,
  fault: null,
});

export const malformed = (message: Message): LineFault => ({ code: 'malformed_line', message });

export const invalidDate: LineFault = { code: 'invalid_date', message: { key: 'import.date' } };

/** The day of a line with such a start is not known. */
export const invalidStart: LineFault = { code: 'invalid_date', message: { key: 'import.start' } };

export const invalidResolution = malformed({ key: 'import.resolution', resolutions: RESOLUTIONS });

export const invalidKind = malformed({ key: 'import.kind', kinds: SERIES_KINDS });

/** `at` is the place in the list of a whole day. */
export function valueFault(
  unit: UnitColumn,
  at: number | null,
  { code, message: fault }: UnitFault,
): LineFault {
  const { name, dayName } = unit;
  if (name === 'volume') {
    const message: Message =
      at === null ? { key: 'import.volume', fault } : { key: 'import.volume_at', at, fault };
    return { code, message };
  }
  const column = at === null ? name : `${dayName}[${at}]`;
  return { code, message: { key: 'import.value', column, fault } };
}

export function unreadable(line: ParsedLine, fault: LineFault): ParsedLine {
  line.isReadable = false;
  line.isSameDay = false;
  line.fault = fault;
  return line;
}

/** Sets the subject and day of a line. `hasDay` is whether a line before it had them. */
export function setDay(
  line: ParsedLine,
  hasDay: boolean,
  subject: string,
  kind: SeriesKind | null,
  date: string,
): void {
  line.isSameDay = hasDay && subject === line.subject && date === line.date && kind === line.kind;
  line.isReadable = true;
  line.fault = null;
  line.values = null;
  if (line.isSameDay) return;
  line.subject = subject;
  line.kind = kind;
  line.date = date;
  line.day = parseDay(date);
  line.slotCount = line.day === null ? 0 : slotCount(line.day);
}

/** Day and slot of an instant, and whether a slot starts with it. Null if the text is none, or its day does not exist. */
export function parseStart(text: string): { day: string; slot: number; isExact: boolean } | null {
  const start = parseInstant(text);
  if (start === null) return null;
  const { day, slot } = slotAt(start);
  return parseDay(day) === null ? null : { day, slot, isExact: start % SLOT_MS === 0 };
}

/** Undefined for any other text. */
export const parseResolution = (text: unknown): Resolution | undefined =>
  RESOLUTIONS.find((resolution) => resolution === text);

/** Undefined for any other text. */
export const parseKind = (text: unknown): SeriesKind | undefined =>
  SERIES_KINDS.find((kind) => kind === text);

export const wrongStart = (resolution: Resolution): LineFault => ({
  code: 'invalid_slot',
  message: { key: 'import.interval_start', resolution },
});

/** Sets the value of a line whose day exists. `slot` is 0 if the line has no number there. */
export function setCell(
  line: ParsedLine,
  slot: number,
  unit: UnitColumn,
  resolution: Resolution,
  value: number | UnitFault,
): void {
  line.slot = slot;
  if (slot < 1 || slot > line.slotCount) {
    const message = { key: 'import.slot', slots: line.slotCount, day: line.date } as const;
    line.fault = { code: 'invalid_slot', message };
  } else if (typeof value !== 'number') line.fault = valueFault(unit, null, value);
  else if (resolution === 'PT15M') line.value = value;
  else {
    const placed = placeValue(slotStart(line.date, slot), resolution, value);
    if ('key' in placed) line.fault = wrongStart(resolution);
    else line.values = spread(placed.wh, slot, line.slotCount);
  }
}

/** Values from a slot on, on the slots of their day. */
function spread(values: readonly number[], slot: number, slots: number): (number | null)[] {
  const day = Array.from({ length: slots }, (): number | null => null);
  day.splice(slot - 1, values.length, ...values);
  return day;
}
