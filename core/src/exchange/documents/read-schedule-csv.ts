import { csvFields, DecimalNotation, type Delimiter, decimalQuestion, delimiterOf } from '../../csv.ts';
import {
  type DeliveryDay,
  parseDay,
  parseInstant,
  SLOT_MS,
  slotCount,
  slotStart,
} from '../../delivery-day.ts';
import { checkEic } from '../../eic.ts';
import { parseExactMwh, parseMw } from '../../energy.ts';
import { type DecimalMark, DIRECTIONS, type Direction, TSOS, type Tso } from '../../enums.ts';
import type { Message } from '../../messages/message.ts';
import type { CheckedCsv, CheckedSeries, CheckFaults } from '../schedule-check.ts';
import { type Finding, findingOfFault, imbalance } from '../schedule-rules.ts';
import { shown } from './xml.ts';

/** The columns of the CSV that the platform exports. */
const KEY_COLUMNS = ['delivery_date', 'eic', 'tso', 'direction', 'slot_number'] as const;
const VALUE_COLUMNS = ['power_mw', 'amount_mwh'] as const;
const OTHER_COLUMNS = [
  'nomination_id',
  'version',
  'counterparty_eic',
  'delivery_start',
  'delivery_end',
] as const;
const COLUMNS = [...KEY_COLUMNS, ...VALUE_COLUMNS, ...OTHER_COLUMNS] as const;
type Column = (typeof COLUMNS)[number];

/** Lines per step: a few milliseconds of work. */
const STEP_LINES = 2000;
/** Faults that are listed. The others would only repeat them. */
const MAX_FAULTS = 100;
/** The columns need a few hundred characters. Bounds the memory of a hostile file. */
const MAX_LINE_LENGTH = 2000;
/** More than any complete file of the largest accepted size has. */
const MAX_SERIES = 3000;
/** Slots that a fault names one by one. */
const NAMED_SLOTS = 5;

const TOO_LONG: Message = { key: 'document.csv_long_line', max: MAX_LINE_LENGTH };

const inLine = (line: number, fault: string | Message): Message => ({ key: 'document.in_line', line, fault });

/** Shared by all slots without a line. */
const NO_POWER: readonly number[] = [];

/** The decimal mark cannot be seen in the file: only its sender can answer the question. */
export type CsvQuestion = { readonly question: ReturnType<typeof decimalQuestion> };

type Line = { readonly number: number; readonly valueOf: (column: Column) => string };
type OpenSeries = CheckedSeries & { powersKw: (readonly number[])[] };

/** Reads a schedule in the form of the platform's own CSV export. In steps, so that a server can do other work. */
export function* readScheduleCsv(
  csv: Uint8Array,
  operatorEic: string,
  decimal: DecimalMark | null,
): Generator<void, CheckedCsv | CheckFaults | CsvQuestion, void> {
  const text = decode(csv);
  if (text === null) return { faults: [{ key: 'document.csv_encoding' }] };
  if (text.trim() === '') return { faults: [{ key: 'document.csv_empty' }] };
  const header = lineAt(text, 0);
  if (header === null) return { faults: [inLine(1, TOO_LONG)] };
  const delimiter = delimiterOf(header);
  const names = csvFields(header, delimiter);
  if (!Array.isArray(names)) return { faults: [inLine(1, names)] };
  const headerFaults = columnFaults(names).map((fault) => inLine(1, fault));
  if (headerFaults.length > 0) return { faults: headerFaults };
  const reader = new ScheduleReader(operatorEic, new DecimalNotation(delimiter, decimal));
  const lines: Line[] = [];
  let number = 1;
  for (let at = nextLine(text, 0); at < text.length; at = nextLine(text, at)) {
    const line = lineAt(text, at);
    if (++number % STEP_LINES === 0) yield;
    if (line === null) reader.fail(number, TOO_LONG);
    else if (line !== '') reader.addLine(lines, number, line, names, delimiter);
  }
  if (reader.question !== null) return { question: reader.question };
  // The series with the operator decide the day, wherever they stand in the file.
  for (const isOther of [false, true]) {
    for (const [at, line] of lines.entries()) {
      if (reader.isWithOther(line) === isOther) reader.readLine(line);
      if (at % STEP_LINES === 0) yield;
    }
  }
  return reader.finish();
}

