import { type DeliveryDay, parseDay, slotCount } from './delivery-day.ts';
import { MAX_SLOT_KWH } from './energy.ts';
import { type VolumeFault, volumeFaultMessage, volumeFromJson, volumeFromText } from './volume.ts';

/** What can be wrong with a line on its own, before anybody asks whether its contract exists. */
export type LineFaultCode =
  | 'malformed_line'
  | 'invalid_date'
  | 'invalid_slot'
  | 'wrong_slot_count'
  | 'invalid_volume'
  | 'negative_volume'
  | 'too_many_decimals'
  | 'volume_too_large';

export type LineFault<Code extends string = LineFaultCode> = {
  readonly code: Code;
  readonly message: string;
};

/**
 * What one line of an import says. A reader has one of these and fills it anew for every line, since a market day
 * has a million of them.
 */
export type SaidLine = {
  /** False for a line of which not even contract and day can be told. */
  isReadable: boolean;
  /** Whether contract and day are those of the last readable line. */
  isSameDay: boolean;
  contract: string;
  /** As it is written; `day` is null when there is no such date. */
  date: string;
  day: DeliveryDay | null;
  slotCount: number;
  /** For a line about one slot; otherwise `volumes` says the whole day. */
  slot: number;
  kwh: number;
  volumes: (number | null)[] | null;
  fault: LineFault | null;
};

/** Reads the line between two places of a buffer, without its line break. The bytes are valid UTF-8. */
export type LineReader = (bytes: Buffer, start: number, end: number) => SaidLine;

export const CSV_COLUMNS = ['contract', 'delivery_date', 'slot', 'volume'] as const;
export type CsvColumn = (typeof CSV_COLUMNS)[number];

const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const QUOTE = '"';
/** Contract and date of one line, for the comparison with the next; longer ones are compared as text. */
const PREFIX_BYTES = 512;
/** So many digits fit any volume before its point, and any of them together are exact. */
const PLAIN_DIGITS = 7;

const nothingSaid = (): SaidLine => ({
  isReadable: false,
  isSameDay: false,
  contract: '',
  date: '',
  day: null,
  slotCount: 0,
  slot: 0,
  kwh: 0,
  volumes: null,
  fault: null,
});

const VOLUME_CODES: Record<VolumeFault, LineFaultCode> = {
  not_a_number: 'invalid_volume',
  negative: 'negative_volume',
  too_precise: 'too_many_decimals',
  too_large: 'volume_too_large',
};

const volumeFault = (name: string, fault: VolumeFault): LineFault => ({
  code: VOLUME_CODES[fault],
  message: `${name} ${volumeFaultMessage(fault)}`,
});

const invalidDate: LineFault = {
  code: 'invalid_date',
  message: 'delivery_date must be an existing date such as 2026-10-25',
};

const invalidSlot = (said: SaidLine): LineFault => ({
  code: 'invalid_slot',
  message: `slot must be a whole number from 1 to ${said.slotCount} on ${said.date}`,
});

function unreadable(said: SaidLine, message: string): SaidLine {
  said.isReadable = false;
  said.isSameDay = false;
  said.fault = { code: 'malformed_line', message };
  return said;
}

/** Notes which contract and day a line is about. */
function about(said: SaidLine, hasDay: boolean, contract: string, date: string): void {
  said.isSameDay = hasDay && contract === said.contract && date === said.date;
  said.isReadable = true;
  said.fault = null;
  said.volumes = null;
  if (said.isSameDay) return;
  said.contract = contract;
  said.date = date;
  said.day = parseDay(date);
  said.slotCount = said.day === null ? 0 : slotCount(said.day);
}

/**
 * Reads CSV lines with the columns in this order. A line that begins with the very bytes of the one before is about
 * the same contract and day, and is read without making a single string.
 */
export function csvReader(columns: readonly CsvColumn[]): LineReader {
  const said = nothingSaid();
  const at = (column: CsvColumn) => columns.indexOf(column);
  const [contractAt, dateAt, slotAt, volumeAt] = [
    at('contract'),
    at('delivery_date'),
    at('slot'),
    at('volume'),
  ];
  const isUsualOrder = CSV_COLUMNS.every((column, index) => columns[index] === column);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  let prefixLength = 0;
  let hasDay = false;

  function readFields(bytes: Buffer, start: number, end: number): SaidLine {
    const line = bytes.toString('utf8', start, end);
    const fields = csvFields(line);
    if (typeof fields === 'string') return unreadable(said, fields);
    if (fields.length !== columns.length) {
      return unreadable(said, `the line has ${fields.length} fields, the header ${columns.length}`);
    }
    about(said, hasDay, fields[contractAt]!, fields[dateAt]!);
    hasDay = true;
    prefixLength = 0;
    if (isUsualOrder && !line.includes(QUOTE)) {
      const length = bytes.indexOf(COMMA, bytes.indexOf(COMMA, start) + 1) + 1 - start;
      if (length <= PREFIX_BYTES) prefixLength = bytes.copy(prefix, 0, start, start + length);
    }
    if (said.day === null) said.fault = invalidDate;
    else sayCell(fields[slotAt]!, fields[volumeAt]!);
    return said;
  }

  function sayCell(slotText: string, volumeText: string): void {
    const slot = /^\d+$/.test(slotText) ? Number(slotText) : 0;
    const kwh = volumeFromText(volumeText);
    said.slot = slot;
    if (slot < 1 || slot > said.slotCount) said.fault = invalidSlot(said);
    else if (typeof kwh === 'number') said.kwh = kwh;
    else said.fault = volumeFault('volume', kwh);
  }

  return (bytes, start, end) => {
    if (prefixLength === 0 || end - start <= prefixLength) return readFields(bytes, start, end);
    // From the back, since neighbours differ there.
    for (let index = prefixLength - 1; index >= 0; index--) {
      if (bytes[start + index] !== prefix[index]) return readFields(bytes, start, end);
    }
    if (!readPlainCell(said, bytes, start + prefixLength, end)) return readFields(bytes, start, end);
    said.isSameDay = true;
    said.isReadable = true;
    said.fault = null;
    return said;
  };
}

