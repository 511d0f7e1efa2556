import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import type pg from 'pg';
import { idHash } from '../src/requests/batch.ts';

const FIRST_DAY = '2026-01-01';

export type PlatformSize = {
  readonly brps: number;
  /** Number of customers, sold contracts, keys and users of every BRP. */
  readonly rowsPerBrp: number;
  /**
   * Delivery days from 2026-01-01 on, with a sheet per contract and two nominations per position. Without any there is no history
   * either: no seals, logged requests, inquiries and webhook deliveries.
   */
  readonly days: number;
};

/** The id of all requests in the logs of the owners. */
export const LOGGED_ID = 'req_known';
const LOGGED_LINE = JSON.stringify([
  ...[Date.parse('2026-01-02'), 1, 'GET', '/v1/x', '/v1/x', 200],
  ...[LOGGED_ID, 'key_x', '127.0.0.1', null, null],
]);

/** $1 is the number of BRPs; all numbers start at 1. */
const OF_BRPS = [
  `insert into ledger_key (public_key, created_at) select '\\x00', now() where $1::int > 0`,
  `insert into brp (id, name, created_at)
   select gen_random_uuid(), 'BRP ' || n, now() from generate_series(1, $1::int) n`,
  `insert into account (id, name, created_at)
   select gen_random_uuid(), 'Account ' || n, now() from generate_series(1, $1::int) n`,
  `insert into balance_group (eic, brp_no, name, created_at)
   select 'EIC' || lpad((no * 3 + n)::text, 13, '0'), no, 'Balance group', now()
   from brp, generate_series(0, 2) n where no <= $1::int`,
  `insert into position (eic, tso, brp_no, enabled)
   select eic, tso, brp_no, true from balance_group, unnest('{DE_AMPRION,DE_TENNET}'::tso[]) tso
   where brp_no <= $1::int`,
];

