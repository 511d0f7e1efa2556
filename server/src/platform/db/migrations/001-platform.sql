-- Parties, contracts, sheets and nominations. Inside, parties and contracts are small integers (`no`); to the
-- outside they are TypeIDs made from their UUIDs (`id`). All instants are timestamptz, all days German delivery days.

create type tso as enum ('DE_AMPRION', 'DE_TENNET', 'DE_TRANSNET_BW', 'DE_50HERTZ');
create type customer_status as enum ('pending', 'active', 'deactivated');
create type technology as enum ('solar', 'wind_onshore', 'wind_offshore');
create type contract_type as enum ('ppa', 'day_ahead', 'intraday');
create type ppa_type as enum ('forecasted', 'produced', 'consumed', 'baseload', 'shaped', 'peakload', 'indexed');
create type direction as enum ('out', 'in');
create type nomination_status as enum ('pending', 'partial_match', 'match', 'superseded');
create type key_owner as enum ('brp', 'account', 'operator');

-- What every process of the platform shares and nobody outside may know.
create table secret (
  name text primary key,
  value bytea not null
);
insert into secret (name, value) values ('cursor', uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

create table brp (
  no int generated always as identity primary key,
  id uuid not null unique,
  name text not null,
  created_at timestamptz not null
);

create table balance_group (
  eic text primary key,
  brp_no int not null references brp,
  name text not null,
  created_at timestamptz not null
);
create index balance_group_of_brp on balance_group (brp_no, eic);

-- A balance group in a control area: the key of every saldo. A row stays when its TSO is no longer enabled,
-- since contracts may still deliver through it.
create table position (
  no int generated always as identity primary key,
  eic text not null references balance_group,
  tso tso not null,
  brp_no int not null references brp,
  enabled boolean not null,
  unique (eic, tso)
);

create table account (
  no int generated always as identity primary key,
  id uuid not null unique,
  name text not null,
  created_at timestamptz not null
);

-- Only the hash of a key is stored: it cannot be told again, only recognised.
create table api_key (
  id uuid primary key,
  hash bytea not null unique,
  prefix text not null,
  name text not null,
  owner key_owner not null,
  brp_no int references brp,
  account_no int references account,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  check ((owner = 'brp') = (brp_no is not null) and (owner = 'account') = (account_no is not null))
);

create table customer (
  id uuid primary key,
  brp_no int not null references brp,
  name text not null,
  status customer_status not null,
  position_no int references position,
  metadata jsonb not null,
  -- Name and metadata values in lower case, made by the server so that the database's locale plays no part.
  search_terms text[] not null,
  assigned_at timestamptz not null,
  activated_at timestamptz,
  created_at timestamptz not null
);
create index customer_of_brp on customer (brp_no, id);

create table asset (
  id uuid primary key,
  name text not null,
  nominal_power_kw int not null,
  technology technology not null,
  tso tso not null,
  created_at timestamptz not null
);

-- A contract keeps its parties' names, balance groups and TSOs as they were when it was made.
create table contract (
  no int generated always as identity primary key,
  id uuid not null unique,
  external_id text not null unique,
  type contract_type not null,
  delivery_start timestamptz,
  delivery_end timestamptz,
  seller_customer uuid not null references customer,
  seller_name text not null,
  seller_eic text not null,
  seller_tso tso not null,
  seller_position int not null references position,
  seller_brp int not null references brp,
  buyer_customer uuid not null references customer,
  buyer_name text not null,
  buyer_eic text not null,
  buyer_tso tso not null,
  buyer_position int not null references position,
  buyer_brp int not null references brp,
  ppa_type ppa_type,
  period text,
  delivery_profile text,
  profile jsonb,
  asset_id uuid references asset,
  created_at timestamptz not null,
  check (delivery_start < delivery_end),
  check (type = 'ppa' or (ppa_type is null and period is null and delivery_profile is null and asset_id is null))
);
create index contract_sold on contract (seller_brp, id);
create index contract_bought on contract (buyer_brp, id) where seller_brp <> buyer_brp;

-- What one import or correction said about one contract and delivery day: a cell per slot, and a cell is a
-- transaction. `id` ends in a zero byte, which holds the slot number in a transaction's id. The arrays after
-- `volumes` are null as long as they say nothing: every cell valid, of version 1, without a previous version.
-- `volumes` are kWh. Its first byte tells how many bytes a cell has, two or four; the cells follow, the most
-- significant byte first, and all bits of a cell are set where the sheet says nothing of the slot.
create table sheet (
  id uuid primary key,
  created_at timestamptz not null,
  contract_no int not null references contract,
  delivery_day date not null,
  revision int not null,
  sender_position int not null,
  receiver_position int not null,
  sender_brp int not null,
  receiver_brp int not null,
  -- Bits of the statuses that occur: 1 valid, 2 invalid, 4 superseded.
  status_mask smallint not null,
  volumes bytea not null,
  statuses smallint[],
  versions smallint[],
  previous smallint[],
  unique (contract_no, delivery_day, revision),
  constraint sheet_volumes_are_a_day check (
    get_byte(volumes, 0) = 2 and length(volumes) in (1 + 92 * 2, 1 + 96 * 2, 1 + 100 * 2)
    or get_byte(volumes, 0) = 4 and length(volumes) in (1 + 92 * 4, 1 + 96 * 4, 1 + 100 * 4)
  )
);
-- Pages are read in the order of delivery day and contract. A BRP's page merges what it sends with what it
-- receives from others, so each side has its own index, and each filter by balance group too.
create index sheet_sent on sheet (sender_brp, delivery_day, contract_no, revision);
create index sheet_received on sheet (receiver_brp, delivery_day, contract_no, revision)
  where sender_brp <> receiver_brp;
create index sheet_sent_from on sheet (sender_brp, sender_position, delivery_day, contract_no);
create index sheet_sent_to on sheet (sender_brp, receiver_position, delivery_day, contract_no);
create index sheet_received_from on sheet (receiver_brp, sender_position, delivery_day, contract_no)
  where sender_brp <> receiver_brp;
create index sheet_received_at on sheet (receiver_brp, receiver_position, delivery_day, contract_no);
-- The rare statuses are found without walking years of valid ones.
create index sheet_sent_invalid on sheet (sender_brp, delivery_day, contract_no) where status_mask & 2 <> 0;
create index sheet_received_invalid on sheet (receiver_brp, delivery_day, contract_no)
  where status_mask & 2 <> 0 and sender_brp <> receiver_brp;
create index sheet_sent_superseded on sheet (sender_brp, delivery_day, contract_no) where status_mask & 4 <> 0;
create index sheet_received_superseded on sheet (receiver_brp, delivery_day, contract_no)
  where status_mask & 4 <> 0 and sender_brp <> receiver_brp;

-- Invalidations are counted per contract and day, so that a nomination can say which of them it knew.
create table invalidation (
  contract_no int not null references contract,
  delivery_day date not null,
  number int not null,
  revision int not null,
  slot smallint not null,
  reason text not null,
  invalidated_at timestamptz not null,
  primary key (contract_no, delivery_day, number)
);

-- Position-days whose transactions have changed since they were last netted.
create table changed_position (
  position_no int not null references position,
  delivery_day date not null,
  -- In the database's own time, whatever the platform's clock is set to: when first and when last.
  marked_at timestamptz not null default clock_timestamp(),
  touched_at timestamptz not null default clock_timestamp(),
  primary key (position_no, delivery_day)
);

-- `amounts` are kWh per slot; `matched` is what the TSO confirmed, in kW as it was sent.
create table nomination (
  id uuid primary key,
  position_no int not null references position,
  brp_no int not null references brp,
  eic text not null,
  tso tso not null,
  delivery_day date not null,
  direction direction not null,
  version int not null,
  previous_id uuid references nomination,
  status nomination_status not null,
  amounts bigint[] not null,
  matched bigint[],
  gate_closure timestamptz not null,
  sent_at timestamptz,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  -- What the version was made of: per contract the newest revision, and how many invalidations, that it knew.
  basis_contracts int[] not null,
  basis_revisions int[] not null,
  basis_invalidations int[] not null,
  unique (position_no, delivery_day, direction, version)
);
create index nomination_of_brp on nomination (brp_no, delivery_day, id);
create index nomination_of_brp_by_status on nomination (brp_no, status, delivery_day, id);
create index nomination_of_eic on nomination (brp_no, eic, delivery_day, id);

create function typeid(prefix text, id uuid) returns text
language sql immutable strict parallel safe as $$
  select prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + digit, 1), '' order by at)
  from (
    select at, substring(bits from at * 5 + 1 for 5)::bit(5)::int as digit
    from (select B'00' || ('x' || replace(id::text, '-', ''))::bit(128) as bits) as padded,
      generate_series(0, 25) as at
  ) as digits