function decode(csv: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(csv);
  } catch {
    return null;
  }
}

const nextLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
};

/** The line from `at` on, without its line break; null if it is too long. */
function lineAt(text: string, at: number): string | null {
  const end = nextLine(text, at);
  return end - at > MAX_LINE_LENGTH ? null : text.slice(at, end).replace(/\r?\n$/, '');
}

function columnFaults(names: readonly string[]): Message[] {
  const unknown = names.filter((name) => !(COLUMNS as readonly string[]).includes(name));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  const missing = KEY_COLUMNS.filter((column) => !names.includes(column));
  const faults: Message[] = [
    ...unknown.map(
      (name) => ({ key: 'document.csv_unknown_column', column: shown(name), known: COLUMNS }) as const,
    ),
    ...twice.map((name) => ({ key: 'document.csv_column_twice', column: shown(name) }) as const),
    ...missing.map((column) => ({ key: 'document.csv_column_missing', column }) as const),
  ];
  if (!VALUE_COLUMNS.some((column) => names.includes(column)))
    faults.push({ key: 'document.csv_value_column', columns: VALUE_COLUMNS });
  return faults;
}

class ScheduleReader {
  question: CsvQuestion['question'] | null = null;
  private readonly faults: Message[] = [];
  private day: { value: DeliveryDay; line: number } | null = null;
  private readonly series = new Map<string, OpenSeries>();
  /** Series with other parties. Their faults are findings, and no reason to refuse the file. */
  private readonly others = new Map<string, OpenSeries>();
  private readonly otherFaults: Message[] = [];
  private readonly operatorEic: string;
  private readonly notation: DecimalNotation;

  constructor(operatorEic: string, notation: DecimalNotation) {
    this.operatorEic = operatorEic;
    this.notation = notation;
  }

  fail(line: number, fault: string | Message, faults = this.faults): void {
    if (faults.length < MAX_FAULTS) faults.push(inLine(line, fault));
  }

  isWithOther({ valueOf }: Line): boolean {
    return (valueOf('counterparty_eic') || this.operatorEic) !== this.operatorEic;
  }

  /** Splits a line. All numbers of the file together show its decimal mark, so they are read afterwards. */
  addLine(lines: Line[], number: number, text: string, names: readonly string[], delimiter: Delimiter): void {
    const fields = csvFields(text, delimiter);
    if (!Array.isArray(fields)) return this.fail(number, fields);
    if (fields.length !== names.length) {
      const [count, expected] = [fields.length, names.length];
      return this.fail(number, { key: 'import.field_count', count, expected });
    }
    const valueOf = (column: Column) => fields[names.indexOf(column)]?.trim() ?? '';
    for (const column of VALUE_COLUMNS) this.notation.normalise(valueOf(column));
    const open = this.notation.question;
    this.question = open === null ? null : (this.question ?? decimalQuestion(number, open));
    lines.push({ number, valueOf });
  }

  readLine(line: Line): void {
    const { number, valueOf } = line;
    const isOther = this.isWithOther(line);
    const faults = isOther ? this.otherFaults : this.faults;
    const [eic, tso, direction] = [valueOf('eic'), valueOf('tso'), valueOf('direction')];
    const counterparty = isOther ? valueOf('counterparty_eic') : '';
    const key = `${eic} ${tso} ${direction} ${counterparty}`;
    const day = this.dayOf(number, valueOf('delivery_date'), isOther);
    const fault =
      checkEic(eic) ??
      (isOther ? checkEic(counterparty) : null) ??
      notOneOf('tso', tso, TSOS) ??
      notOneOf('direction', direction, DIRECTIONS) ??
      (day && this.slotFault(day, valueOf));
    const powersKw = fault === null && day !== null ? this.powersOf(number, valueOf, faults) : null;
    const known = isOther ? this.others : this.series;
    const series = findSeries(
      known,
      key,
      { eic, tso: tso as Tso, direction: direction as Direction },
      day ?? this.day?.value ?? null,
    );
    if (fault !== null) return this.fail(number, fault, faults);
    if (day === null || powersKw === null) return;
    if (series === null)
      return this.fail(number, { key: 'document.csv_series_count', max: MAX_SERIES }, faults);
    const slots = series.powersKw;
    const slot = Number(valueOf('slot_number'));
    if (slots[slot - 1]!.length > 0) this.fail(number, { key: 'document.csv_slot_twice', slot }, faults);
    slots[slot - 1] = powersKw;
  }

