/** Reads everything that is compared from the database, in one transaction. */

import { elementAt, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import pg from 'pg';
import type { ProductAddresses } from './clients.ts';

export type SheetRow = {
  readonly contract: string;
  readonly day: string;
  readonly revision: number;
  readonly sender_position: number;
  readonly receiver_position: number;
  readonly kwh: readonly (number | null)[];
  readonly statuses: readonly number[] | null;
  readonly versions: readonly number[] | null;
  readonly previous: readonly (number | null)[] | null;
};

type PackedSheetRow = Omit<SheetRow, 'kwh'> & { readonly volumes: Buffer };

export type NominationRow = {
  readonly id: string;
  readonly position: number;
  readonly day: string;
  readonly direction: 'out' | 'in';
  readonly version: number;
  readonly previous_id: string | null;
  readonly status: string;
  /** Only for versions that are not superseded. */
  readonly amounts: readonly string[] | null;
};

export type MessageRow = {
  readonly id: string;
  readonly direction: 'out' | 'in';
  readonly identification: string | null;
  readonly version: number | null;
  readonly state: string;
  readonly file_name: string | null;
  readonly answer_id: string | null;
  readonly is_from_inbox: boolean;
  readonly is_sent: boolean;
  /** Digest of the stored document, which must never change. */
  readonly digest: string | null;
};

export type Snapshot = {
  readonly sheets: readonly SheetRow[];
  readonly nominations: readonly NominationRow[];
  readonly messages: readonly MessageRow[];
  /** By customer id: the last write according to the metadata. */
  readonly customers: ReadonlyMap<string, string | null>;
  /** Ids of the records that the campaign created, by kind and name. */
  readonly created: ReadonlyMap<string, readonly string[]>;
};

export async function readSnapshot(target: Pick<ProductAddresses, 'databaseUrl'>): Promise<Snapshot> {
  const client = new pg.Client({ connectionString: target.databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const read = async <R extends pg.QueryResultRow>(text: string) => (await client.query<R>(text)).rows;
    const sheets = await read<PackedSheetRow>(SHEETS);
    const customers = await read<{ id: string; value: string | null }>(CUSTOMERS);
    const created = await read<{ name: string; ids: string[] }>(CREATED);
    return {
      sheets: sheets.map(unpackSheet),
      nominations: await read<NominationRow>(NOMINATIONS),
      messages: await read<MessageRow>(MESSAGES),
      customers: new Map(customers.map(({ id, value }) => [id, value])),
      created: new Map(created.map(({ name, ids }) => [name, ids])),
    };
  } finally {
    await client.end();
  }
}

/** A stored array with one element means the same for all slots. */
function unpackSheet({ volumes, statuses, versions, previous, ...row }: PackedSheetRow): SheetRow {
  const kwh = unpackVolumes(volumes);
  const perSlot = <T>(packed: readonly T[] | null) => packed && kwh.map((_, at) => elementAt(packed, at));
  return {
    ...row,
    kwh,
    statuses: perSlot(statuses),
    versions: perSlot(versions),
    previous: perSlot(previous),
  };
}

const SHEETS = `
  select typeid('con', c.id) as contract, s.delivery_day::text as day, s.revision, s.sender_position,
    s.receiver_position, s.volumes, t.statuses, s.versions, s.previous
  from sheet s join contract c on c.no = s.contract_no left join sheet_status t
    on t.contract_no = s.contract_no and t.delivery_day = s.delivery_day and t.revision = s.revision
  order by s.contract_no, s.delivery_day, s.revision`;

const NOMINATIONS = `
  select id::text, position_no as position, delivery_day::text as day, direction::text, version, previous_id::text,
    status::text, case when status <> 'superseded' then amounts end as amounts
  from nomination order by position_no, delivery_day, direction, version`;

const MESSAGES = `
  select typeid('msg', id) as id, direction::text, identification, version, state::text, file_name, answer_id,
    inbox_mark is not null as is_from_inbox, sent_at is not null as is_sent, encode(sha256(document), 'hex') as digest
  from message order by id`;

const CUSTOMERS = `select typeid('cust', id) as id, metadata ->> 'last_write' as value from customer`;

const CREATED = `
  select 'brp ' || name as name, array_agg(typeid('brp', id)) as ids from brp where name like 'faults-%' group by 1
  union all
  select 'customer ' || name, array_agg(typeid('cust', id)) from customer where name like 'faults-%' group by 1
  union all
  select 'contract ' || external_id, array_agg(typeid('con', id)) from contract
  where external_id like 'faults-%' group by 1`;
