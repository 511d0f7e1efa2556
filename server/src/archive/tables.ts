/** The files of an archived month: their columns, and how they are read from and written to the database. */
import { addDays, type DeliveryDay, dayNumber } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { packVolumes, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import {
  type Column,
  idColumn,
  numberColumn,
  sequenceColumn,
  textColumn,
} from '../platform/parquet/columns.ts';

/** Restoring rejects files of a newer format. */
export const FORMAT = 1;

const EPOCH = '1970-01-01';

/** How the text that PostgreSQL gives for a value is written to a column, and back. */
type Kind = {
  make(name: string): Column<never>;
  encode(text: string): string | number;
  decode(value: never): string;
};

const kindOf = <T extends string | number>(
  make: (name: string) => Column<T>,
  encode: (text: string) => T,
  decode: (value: T) => string = String,
): Kind => ({ make, encode, decode });

const same = (text: string) => text;
const KINDS = {
  /** A text of which many rows have the same. */
  text: kindOf((name) => textColumn(name, true), same),
  /** An ASCII text that differs in every row. */
  id: kindOf((name) => idColumn(name, true), same),
  contract: kindOf(
    (name) => textColumn(name, true),
    (uuid) => encodeId(ID_PREFIX.contract, uuid),
  ),
  brp: kindOf(
    (name) => textColumn(name, true),
    (uuid) => encodeId(ID_PREFIX.brp, uuid),
  ),
  integer: kindOf((name) => numberColumn(name, 'integer', true), Number),
  day: kindOf(
    (name) => numberColumn(name, 'date', true),
    dayNumber,
    (number) => addDays(EPOCH, number),
  ),
  instant: kindOf((name) => sequenceColumn(name, 'exactInstant', true), Number, formatMicros),
  /** Numbers as JSON, null where there is none. PostgreSQL's text differs by its brackets only. */
  numbers: kindOf((name) => textColumn(name, true), toJson, fromJson),
  manyNumbers: kindOf((name) => idColumn(name, true), toJson, fromJson),
  volumes: kindOf(
    (name) => idColumn(name, true),
    (hex) => JSON.stringify(unpackVolumes(Buffer.from(hex.slice(2), 'hex'))),
    (json) => `\\x${Buffer.from(packVolumes(JSON.parse(json) as (number | null)[])).toString('hex')}`,
  ),
} satisfies Record<string, Kind>;

function toJson(array: string): string {
  return `[${array.slice(1, -1).replaceAll('NULL', 'null')}]`;
}

function fromJson(json: string): string {
  return `{${json.slice(1, -1)}}`;
}

function formatMicros(micros: number): string {
  const millis = Math.floor(micros / 1000);
  const rest = String(micros - millis * 1000).padStart(3, '0');
  return `${new Date(millis).toISOString().slice(0, -1)}${rest}Z`;
}

/** `stored` columns are those of the table; the others are for readers of the file. */
type FileColumn = { readonly name: string; readonly sql: string; readonly isStored: boolean } & Kind;

const stored = (kind: keyof typeof KINDS, name: string, sql = `r.${name}`): FileColumn => ({
  name,
  sql: kind === 'instant' ? `(extract(epoch from ${sql}) * 1000000)::bigint` : sql,
  isStored: true,
  ...KINDS[kind],
});
const shown = (kind: keyof typeof KINDS, name: string, sql: string): FileColumn => ({
  ...stored(kind, name, sql),
  isStored: false,
});
const partyOf = (party: 'sender' | 'receiver'): FileColumn[] => [
  stored('integer', `${party}_position`),
  shown('text', `${party}_eic`, `(select eic from position where no = r.${party}_position)`),
  shown('text', `${party}_tso`, `(select tso from position where no = r.${party}_position)`),
  stored('integer', `${party}_brp`),
  shown('brp', `${party}_brp_id`, `(select id from brp where no = r.${party}_brp)`),
];
const CONTRACT = [
  stored('integer', 'contract_no'),
  shown('contract', 'contract_id', '(select id from contract where no = r.contract_no)'),
  stored('day', 'delivery_day'),
];

/**
 * A table whose rows are in the file, with its columns in their order. `key` joins its rows `t` with those of the file,
 * `a`; `has` is whether a row of the file has one of this table.
 */
type Part = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly key: string;
  readonly has: string;
};

export type ArchiveTable = {
  readonly name: 'sheets' | 'invalidations' | 'nominations';
  readonly columns: readonly FileColumn[];
  /** Selects the rows `r` of a day, $1. */
  readonly from: string;
  /** Columns of the temporary table beyond those of the first part. */
  readonly extra: string;
  readonly parts: readonly Part[];
};

const SHEET =
  `id created_at contract_no delivery_day revision sender_position receiver_position sender_brp receiver_brp
  volumes versions previous late_at`.split(/\s+/);
const SHEET_STATUS = 'contract_no delivery_day revision sender_brp receiver_brp mask statuses'.split(' ');
const INVALIDATION = `contract_no delivery_day number revision reason invalidated_at late_at slots
  customer_id`.split(/\s+/);
const NOMINATION =
  `id position_no brp_no eic tso delivery_day direction version previous_id status amounts matched
  gate_closure sent_at confirmed_at created_at basis_contracts basis_revisions basis_invalidations`.split(
    /\s+/,
  );
/** The first column of the table is the id of the nomination. */
const ANOMALY = 'id message_id ours theirs'.split(' ');

const OF_CONTRACT_DAY = 't.contract_no = a.contract_no and t.delivery_day = $1';
const OF_SHEET = `${OF_CONTRACT_DAY} and t.revision = a.revision`;

