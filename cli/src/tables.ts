import { formatLocalTime } from '@saldo/core/delivery-day.ts';
import { formatExactMwh, formatMwh, kwFromExactMwh, kwhFromMwh } from '@saldo/core/energy.ts';
import { harmless, type Style } from './terminal.ts';

type Cell = string | number | boolean | null | undefined;

/** A column: its heading and its value of a record. Numbers are right-aligned automatically. */
export type Column<Item> = readonly [title: string, cell: (item: Item) => Cell, align?: 'right'];

const textOf = (cell: Cell): string =>
  cell === null || cell === undefined ? '–' : harmless(typeof cell === 'string' ? cell : String(cell));

const widthOf = (text: string) => [...text].length;

/** Formats records as aligned columns, two spaces apart. */
export function tableOf<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  style: Style,
): string {
  const cells = items.map((item) => columns.map(([, cell]) => cell(item)));
  const texts = cells.map((row) => row.map(textOf));
  const widths = columns.map(([title], index) =>
    Math.max(widthOf(title), ...texts.map((row) => widthOf(row[index] ?? ''))),
  );
  const isRight = columns.map(
    ([, , align], index) => align === 'right' || cells.some((row) => typeof row[index] === 'number'),
  );
  const line = (row: readonly string[]) =>
    row
      .map((text, index) => {
        const blanks = ' '.repeat((widths[index] ?? 0) - widthOf(text));
        return isRight[index] ? blanks + text : text + blanks;
      })
      .join('  ')
      .trimEnd();
  const head = style('dim', line(columns.map(([title]) => title)));
  return [head, ...texts.map(line)].map((text) => `${text}\n`).join('');
}

/** Formats one record, one member per line; nested members have dotted names, lists of records are left out. */
export function detailsOf(record: object, style: Style): string {
  const members = membersOf(record, '');
  const width = Math.max(...members.map(([name]) => widthOf(name)));
  return members.map(([name, value]) => `${style('dim', harmless(name.padEnd(width)))}  ${value}\n`).join('');
}

function membersOf(record: object, prefix: string): [string, string][] {
  return Object.entries(record).flatMap(([key, value]: [string, unknown]): [string, string][] => {
    const name = prefix + key;
    if (Array.isArray(value)) {
      if (value.some((item) => typeof item === 'object')) return [];
      return [[name, value.length === 0 ? '–' : harmless(value.join(', '))]];
    }
    if (typeof value !== 'object' || value === null) return [[name, textOf(value as Cell)]];
    const nested = membersOf(value, `${name}.`);
    return nested.length === 0 ? [[name, '–']] : nested;
  });
}

/** The members by which a script refers to a record; the first one present is its handle. */
const HANDLES = ['secret', 'link', 'id', 'nomination_id', 'eic', 'cover_url', 'date', 'request_id'];

/** Formats one handle per line; records without one, such as counts, are omitted. */
export const handlesOf = (records: readonly unknown[]): string =>
  records
    .flatMap((record) => {
      const members = record as Readonly<Record<string, unknown>>;
      const name = HANDLES.find((handle) => typeof members[handle] === 'string');
      return name === undefined ? [] : [`${harmless(String(members[name]))}\n`];
    })
    .join('');

/** MWh of the API with three decimals. */
export const mwh = (value: number): string => formatMwh(kwhFromMwh(value));

/** Amounts that are compared to the kW, which is a quarter of a kWh. */
export const exactMwh = (value: number): string => formatExactMwh(kwFromExactMwh(value));

/** Formats an instant of the API in German local time: '2026-10-25 02:15'. */
export const localTime = (instant: string): string => formatLocalTime(Date.parse(instant));