/** Reads `96,12.345` when it is as plain as that and right; whatever else it is, the long way finds out. */
function readPlainCell(said: SaidLine, bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  let slot = 0;
  for (; at < end; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) break;
    slot = slot * 10 + digit;
  }
  if (slot < 1 || slot > said.slotCount || bytes[at] !== COMMA) return false;
  const firstDigit = ++at;
  let kwh = 0;
  for (; at < end; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) break;
    kwh = kwh * 10 + digit;
  }
  if (at === firstDigit || at - firstDigit > PLAIN_DIGITS) return false;
  let decimals = 0;
  if (at < end) {
    if (bytes[at] !== POINT) return false;
    for (at++; at < end; at++) {
      const digit = bytes[at]! - ZERO;
      if (digit < 0 || digit > 9) return false;
      kwh = kwh * 10 + digit;
      decimals++;
    }
    if (decimals === 0 || decimals > 3) return false;
  }
  kwh *= decimals === 3 ? 1 : decimals === 2 ? 10 : decimals === 1 ? 100 : 1000;
  if (kwh > MAX_SLOT_KWH) return false;
  said.slot = slot;
  said.kwh = kwh;
  return true;
}

/**
 * The fields of a line by RFC 4180, or what is wrong with it. Only line breaks within quotes are not taken: one
 * forgotten quote would then swallow the lines behind it, and a line that cannot be read falls alone.
 */
export function csvFields(line: string): string[] | string {
  if (!line.includes(QUOTE)) return line.split(',');
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (line[at] === QUOTE) {
      let field = '';
      for (at++; ; at += 2) {
        const close = line.indexOf(QUOTE, at);
        if (close === -1) return 'a quote is not closed on its line';
        field += line.slice(at, close);
        at = close;
        if (line[at + 1] !== QUOTE) break;
        field += QUOTE;
      }
      at++;
      fields.push(field);
      if (at < line.length && line[at] !== ',') return 'there is text behind a closing quote';
    } else {
      const comma = line.indexOf(',', at);
      const field = line.slice(at, comma === -1 ? line.length : comma);
      if (field.includes(QUOTE)) return 'a field with a quote in it must be quoted as a whole';
      fields.push(field);
      at += field.length;
    }
    if (at >= line.length) return fields;
    at++;
  }
}

/** Reads NDJSON lines: one slot (`slot` and `volume`) or one day (`volumes`) each. */
export function ndjsonReader(): LineReader {
  const said = nothingSaid();
  let hasDay = false;
  return (bytes, start, end) => {
    let line: unknown;
    try {
      line = JSON.parse(bytes.toString('utf8', start, end));
    } catch {
      return unreadable(said, 'the line is not valid JSON');
    }
    if (typeof line !== 'object' || line === null || Array.isArray(line)) {
      return unreadable(said, 'the line must be a JSON object');
    }
    const record = line as Record<string, unknown>;
    const fault = membersFault(record);
    if (fault !== null) return unreadable(said, fault);
    about(said, hasDay, String(record['contract']), String(record['delivery_date']));
    hasDay = true;
    if (said.day === null) said.fault = invalidDate;
    else if ('volumes' in record) sayDay(said, record['volumes'] as unknown[]);
    else sayJsonCell(said, record['slot'], record['volume']);
    return said;
  };
}

const SLOT_MEMBERS = new Set<string>(CSV_COLUMNS);
const DAY_MEMBERS = new Set(['contract', 'delivery_date', 'volumes']);

function membersFault(record: Record<string, unknown>): string | null {
  const members = Object.hasOwn(record, 'volumes') ? DAY_MEMBERS : SLOT_MEMBERS;
  for (const name of Object.keys(record)) {
    if (!members.has(name)) return `a line with ${[...members].join(', ')} takes no other member`;
  }
  for (const name of members) {
    if (!Object.hasOwn(record, name)) return `${name} is missing`;
  }
  for (const name of ['contract', 'delivery_date']) {
    if (typeof record[name] !== 'string') return `${name} must be a string`;
  }
  return members === DAY_MEMBERS && !Array.isArray(record['volumes']) ? 'volumes must be an array' : null;
}

function sayJsonCell(said: SaidLine, slot: unknown, volume: unknown): void {
  const kwh = volumeFromJson(volume);
  if (!Number.isInteger(slot) || Number(slot) < 1 || Number(slot) > said.slotCount) {
    said.fault = invalidSlot(said);
    return;
  }
  said.slot = Number(slot);
  if (typeof kwh === 'number') said.kwh = kwh;
  else said.fault = volumeFault('volume', kwh);
}

function sayDay(said: SaidLine, values: unknown[]): void {
  if (values.length !== said.slotCount) {
    const message = `${said.date} has ${said.slotCount} slots, but volumes has ${values.length}`;
    said.fault = { code: 'wrong_slot_count', message };
    return;
  }
  const volumes = values as (number | null)[];
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value === null) continue;
    const kwh = volumeFromJson(value);
    if (typeof kwh !== 'number') {
      said.fault = volumeFault(`volumes[${at}]`, kwh);
      return;
    }
    volumes[at] = kwh;
  }
  said.volumes = volumes;
}