  finish(): CheckedCsv | CheckFaults {
    const { day, faults } = this;
    const series = [...this.series.values()];
    if (faults.length === 0 && day !== null) {
      for (const one of series) faults.push(...missingSlots(one, day.value));
    }
    if (faults.length === 0 && day === null) {
      faults.push({ key: 'document.csv_no_series', eic: this.operatorEic });
    }
    if (faults.length > 0 || day === null) return { faults: faults.slice(0, MAX_FAULTS) };
    return {
      day: day.value,
      version: null,
      eics: new Set(series.map(({ eic }) => eic)),
      tsos: new Set(series.map(({ tso }) => tso)),
      series,
      ignored: this.others.size,
      findings: this.findings(day.value),
    };
  }

  /**
   * Only a file with series of other parties can net to zero: without them it is the platform's own export, which no TSO
   * receives.
   */
  private findings(day: DeliveryDay): Finding[] {
    const others = [...this.others.values()];
    const faults = [...this.otherFaults];
    if (faults.length === 0) faults.push(...others.flatMap((one) => missingSlots(one, day)));
    if (faults.length > 0) return faults.slice(0, MAX_FAULTS).map((fault) => findingOfFault(fault));
    const positions = Map.groupBy([...this.series.values(), ...others], ({ eic, tso }) => `${eic} ${tso}`);
    const whole = new Set(others.map(({ eic, tso }) => `${eic} ${tso}`));
    return [...positions].flatMap(([position, series]) => {
      const [eic = '', tso] = position.split(' ');
      const unbalanced = Array.from({ length: slotCount(day) }, (_, at) => ({
        slot: at + 1,
        powerKw: series.reduce((sum, one) => sum + signOf(one) * (one.powersKw[at]?.[0] ?? 0), 0),
      })).filter(({ powerKw }) => powerKw !== 0);
      if (unbalanced.length === 0 || !whole.has(position)) return [];
      return [{ code: 'A54' as const, ...imbalance(eic, tso as Tso, unbalanced) }];
    });
  }

  private dayOf(line: number, text: string, isOther: boolean): DeliveryDay | null {
    const faults = isOther ? this.otherFaults : this.faults;
    const value = parseDayOfFile(text);
    if (value === null) this.fail(line, { key: 'document.csv_date', text: shown(text) }, faults);
    else if (this.day === null && !isOther) this.day = { value, line };
    else if (this.day !== null && this.day.value !== value) {
      const { value: other, line: otherLine } = this.day;
      this.fail(line, { key: 'document.csv_days', day: value, other, line: otherLine }, faults);
      return null;
    }
    return value;
  }

  private slotFault(day: DeliveryDay, valueOf: Line['valueOf']): Message | null {
    const text = valueOf('slot_number');
    const slot = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    const slots = slotCount(day);
    if (slot < 1 || slot > slots) return { key: 'document.csv_slot', text: shown(text), slots, day };
    const start = slotStart(day, slot);
    for (const [column, instant] of [
      ['delivery_start', start],
      ['delivery_end', start + SLOT_MS],
    ] as const) {
      const time = valueOf(column);
      if (time !== '' && parseInstant(time) !== instant) {
        return { key: 'document.csv_time', column, text: shown(time), slot, day };
      }
    }
    return null;
  }