/** $1 is the number of rows, $2 the number per BRP. */
const OF_ROWS = [
  `insert into customer (id, brp_no, name, status, position_no, metadata, assigned_at, created_at)
   select gen_random_uuid(), p.brp_no, 'Stadtwerke ' || n,
     (array['pending', 'active', 'deactivated'])[1 + n % 3]::customer_status, p.no, '{}',
     now(), now()
   from generate_series(0, $1::int - 1) n
   join (select *, row_number() over (partition by brp_no order by no) - 1 as nth from position) p
     on p.brp_no = 1 + n / $2::int and p.nth = n % 6`,
  `insert into placement (customer_id, first_day, position_no)
   select id, '-infinity', position_no from customer where $1::int > 0 and $2::int > 0`,
  `insert into asset (id, name, nominal_power_kw, technology, tso, created_at)
   select gen_random_uuid(), 'Windpark ' || n, 1000 + n % 1000 + $2::int,
     (array['solar', 'wind_onshore'])[1 + n % 2]::technology, (array['DE_AMPRION', 'DE_TENNET'])[1 + n % 2]::tso, now()
   from generate_series(1, $1::int) n`,
  `insert into series (id, kind, asset_id, customer_id, name, market_location, created_at)
   select gen_random_uuid(), kind, asset, customer, 'Series ' || $2::int, lpad(n::text, 11, '0'), now()
   from (
     select row_number() over (order by id) as n, id as asset, null::uuid as customer from asset
     union all select $1::int + row_number() over (order by id), null, id from customer
   ) as owner, unnest('{forecast,meter}'::series_kind[]) kind`,
  `insert into interchange (id, received_at, actor, request_id, sender, reference, digest, raw, result)
   select gen_random_uuid(), now(), 'key', 'req', $2::text, n::text, sha256(n::text::bytea), '', '{"fault": null}'
   from generate_series(1, $1::int) n`,
  `insert into interchange_unknown (interchange_no, market_location, message)
   select no, lpad((no % 100 + $2::int)::text, 11, '9'), 1 from interchange where no <= $1::int`,
  `insert into offer (published_no, asset_id, published_at, ppa_type, delivery_start, country, price_years, price_cents)
   select row_number() over (), id, now(), 'PAY_AS_PRODUCED', now(), 'DE', '{5}', array[6100 + $2::int]
   from (select id from asset limit $1::int / 2) as offered`,
  `insert into demand (published_no, id, published_at, contract_years, annual_kwh, country)
   select n, gen_random_uuid(), now(), $2::int, 24000, (array['DE', 'AT'])[1 + n % 2]
   from generate_series(1, $1::int) n`,
  'update market_list set version = $1::int * $2::int',
  `insert into contract (id, external_id, type, delivery_start, delivery_end, seller_customer, seller_name, seller_eic,
     seller_tso, seller_position, seller_brp, buyer_customer, buyer_name, buyer_eic, buyer_tso, buyer_position, buyer_brp,
     ppa_type, created_at, is_activated)
   with party as (
     select row_number() over (order by c.brp_no, c.id) - 1 as n, c.id, c.name, p.eic, p.tso, p.no, p.brp_no
     from customer c join position p on p.no = c.position_no)
   select gen_random_uuid(), 'PPA-' || s.n, 'ppa', now() - interval '1 year', now() + $2::int * interval '1 year',
     s.id, s.name, s.eic, s.tso, s.no, s.brp_no, b.id, b.name, b.eic, b.tso, b.no, b.brp_no, 'produced',
     timestamptz '2026-01-02', true
   from party s join party b on b.n = (s.n * 37 + 1) % $1::int`,
  `insert into former_party (contract_no, contract_id, is_seller, first_day, last_day, position_no, brp_no)
   select no, id, true, '-infinity', '2020-01-01', buyer_position, 1 + (seller_brp + 1) % ($1::int / $2::int)
   from contract`,
  `insert into api_key (id, hash, prefix, name, owner, brp_no, account_no, scopes, created_at)
   select gen_random_uuid(), uuid_send(gen_random_uuid()), 'sk', 'Key ' || n, owner,
     case owner when 'brp' then 1 + n / $2::int end, case owner when 'account' then 1 + n / $2::int end, '{}', now()
   from generate_series(0, $1::int - 1) n, unnest('{brp,account}'::key_owner[]) owner`,
  `insert into app_user (id, email, name, role, permissions, brp_no, account_no, created_at)
   select gen_random_uuid(), role::text || n || '@users.example', 'User ' || n, role, 'admin',
     case role when 'brp' then 1 + n / $2::int end, case role when 'account' then 1 + n / $2::int end, now()
   from generate_series(0, $1::int - 1) n, unnest('{brp,account}'::key_owner[]) role`,
  `insert into audit (at, actor, action, subject)
   select now(), 'key_' || n / $2::int, 'action.' || n / $2::int, 'cust_' || n / $2::int
   from generate_series(0, $1::int - 1) n`,
  `insert into message (id, direction, type, tso, delivery_day, version, state, created_at)
   select gen_random_uuid(), (array['out', 'in'])[1 + n % 2]::message_direction,
     (array['schedule', 'confirmation'])[1 + n % 2]::message_type, (array['DE_AMPRION', 'DE_TENNET'])[1 + n % 2]::tso,
     date '2020-01-01' + n / $2::int, 1, (array['confirmed', 'applied'])[1 + n % 2]::message_state, now()
   from generate_series(0, $1::int - 1) n`,
  `insert into webhook_endpoint (id, tenant, feeds, url, types, sealed_secret, after_sequence, created_at)
   select gen_random_uuid(), 'brp/' || 1 + n / $2::int, array['brp/' || 1 + n / $2::int], 'https://x.example/', '{*}',
     '\\x00', 0, now()
   from generate_series(0, $1::int - 1) n`,
];

/** $1 is the number of rows, $2 the number per BRP: what many days have left behind. */
const OF_HISTORY = [
  `insert into ledger_seal (tree_size, sequence, root_hash, sealed_at, key_no, signature)
   select n, n, '\\x00', now(), (select max(no) from ledger_key), '\\x00' from generate_series(1, $1::int / $2::int * 100) n`,
  `insert into request_batch (id, tenant, last_at, count, callers, methods, status_classes, routes, id_hashes, body)
   select gen_random_uuid(), tenant, '2026-01-02', 1, '{key_x}', '{GET}', '{2}', '{/v1/x}', '{${idHash(LOGGED_ID)}}',
     convert_to('${LOGGED_LINE}', 'UTF8') || e'\\n'::bytea
   from (
     select 'operator' as tenant union all select 'brp/' || n from generate_series(1, $1::int / $2::int) n
     union all select 'account/' || n from generate_series(1, $1::int / $2::int) n
   ) as owner, generate_series(1, 20)`,
  `insert into inquiry (id, account_no, user_id, demand_id, message, created_at, status)
   select gen_random_uuid(), u.account_no, u.id, gen_random_uuid(), 'How much?', now(),
     case when n = 1 then 'open' else 'closed' end::inquiry_status
   from app_user u, generate_series(1, 20) n where u.account_no is not null and $1::int > 0 and $2::int > 0`,
  `insert into webhook_delivery (endpoint_id, id, event_sequence, event_type, event_occurred_at, created_at, state,
     next_attempt_at)
   select w.id, gen_random_uuid(), n, 'customer.updated', now(), now(),
     (array['pending', 'succeeded', 'failed'])[1 + n % 3]::webhook_delivery_state,
     case when n % 3 = 0 then now() end
   from (select id from webhook_endpoint limit $1::int / $2::int) w, generate_series(1, 5 * $2::int) n`,
];