export const TABLES: readonly ArchiveTable[] = [
  {
    name: 'sheets',
    columns: [
      stored('id', 'id'),
      ...CONTRACT,
      stored('integer', 'revision'),
      ...partyOf('sender'),
      ...partyOf('receiver'),
      stored('volumes', 'volumes'),
      stored('integer', 'mask'),
      stored('numbers', 'statuses'),
      stored('numbers', 'versions'),
      stored('numbers', 'previous'),
      stored('instant', 'created_at'),
      stored('instant', 'late_at'),
    ],
    from: `(select s.*, t.mask, t.statuses from sheet s left join sheet_status t
        on t.contract_no = s.contract_no and t.delivery_day = s.delivery_day and t.revision = s.revision
      where s.delivery_day = $1 and s.revision > 0) r
      order by r.contract_no, r.revision`,
    extra: 'mask smallint, statuses smallint[]',
    parts: [
      // The condition is that of the index by day.
      { table: 'sheet', columns: SHEET, key: `${OF_SHEET} and t.revision > 0`, has: 'true' },
      { table: 'sheet_status', columns: SHEET_STATUS, key: OF_SHEET, has: 'a.mask is not null' },
    ],
  },
  {
    name: 'invalidations',
    columns: [
      ...CONTRACT,
      stored('integer', 'number'),
      stored('integer', 'revision'),
      stored('numbers', 'slots'),
      stored('text', 'reason'),
      stored('text', 'customer_id'),
      stored('instant', 'invalidated_at'),
      stored('instant', 'late_at'),
    ],
    // Every invalidation is of a sheet, and only sheets have an index by day.
    from: `(select distinct contract_no from sheet where delivery_day = $1 and revision > 0) s
      join invalidation r on r.contract_no = s.contract_no and r.delivery_day = $1
      order by r.contract_no, r.number`,
    extra: '',
    parts: [
      {
        table: 'invalidation',
        columns: INVALIDATION,
        key: `${OF_CONTRACT_DAY} and t.number = a.number`,
        has: 'true',
      },
    ],
  },
  {
    name: 'nominations',
    columns: [
      stored('id', 'id'),
      stored('integer', 'position_no'),
      stored('integer', 'brp_no'),
      shown('brp', 'brp_id', '(select id from brp where no = r.brp_no)'),
      stored('text', 'eic'),
      stored('text', 'tso'),
      stored('day', 'delivery_day'),
      stored('text', 'direction'),
      stored('integer', 'version'),
      stored('id', 'previous_id'),
      stored('text', 'status'),
      stored('manyNumbers', 'amounts'),
      stored('manyNumbers', 'matched'),
      stored('instant', 'gate_closure'),
      stored('instant', 'sent_at'),
      stored('instant', 'confirmed_at'),
      stored('instant', 'created_at'),
      stored('manyNumbers', 'basis_contracts'),
      stored('manyNumbers', 'basis_revisions'),
      stored('manyNumbers', 'basis_invalidations'),
      stored('text', 'message_id'),
      stored('manyNumbers', 'ours'),
      stored('manyNumbers', 'theirs'),
    ],
    from: `(select n.*, m.message_id, m.ours, m.theirs from nomination n left join anomaly m on m.nomination_id = n.id
      where n.delivery_day = $1) r
      order by r.id`,
    extra: 'message_id uuid, ours bigint[], theirs bigint[]',
    parts: [
      { table: 'nomination', columns: NOMINATION, key: 't.id = a.id and t.delivery_day = $1', has: 'true' },
      { table: 'anomaly', columns: ANOMALY, key: 't.nomination_id = a.id', has: 'a.message_id is not null' },
    ],
  },
];

export const temporaryTable = ({ name }: ArchiveTable): string => `pg_temp.archived_${name}`;

export const selectRows = ({ columns, from }: ArchiveTable): string =>
  `select ${columns.map(({ sql }) => `(${sql})::text`).join(', ')} from ${from}`;

export const createTemporary = (table: ArchiveTable): string => {
  const like = `like ${table.parts[0]?.table}`;
  const columns = table.extra === '' ? like : `${like}, ${table.extra}`;
  return `create temporary table ${temporaryTable(table).split('.')[1]} (${columns}) on commit drop`;
};

export const copyIntoTemporary = (table: ArchiveTable): string => {
  const names = table.columns.filter(({ isStored }) => isStored).map(({ name }) => name);
  return `copy ${temporaryTable(table)} (${names.join(', ')}) from stdin`;
};

const valuesOf = ({ columns }: Part): string => columns.map((name) => `a.${name}`).join(', ');

/**
 * Deletes the rows of a day, $1, that the file has with the same values in all columns. A row that the file does not have,
 * or has otherwise, stays. A column that the file does not know is an error of the statement.
 */
export const deleteRows = (table: ArchiveTable, part: Part): string =>
  `delete from ${part.table} t using ${temporaryTable(table)} a
   where ${part.key} and a.delivery_day = $1 and ${part.has} and row(t.*) is not distinct from row(${valuesOf(part)})`;

export const insertRows = (table: ArchiveTable, part: Part): string =>
  `insert into ${part.table} select ${valuesOf(part)} from ${temporaryTable(table)} a
   where a.delivery_day = $1 and ${part.has}`;

export const countRows = (table: ArchiveTable, part: Part): string =>
  `select count(*)::int as count from ${temporaryTable(table)} a where ${part.has}`;

/** The days of a month. */
export function daysOf(first: DeliveryDay, next: DeliveryDay): DeliveryDay[] {
  const days: DeliveryDay[] = [];
  for (let day = first; day < next; day = addDays(day, 1)) days.push(day);
  return days;
}