  /** One value, or two that differ. Null after a fault. */
  private powersOf(line: number, valueOf: Line['valueOf'], faults: Message[]): number[] | null {
    const [power, amount] = VALUE_COLUMNS.map((column) => valueOf(column));
    const read: (number | { fault: Message })[] = [];
    if (power) read.push(this.withFault('power_mw', power, parseMw(this.notation.normalise(power))));
    if (amount)
      read.push(this.withFault('amount_mwh', amount, powerOfAmount(this.notation.normalise(amount))));
    if (read.length === 0) read.push({ fault: { key: 'document.csv_value', columns: VALUE_COLUMNS } });
    const powersKw = new Set<number>();
    for (const value of read) {
      if (typeof value === 'number') powersKw.add(value);
      else {
        this.fail(line, value.fault, faults);
        return null;
      }
    }
    return [...powersKw];
  }

  private withFault(column: string, text: string, value: number | { fault: Message }): typeof value {
    if (typeof value === 'number') return value;
    const isOtherMark =
      this.notation.normalise(text) === '' || (text.includes(',') && this.notation.mark === 'point');
    const mark = this.notation.mark === 'comma' ? 'document.no_comma' : 'document.no_point';
    const fault: Message = isOtherMark ? { key: mark } : value.fault;
    return { fault: { key: 'document.csv_number', column, text: shown(text), fault } };
  }
}

/** The series of a line, new with its first one. Null if there are too many, or if the day is unknown. */
function findSeries(
  known: Map<string, OpenSeries>,
  key: string,
  position: Pick<OpenSeries, 'eic' | 'tso' | 'direction'>,
  day: DeliveryDay | null,
): OpenSeries | null {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size === MAX_SERIES || day === null) return null;
  const powersKw = Array.from({ length: slotCount(day) }, () => NO_POWER);
  const series = { identification: null, ...position, powersKw };
  known.set(key, series);
  return series;
}

const signOf = ({ direction }: CheckedSeries): number => (direction === 'in' ? 1 : -1);

const AMOUNT_FAULTS = {
  malformed: { key: 'document.no_mwh' },
  too_large: { key: 'document.too_large' },
  too_precise: { key: 'document.five_decimals' },
  no_whole_kw: { key: 'document.no_whole_kw' },
} as const;

function powerOfAmount(text: string): number | { fault: Message } {
  const kw = parseExactMwh(text);
  if (typeof kw !== 'number') return { fault: AMOUNT_FAULTS[kw] };
  return kw < 0 ? { fault: { key: 'document.negative' } } : kw;
}

const GERMAN_DAY = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;

/** Reads '2026-10-25', and '25.10.2026' as German spreadsheets write it. */
function parseDayOfFile(text: string): DeliveryDay | null {
  const [, day = '', month = '', year = ''] = GERMAN_DAY.exec(text) ?? [];
  return parseDay(year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
}

const notOneOf = (column: string, text: string, known: readonly string[]): Message | null =>
  known.includes(text) ? null : { key: 'document.csv_not_one_of', column, text: shown(text), known };

/** 'the series out of 11XNORDWIND----J at DE_TENNET has 96 of the 100 slots of 2026-10-25: 97, 98, 99, 100 are missing' */
function missingSlots({ eic, tso, direction, powersKw }: CheckedSeries, day: DeliveryDay): Message[] {
  const missing = powersKw.flatMap((powers, at) => (powers.length === 0 ? [String(at + 1)] : []));
  if (missing.length === 0) return [];
  const count = missing.length - NAMED_SLOTS;
  const items = missing.slice(0, NAMED_SLOTS);
  const named = count > 0 ? ({ key: 'exchange.and_more', items, count } as const) : items;
  const key = missing.length === 1 ? 'document.csv_slot_missing' : 'document.csv_slots_missing';
  const slots = powersKw.length;
  const present = slots - missing.length;
  return [
    {
      key: 'document.csv_incomplete',
      direction,
      eic,
      tso,
      present,
      slots,
      day,
      missing: { key, slots: named },
    },
  ];
}