/** $1 is an array of days. One of fifty sheets is corrected, one of 500 has an invalid cell. */
const OF_DAYS = [
  `insert into sheet (id, created_at, contract_no, delivery_day, revision, sender_position, receiver_position, sender_brp,
     receiver_brp, volumes)
   select encode(set_byte(uuid_send(gen_random_uuid()), 15, 0), 'hex')::uuid, timestamptz '2026-01-02', no, day, 1,
     seller_position, buyer_position, seller_brp, buyer_brp, decode('02' || repeat('03e8', 96), 'hex')
   from contract, unnest($1::date[]) day`,
  `insert into sheet_status (contract_no, delivery_day, revision, sender_brp, receiver_brp, mask, statuses)
   select no, day, 1, seller_brp, buyer_brp, case when n % 500 = 0 then 3 else 5 end,
     array[case when n % 500 = 0 then 1 else 2 end] || array_fill(0, array[95])
   from contract, unnest($1::date[]) day, lateral (select no + (day - date '2020-01-01') as n) n where n % 50 = 0`,
  `insert into series_sheet (series_no, delivery_day, revision, created_at, values_wh, filled)
   select no, day, 1, now(), decode('02' || repeat('03e8', 96), 'hex'), 96 from series, unnest($1::date[]) day`,
  `insert into interchange_day (series_no, delivery_day, interchange_no, message, slots, revision)
   select s.no, day, 1 + s.no % 100, 1, repeat('1', 96)::varbit, 1 from series s, unnest($1::date[]) day`,
  `insert into nomination (id, position_no, brp_no, eic, tso, delivery_day, direction, version, status, amounts,
     gate_closure, sent_at, created_at, basis_contracts, basis_revisions, basis_invalidations)
   select gen_random_uuid(), no, brp_no, eic, tso, day, direction, 1,
     case n % 50 when 0 then 'partial_match' when 1 then 'pending' else 'match' end::nomination_status,
     array_fill(1, array[96]), (day - 1 + time '13:30') at time zone 'UTC', case n % 50 when 1 then null else now() end,
     day - 2, '{}', '{}', '{}'
   from position, unnest($1::date[]) day, unnest('{out,in}'::direction[]) direction,
     lateral (select no + (day - date '2020-01-01') as n) n`,
  `insert into late_position_day (delivery_day, position_no, brp_no, slots, nominated, transactions, since)
   select day, no, brp_no, '{1}', '{1}', '{2}', now() from position, unnest($1::date[]) day`,
  `insert into anomaly (nomination_id, message_id)
   select n.id, m.id from nomination n, (select id from message limit 1) m
   where n.status = 'partial_match' and n.delivery_day = any($1::date[])`,
];

/** $1 is the number of days. */
const OF_EXCHANGE = [
  `insert into unsent_schedule (tso, delivery_day, noted_at)
   select 'DE_AMPRION', date '2020-01-01' + n, now() from generate_series(1, 100 * $1::int) n`,
];

/** Inserts a sheet per contract and two nominations per position for each of these days, and anomalies if there is a message. */
export async function insertDays(client: pg.Client, days: readonly DeliveryDay[]): Promise<void> {
  for (const text of OF_DAYS) await client.query(text, [days]);
}

/**
 * Fills an empty database with the rows of a platform by SQL, within seconds. All BRPs have the same size, so the
 * cost of a BRP's list must not depend on the number of BRPs.
 */
export async function insertPlatformRows(
  client: pg.Client,
  { brps, rowsPerBrp, days }: PlatformSize,
): Promise<void> {
  // As in a restore: the references are valid, and checking them takes most of the time.
  await client.query('set session_replication_role = replica');
  for (const text of OF_BRPS) await client.query(text, [brps]);
  const ofRows = days === 0 ? OF_ROWS : [...OF_ROWS, ...OF_HISTORY];
  for (const text of ofRows) await client.query(text, [brps * rowsPerBrp, rowsPerBrp]);
  await insertDays(
    client,
    Array.from({ length: days }, (_, at) => addDays(FIRST_DAY, at)),
  );
  for (const text of OF_EXCHANGE) await client.query(text, [days]);
  await client.query('reset session_replication_role');
  await client.query('vacuum (analyze)');
}

const PRETENDED_GROWTH = 1000;

/** Makes the planner choose the plans of a platform with a thousand times as many rows. */
export async function pretendGrowth(client: pg.Client): Promise<void> {
  await client.query('vacuum (analyze)');
  await client.query(
    `update pg_class set reltuples = reltuples * $1
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') and reltuples > 0`,
    [PRETENDED_GROWTH],
  );
}
