/** The dataset in the common design: a row per quarter-hour, with the indexes that its pages need. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DeliveryDay, SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { transactionIdWriter } from '@saldo/core/id.ts';
import { unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { timestamp } from '../../server/src/platform/db/wire-types.ts';

/**
 * Ids are stored as text, so that the alternatives need not format them. A page of a contract uses the primary key, a
 * page of a day the index of the sender or of the receiver, which include the columns of conditions and order.
 */
const SCHEMA = `
create schema rival;
create table rival.contract (
  no int primary key,
  id text not null unique,
  external_id text not null unique,
  seller_brp int not null,
  buyer_brp int not null,
  seller_position int not null,
  buyer_position int not null,
  sender_eic text not null,
  sender_tso text not null,
  receiver_eic text not null,
  receiver_tso text not null,
  asset_id text
);
create table rival.quarter_hour (
  contract_no int not null references rival.contract,
  delivery_day date not null,
  slot smallint not null,
  version smallint not null,
  id text not null,
  status text not null check (status in ('valid', 'invalid', 'superseded')),
  previous_id text,
  sender_brp int not null,
  receiver_brp int not null,
  sender_position int not null,
  receiver_position int not null,
  delivery_start timestamptz not null,
  delivery_end timestamptz not null,
  volume_kwh int not null,
  created_at timestamptz not null,
  primary key (contract_no, delivery_day, slot, version),
  unique (id)
);
create index quarter_hour_sent on rival.quarter_hour (sender_brp, delivery_day, contract_no, slot, version);
create index quarter_hour_received on rival.quarter_hour (receiver_brp, delivery_day, contract_no, slot, version)
  where sender_brp <> receiver_brp;
insert into rival.contract
select no, typeid('con', id), external_id, seller_brp, buyer_brp, seller_position, buyer_position, seller_eic,
  seller_tso, buyer_eic, buyer_tso, typeid('ast', asset_id)
from public.contract;

-- What an API that is generated from the tables needs to know of the tenant. Both are part of the query that asks them.
create function rival.quarter_hours_of_contract(brp int, contract text) returns setof rival.quarter_hour
language sql stable as $$
  select q.* from rival.quarter_hour q
  where q.contract_no = (
    select c.no from rival.contract c where c.id = contract and (c.seller_brp = brp or c.buyer_brp = brp))
$$;
comment on function rival.quarter_hours_of_contract is '@behavior +order +orderBy';
create function rival.quarter_hours_of_day(brp int, day date) returns setof rival.quarter_hour
language sql stable as $$
  (select q.* from rival.quarter_hour q where q.sender_brp = brp and q.delivery_day = day
   order by q.contract_no, q.slot, q.version)
  union all
  (select q.* from rival.quarter_hour q
   where q.receiver_brp = brp and q.sender_brp <> q.receiver_brp and q.delivery_day = day
   order by q.contract_no, q.slot, q.version)
$$;
comment on function rival.quarter_hours_of_day is '@behavior +order +orderBy';
-- Asked for in the order of its two indexes, a page of a day is a merge of two scans; in that of the primary key, where
-- the day stands in between, all of the day would be read and sorted.
comment on column rival.quarter_hour.slot is '@behavior +orderBy';
comment on column rival.quarter_hour.version is '@behavior +orderBy';`;

const COPY = `copy rival.quarter_hour (contract_no, delivery_day, slot, version, id, status, sender_brp, receiver_brp,
  sender_position, receiver_position, delivery_start, delivery_end, volume_kwh, created_at) from stdin`;

type SheetColumns = [
  id: string,
  createdAt: string,
  contractNo: number,
  day: DeliveryDay,
  senderBrp: number,
  receiverBrp: number,
  senderPosition: number,
  receiverPosition: number,
  volumes: Buffer,
];

/** Only first versions, as in the datasets of the benchmark. */
const SHEETS = `select id, created_at::text, contract_no, delivery_day::text, sender_brp, receiver_brp, sender_position,
  receiver_position, volumes from sheet where delivery_day = $1 and revision = 1 order by contract_no`;

function rowsOf(sheets: readonly SheetColumns[]): string[] {
  return sheets.map(([id, created, contract, day, ...rest]) => {
    const [volumes, parties] = [unpackVolumes(rest[4]), rest.slice(0, 4).join('\t')];
    const writeId = transactionIdWriter(id);
    const rows = volumes.map((volume, at) => {
      const start = slotStart(day, at + 1);
      const times = `${timestamp(start)}\t${timestamp(start + SLOT_MS)}`;
      return `${contract}\t${day}\t${at + 1}\t1\t${writeId(at + 1)}\tvalid\t${parties}\t${times}\t${volume}\t${created}\n`;
    });
    return rows.join('');
  });
}

type RowsLoaded = { readonly rows: number; readonly seconds: number; readonly bytes: number };

/** Creates the rows of these days from the existing sheets, and returns their size. */
export async function makeRows(url: string, days: readonly DeliveryDay[]): Promise<RowsLoaded> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(SCHEMA);
    let milliseconds = 0;
    for (const day of days) {
      const { rows } = await client.query<SheetColumns>({ text: SHEETS, values: [day], rowMode: 'array' });
      const pieces = rowsOf(rows);
      const startedAt = performance.now();
      await pipeline(Readable.from(pieces), client.query(copyFrom(COPY)));
      milliseconds += performance.now() - startedAt;
    }
    await client.query('vacuum (analyze) rival.quarter_hour');
    await client.query('analyze rival.contract');
    await client.query('checkpoint');
    const { rows } = await client.query<{ rows: string; bytes: string }>(
      "select count(*) as rows, pg_total_relation_size('rival.quarter_hour') as bytes from rival.quarter_hour",
    );
    return { rows: Number(rows[0]?.rows), seconds: milliseconds / 1000, bytes: Number(rows[0]?.bytes) };
  } finally {
    await client.end();
  }
}