$$;

create function sheet_slots(volumes bytea) returns int
language sql immutable parallel safe as $$
  select (length(volumes) - 1) / get_byte(volumes, 0)
$$;

-- The volume of a slot in kWh; null where the sheet says nothing of it, or its day has no such slot.
create function sheet_volume(volumes bytea, slot int) returns int
language sql immutable parallel safe as $$
  select case
    when slot not between 1 and sheet_slots(volumes) then null
    when get_byte(volumes, 0) = 2
      then nullif((get_byte(volumes, slot * 2 - 1) << 8) | get_byte(volumes, slot * 2), 65535)
    else nullif(
      (get_byte(volumes, slot * 4 - 3) << 24) | (get_byte(volumes, slot * 4 - 2) << 16)
        | (get_byte(volumes, slot * 4 - 1) << 8) | get_byte(volumes, slot * 4),
      -1)
  end
$$;

-- Sheets unfolded into a row per transaction, for people who come with SQL. Ask for a contract or a few days.
create view transaction as
select
  typeid('txn', encode(set_byte(uuid_send(s.id), 15, cell.slot), 'hex')::uuid) as id,
  typeid('con', c.id) as contract_id,
  (array['valid', 'invalid', 'superseded'])[coalesce(s.statuses[cell.slot], 0) + 1] as status,
  coalesce(s.versions[cell.slot], 1) as version,
  (select typeid('txn', encode(set_byte(uuid_send(p.id), 15, cell.slot), 'hex')::uuid)
   from sheet p
   where p.contract_no = s.contract_no and p.delivery_day = s.delivery_day
     and p.revision = s.previous[cell.slot]) as previous_transaction_id,
  c.seller_eic as sender_eic,
  c.seller_tso as sender_tso,
  typeid('ast', c.asset_id) as asset_id,
  c.buyer_eic as receiver_eic,
  c.buyer_tso as receiver_tso,
  s.delivery_day,
  cell.slot as slot_number,
  (s.delivery_day::timestamp at time zone 'Europe/Berlin') + (cell.slot - 1) * interval '15 minutes' as delivery_start,
  (s.delivery_day::timestamp at time zone 'Europe/Berlin') + cell.slot * interval '15 minutes' as delivery_end,
  cell.volume * 0.001 as volume,
  s.created_at
from sheet s
join contract c on c.no = s.contract_no
cross join lateral generate_series(1, sheet_slots(s.volumes)) as day_slot (slot)
cross join lateral (select day_slot.slot, sheet_volume(s.volumes, day_slot.slot) as volume) as cell
where cell.volume is not null;
