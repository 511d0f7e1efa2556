-- The schema of Saldo, by subject in the order of the code. Later changes of it are files of their own.
--
-- Parties and contracts have a small integer (`no`), which the tables and indexes use, and a UUID (`id`), which is shown to
-- clients as a TypeID. Instants are timestamptz, days are German delivery days, energy is kWh and power is kW.

create type tso as enum ('DE_AMPRION', 'DE_TENNET', 'DE_TRANSNET_BW', 'DE_50HERTZ');

-- An id as clients see it: the prefix of its kind and the UUID in base 32.
create function typeid(prefix text, id uuid) returns text
language sql immutable strict parallel safe as $$
  select prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + digit, 1), '' order by at)
  from (
    select at, substring(bits from at * 5 + 1 for 5)::bit(5)::int as digit
    from (select B'00' || ('x' || replace(id::text, '-', ''))::bit(128) as bits) as padded,
      generate_series(0, 25) as at
  ) as digits
$$;


-- # Search and order of names
--
-- Lists are searched by a part of a name, reference or EIC. The text to search is a generated column (`search_text`), so no
-- statement that writes a record has to maintain it. Its parts are separated by line feeds, which names cannot contain.

-- Folds case without the locale of the database: ASCII letters with the collation "C", others by this list of Latin,
-- Greek and Cyrillic letters. ß equals ss, as in upper case.
create function search_fold(value text) returns text
language sql immutable strict parallel safe as $$
  select replace(translate(lower(normalize(value, nfkc) collate "C"),
    'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĴĶĹĻĽŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽẞ'
    'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΉΊΌΎΏЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ',
    'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĵķĺļľłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžß'
    'αβγδεζηθικλμνξοπρστυφχψωάέήίόύώѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюя'), 'ß', 'ss')
$$;

-- An index of trigrams finds any part of a text. The extension pg_trgm is neither in the embedded PostgreSQL nor
-- installable on every server, so the trigrams are lexemes of a text search vector, whose index is built in. Every
-- position of a text starts a lexeme, shorter ones at its end, so that one or two characters are a prefix of lexemes.
create function search_trigrams(value text) returns tsvector
language sql immutable strict parallel safe as $$
  select coalesce(array_to_tsvector(array_agg(substr(part, start, 3))), '')
  from string_to_table(value, E'\n') part, generate_series(1, length(part)) start
$$;

-- The lexemes that a text has if it contains `value`. The other direction does not hold, so the text is compared too.
create function search_query(value text) returns tsquery
language sql immutable strict parallel safe as $$
  select coalesce(string_agg(
    '''' || replace(replace(substr(part, start, 3), '\', '\\'), '''', '''''') || ''''
      || case when length(part) < 3 then ':*' else '' end, ' & '), '')::tsquery
  from string_to_table(value, E'\n') part, generate_series(1, greatest(length(part) - 2, least(length(part), 1))) start
$$;

create function metadata_values(metadata jsonb) returns text
language sql immutable strict parallel safe as $$
  select coalesce(string_agg(value, E'\n'), '') from jsonb_each_text(metadata)
$$;

-- The sort key of a text: without upper case and accents, so that Ä comes with A, in every locale of the database. It is
-- compared with the collation "C". The body is parsed here: PostgreSQL builds indexes without the search path.
create function sort_text(value text) returns text
language sql immutable strict parallel safe
return regexp_replace(normalize(search_fold(value), nfkd), '[\u0300-\u036f]', '', 'g');


-- # The platform itself

-- Secrets that all processes of the platform share. `cursor` encrypts cursors and ids of events.
create table secret (
  name text primary key,
  value bytea not null
);
insert into secret (name, value) values ('cursor', uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- Responses to requests with an Idempotency-Key. A response may contain the secret of a new key, so it is encrypted with
-- the Idempotency-Key, of which only the hash is stored.
create table idempotent_answer (
  id bytea primary key,
  request_hash bytea not null,
  status int not null,
  sealed_body bytea not null,
  created_at timestamptz not null
);
-- Deletion of old responses.
create index idempotent_answer_age on idempotent_answer (created_at);

-- The offset of a sandbox's clock. Without a sandbox there is no row.
create table sandbox_clock (
  only_one boolean primary key default true check (only_one),
  offset_ms bigint not null
);

-- Reminders of deadlines, by kind. The events of all deadlines that were due up to `done_to` are appended.
create table reminder (
  name text primary key,
  done_to timestamptz not null
);


-- # Audit trail

-- Every change with its actor. Entries are never changed or deleted. The order of `no` is not that of `at`: a transaction
-- reads the time first and takes the number when it writes the entry, and the clock of a sandbox can be set back.
create table audit (
  no bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  request_id text,
  before jsonb,
  after jsonb
);
-- The list by subject, by actor, by action, and by period.
create index audit_of_subject on audit (subject, no);
create index audit_of_actor on audit (actor, no);
create index audit_of_action on audit (action, no);
create index audit_of_time on audit (at, no);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is append-only';
end $$;
create trigger audit_is_append_only before update or delete or truncate on audit
  for each statement execute function refuse_change();


-- # Events
--
-- The event log, written in the transaction of the change. Readers follow it by `sequence`. Sequences are assigned before
-- the commit, so a smaller one may become visible after a larger one. A writer therefore announces a lower bound of its
-- sequences before it takes the first one, and readers stop at the smallest announced bound. The announcement is a shared
-- advisory lock whose key is the bound: writers never wait for each other, and Postgres withdraws it when the transaction
-- ends, whatever ends it.

-- A row has up to 16 consecutive events of one tenant and type, so that an import of thousands of contract-days writes
-- hundreds of rows. `sequence` is the place of the last one. Each row reserves 16 places: events are numbered without a
-- common lock, and the ranges of rows do not overlap.
create table event (
  sequence bigint generated always as identity (start with 16 increment by 16) primary key,
  -- 'operator', 'brp/<no>', 'account/<no>', or 'accounts' for all accounts.
  tenant text not null,
  type text not null,
  occurred_at timestamptz not null,
  -- The array of the events' data. Not jsonb: the text is returned as it was written.
  data json not null,
  count smallint not null generated always as (json_array_length(data)) stored
);
-- A tenant's feed. No index by type: it would double what an event costs an import. A reader of a few types reads bounded
-- steps instead.
create index event_of_tenant on event (tenant, sequence);

-- Identifies this copy of the log: cluster, timeline of its write-ahead log, database, and table.
create function event_log_origin() returns text
language sql volatile as $$
  select concat_ws('/', cluster.system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8), own.oid,
    'event'::regclass::oid)
  from pg_control_system() as cluster, pg_database as own
  where own.datname = current_database()
$$;

create table event_log (
  only_one boolean primary key default true check (only_one),
  -- All events up to this sequence may have been deleted.
  deleted_to bigint not null,
  -- The copy of the database that assigned the newest sequences.
  origin text not null,
  -- Checkpoints were created up to this place.
  counted_to bigint not null default 0
);
insert into event_log (deleted_to, origin) values (0, event_log_origin());

-- A copy of the database (a restored backup, a promoted standby) may lack the newest events, and would assign their
-- sequences again, below the places of readers. The first start on a copy skips a thousand million sequences, more
-- than can be missing. Returns whether it did.
create function continue_event_log() returns boolean
language plpgsql as $$
begin
  if (select origin from event_log) = event_log_origin() then return false; end if;
  lock table event in exclusive mode;
  update event_log set origin = event_log_origin() where origin <> event_log_origin();
  if not found then return false; end if;
  perform setval('event_sequence_seq', (last_value / 1000000000 + 1) * 1000000000)
  from event_sequence_seq where is_called;
  return found;
end $$;

-- The same for servers that go on after a fail-over without a start. The lock is held for the call only: a transaction
-- that waited for the end of another one could deadlock with it. A transaction that cannot see yet that another one has
-- skipped sequences skips once more, which does no harm.
create function skip_lost_events() returns void
language plpgsql as $$
declare
  lock_key constant bigint := 21317::bigint << 48;
begin
  perform pg_advisory_lock(lock_key);
  perform setval('event_sequence_seq', (last_value / 1000000000 + 1) * 1000000000)
  from event_sequence_seq where is_called;
  perform pg_advisory_unlock(lock_key);
  update event_log set origin = event_log_origin()
  where only_one in (select only_one from event_log for update skip locked);
end $$;

-- Called before each append; only the first one of a transaction announces it, and skips sequences on a new timeline.
create function announce_events() returns void
language plpgsql as $$
declare
  -- The first 16 bits of the keys of announcements ("SD"); the others are the bound.
  key_space constant bigint := 21316::bigint << 48;
  bound bigint;
begin
  -- A rollback to a savepoint takes back the setting together with the lock.
  if coalesce(current_setting('saldo.announced_events', true), '') <> '' then return; end if;
  if (select split_part(origin, '/', 2) from event_log) <> left(pg_walfile_name(pg_current_wal_lsn()), 8) then
    perform skip_lost_events();
  end if;
  select last_value - (not is_called)::int into bound from event_sequence_seq;
  perform pg_advisory_xact_lock_shared(key_space | bound);
  perform set_config('saldo.announced_events', 'on', true);
end $$;

-- Appends one row per element. Data are JSON arrays as text.
create function append_events(tenants text[], types text[], occurred_at timestamptz, data text[]) returns void
language plpgsql as $$
begin
  perform announce_events();
  insert into event (tenant, type, occurred_at, data)
  select new.tenant, new.type, append_events.occurred_at, new.data::json
  from unnest(tenants, types, append_events.data) as new (tenant, type, data);
end $$;

-- `last` is the newest sequence that was assigned. No transaction can still commit an event up to `horizon`: a
-- statement that starts after this one sees all of them. The order of the two reads matters: a transaction that
-- announces itself after the second one takes sequences beyond `last`.
create function event_horizon(out last bigint, out horizon bigint)
language plpgsql volatile as $$
begin
  select last_value - (not is_called)::int into last from event_sequence_seq;
  select least(last, min((classid::bigint << 32 | objid::bigint) & ((1::bigint << 48) - 1))) into horizon
  from pg_locks
  where locktype = 'advisory' and mode = 'ShareLock' and objsubid = 1 and classid::bigint >> 16 = 21316
    and database = (select oid from pg_database where datname = current_database());
end $$;

-- The public `sequence` of an event is its number among the events of its reader. `event.sequence` counts the events of
-- all tenants, so that no reader may see it: it is only the place of the event in the log.
--
-- Numbers are not stored, because a counter per tenant would make its writers wait for each other. No event can still be
-- committed below the horizon, so the number of an event that is shown is the count of the events up to its place.
-- Checkpoints bound the rows that are counted.
create table event_checkpoint (
  tenant text not null,
  -- Up to this place the tenant has had `count` events, deleted ones included.
  sequence bigint not null,
  count bigint not null,
  -- The tenant's events up to this place have been deleted. No checkpoint of the tenant is before it.
  is_deleted boolean not null,
  primary key (tenant, sequence)
);

-- The events of a feed at the places beyond `after` up to `up_to`. A row has the place of its last event, and reserves 16.
create function count_events(feed text, after bigint, up_to bigint) returns bigint
language sql stable as $$
  select coalesce(sum(greatest(0, least(e.sequence, up_to) - greatest(e.sequence - e.count, after))), 0)::bigint
  from event e
  where e.tenant = feed and e.sequence > after and e.sequence < up_to + 16
$$;

create function count_events_up_to(feed text, place bigint) returns bigint
language sql stable as $$
  select coalesce(known.count, 0) + count_events(feed, coalesce(known.sequence, 0), place)
  from (select) as one
  left join lateral (
    select c.sequence, c.count from event_checkpoint c
    where c.tenant = feed and c.sequence <= place order by c.sequence desc limit 1
  ) as known on true
$$;


-- # Parties and their keys

-- Balance responsible parties, the tenants of the BRP API.
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
  created_at timestamptz not null,
  search_text text not null generated always as (search_fold(eic || E'\n' || name)) stored
);
-- The lists of all balance groups and of a BRP's own. EICs are sorted by their bytes, whatever the database's locale is.
create index balance_group_in_order on balance_group (eic collate "C");
create index balance_group_of_brp_in_order on balance_group (brp_no, eic collate "C");

-- A balance group in a control area: the key of every saldo. A row stays when its TSO is no longer enabled, since
-- contracts may still deliver through it.
create table position (
  no int generated always as identity primary key,
  eic text not null references balance_group,
  tso tso not null,
  brp_no int not null references brp,
  enabled boolean not null,
  unique (eic, tso)
);

-- Customers of the marketplace, the tenants of the customer API.
create table account (
  no int generated always as identity primary key,
  id uuid not null unique,
  name text not null,
  created_at timestamptz not null
);

create type key_owner as enum ('brp', 'account', 'operator');

-- API keys. Only the hash of a key is stored, so the platform cannot show the key again.
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
-- The list by owner.
create index api_key_of_brp on api_key (brp_no, id) where brp_no is not null;
create index api_key_of_account on api_key (account_no, id) where account_no is not null;
create index api_key_of_owner on api_key (owner, id);


-- # Users of the portal

-- Emails are stored in the one form in which they are compared. Of passwords, invitations and sessions only hashes are
-- stored.
create table app_user (
  id uuid primary key,
  email text not null unique,
  name text not null,
  role key_owner not null,
  may_manage boolean not null,
  brp_no int references brp,
  account_no int references account,
  created_at timestamptz not null,
  disabled_at timestamptz,
  password_hash text,
  last_signed_in_at timestamptz,
  -- The newest invitation, until it is used. Its end is in the machine's time: a sandbox's clock does not move it.
  invitation_hash bytea unique,
  invitation_expires_at timestamptz,
  check ((role = 'brp') = (brp_no is not null) and (role = 'account') = (account_no is not null)),
  check ((invitation_hash is null) = (invitation_expires_at is null))
);
-- The list by role and by tenant.
create index app_user_of_role on app_user (role, id);
create index app_user_of_brp on app_user (brp_no, id) where brp_no is not null;
create index app_user_of_account on app_user (account_no, id) where account_no is not null;

-- All times of a session are the machine's.
create table user_session (
  id uuid primary key,
  hash bytea not null unique,
  user_id uuid not null references app_user,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
-- The end of all sessions of a user.
create index user_session_of_user on user_session (user_id);

-- Recent wrong passwords, counted by email and by address. `subject` is a hash, because people may type anything into the
-- field for the email.
create table sign_in_try (
  subject bytea primary key,
  count int not null,
  ends_at timestamptz not null
);
-- Deletion of counts that have ended.
create index sign_in_try_end on sign_in_try (ends_at);


-- # Market: assets, offers and demands of the customer API

create type technology as enum ('solar', 'wind_onshore', 'wind_offshore');

-- A power plant. Contracts and offers refer to it.
create table asset (
  id uuid primary key,
  name text not null,
  nominal_power_kw int not null,
  technology technology not null,
  tso tso not null,
  created_at timestamptz not null,
  search_text text not null generated always as (search_fold(name)) stored
);
-- The list by technology and by TSO, sorted by name and by power, and searched.
create index asset_of_technology on asset (technology, id);
create index asset_of_tso on asset (tso, id);
create index asset_by_name on asset (sort_text(name) collate "C", id);
create index asset_by_power on asset (nominal_power_kw, id);
create index asset_search on asset using gin (search_trigrams(search_text));

-- Each publication gets the next number of its list, and so does each withdrawal. The transaction that takes a number
-- holds the row until its commit, so numbers become visible in their order and a number identifies a state of the list.
create table market_list (
  name text primary key,
  version int not null
);
insert into market_list (name, version) values ('assets', 0), ('demands', 0);

-- Withdrawals, so that an earlier state of a list can still be paged.
create table market_withdrawal (
  list text not null references market_list,
  version int not null,
  published_no int not null,
  primary key (list, version)
);

-- Uploaded images. The name is a hash of the content, so the content of an address never changes.
create table cover (
  name text primary key,
  media_type text not null,
  width int not null,
  height int not null,
  bytes bytea not null,
  created_at timestamptz not null
);
-- Images are compressed already.
alter table cover alter column bytes set storage external;

create type offer_ppa_type as enum ('PAY_AS_PRODUCED', 'PAY_AS_FORECASTED', 'PAY_AS_NOMINATED');

-- The published part of an asset.
create table offer (
  published_no int primary key,
  asset_id uuid not null unique references asset,
  published_at timestamptz not null,
  ppa_type offer_ppa_type not null,
  average_annual_kwh bigint,
  delivery_start timestamptz not null,
  additional_info text,
  state text,
  country text not null,
  -- An uploaded image or an address elsewhere; without both the cover is drawn.
  cover_name text references cover,
  cover_url text,
  -- Durations and their prices in cents, element by element.
  price_years int[] not null,
  price_cents int[] not null,
  check (cover_name is null or cover_url is null),
  check (cardinality(price_years) > 0 and cardinality(price_years) = cardinality(price_cents))
);

create table demand (
  published_no int primary key,
  id uuid not null unique,
  published_at timestamptz not null,
  contract_years int not null,
  annual_kwh bigint not null,
  additional_info text,
  country text not null,
  state text,
  delivery_start timestamptz
);
-- The operator's list by country.
create index demand_of_country on demand (country, id);


-- # Customers

create type customer_status as enum ('pending', 'active', 'deactivated');

create table customer (
  id uuid primary key,
  brp_no int not null references brp,
  name text not null,
  status customer_status not null,
  -- The newest placement; null without a balance group.
  position_no int references position,
  metadata jsonb not null,
  assigned_at timestamptz not null,
  activated_at timestamptz,
  -- The first delivery day of a deactivation; null unless the customer is deactivated.
  deactivated_from date,
  created_at timestamptz not null,
  search_text text not null generated always as (search_fold(name || E'\n' || metadata_values(metadata))) stored
);
-- A BRP's list, by status and by balance group, and sorted by name.
create index customer_of_brp on customer (brp_no, id);
create index customer_of_brp_by_status on customer (brp_no, status, id);
create index customer_of_position on customer (brp_no, position_no, id) where position_no is not null;
create index customer_of_brp_by_name on customer (brp_no, sort_text(name) collate "C", id);
-- The operator's list by status, sorted by name, and searched. A BRP's search reads its own records by their indexes.
create index customer_by_status on customer (status, id);
create index customer_by_name on customer (sort_text(name) collate "C", id);
create index customer_search on customer using gin (search_trigrams(search_text));

-- The balance group of a customer by delivery day. There are no gaps between a customer's first and last placement, unless
-- the customer had no balance group for a time. The first placement holds from -infinity on, the newest one to infinity.
create table placement (
  customer_id uuid not null references customer,
  first_day date not null,
  last_day date not null default 'infinity',
  position_no int not null references position,
  primary key (customer_id, first_day),
  check (first_day <= last_day)
);
-- Whether a TSO of a balance group is still in use.
create index placement_of_position on placement (position_no, last_day);


-- # Contracts

create type contract_type as enum ('ppa', 'day_ahead', 'intraday');
create type ppa_type as enum ('forecasted', 'produced', 'consumed', 'baseload', 'shaped', 'peakload', 'indexed');

-- A contract has the names of its customers as they were when it was made, and the newest balance group of each side, in
-- force from `seller_from` and `buyer_from` on.
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
  seller_from date not null default '-infinity',
  buyer_customer uuid not null references customer,
  buyer_name text not null,
  buyer_eic text not null,
  buyer_tso tso not null,
  buyer_position int not null references position,
  buyer_brp int not null references brp,
  buyer_from date not null default '-infinity',
  ppa_type ppa_type,
  period text,
  delivery_profile text,
  -- The rule by which the platform creates the volumes itself; null for contracts whose volumes are imported.
  profile jsonb,
  asset_id uuid references asset,
  -- Whether both customers have been activated at least once.
  is_activated boolean not null default false,
  -- The first delivery day on which one of the customers counts as deactivated; null without one.
  rests_from date,
  created_at timestamptz not null,
  search_text text not null generated always as (search_fold(external_id || E'\n' || seller_name || E'\n' || seller_eic
    || E'\n' || buyer_name || E'\n' || buyer_eic)) stored,
  check (delivery_start < delivery_end),
  check (type = 'ppa' or (ppa_type is null and period is null and delivery_profile is null and asset_id is null))
);
-- A BRP's list merges the contracts that it sells with those that it buys from others, with and without a balance group of
-- either side.
create index contract_sold on contract (seller_brp, id);
create index contract_bought on contract (buyer_brp, id) where seller_brp <> buyer_brp;
create index contract_sold_from on contract (seller_brp, seller_eic, id);
create index contract_sold_to on contract (seller_brp, buyer_eic, id);
create index contract_bought_from on contract (buyer_brp, seller_eic, id) where seller_brp <> buyer_brp;
create index contract_bought_at on contract (buyer_brp, buyer_eic, id);
-- The operator's list, sorted by reference and by start, and searched.
create index contract_by_reference on contract (sort_text(external_id) collate "C", id);
create index contract_by_start on contract (coalesce(delivery_start, 'infinity'), id);
create index contract_search on contract using gin (search_trigrams(search_text));
-- Changes of a customer.
create index contract_of_seller on contract (seller_customer);
create index contract_of_buyer on contract (buyer_customer);
-- The job that creates the volumes of profiles.
create index contract_with_profile on contract (no) where profile is not null;

-- The position of a contract's seller or buyer before the newest one, for the days of its own placement. A last day
-- before the first one: the position was replaced before its first day, and superseded transactions still name it.
create table former_party (
  contract_no int not null references contract,
  contract_id uuid not null,
  is_seller boolean not null,
  first_day date not null,
  last_day date not null,
  position_no int not null references position,
  brp_no int not null references brp,
  primary key (contract_no, is_seller, first_day, position_no)
);
-- Contracts that a former BRP still sees.
create index former_party_of_brp on former_party (brp_no, contract_id);
-- Whether a TSO of a balance group is still in use.
create index former_party_of_position on former_party (position_no, last_day);


-- # Transactions

-- The volumes of one import or correction for one contract and delivery day: a cell per slot, and a cell is a transaction.
-- A stored sheet is not changed when it is corrected; a correction is a new sheet with the changed cells only.
--
-- `contract_no` has no foreign key: every writer of sheets has locked the contract, contracts are never deleted, and the
-- check of each new sheet took a tenth of the time of a customer's move.
create table sheet (
  -- Ends in a zero byte, which holds the slot number in a transaction's id.
  id uuid primary key,
  created_at timestamptz not null,
  contract_no int not null,
  delivery_day date not null,
  -- 1, 2, … per contract and day.
  revision int not null,
  sender_position int not null,
  receiver_position int not null,
  sender_brp int not null,
  receiver_brp int not null,
  -- kWh. The first byte is the number of bytes per cell, two or four; the cells follow, the most significant byte first.
  -- All bits of a cell are set where the sheet has no value.
  volumes bytea not null,
  -- Version and previous revision of each cell. Null while all are 1 and none; a single element stands for all cells.
  versions smallint[],
  previous smallint[],
  -- Set when a slot closed before the schedule with a change between control areas was made: for closed slots the change
  -- counts from then on, not from its creation. Null for nearly all.
  late_at timestamptz,
  unique (contract_no, delivery_day, revision),
  constraint sheet_volumes_are_a_day check (
    get_byte(volumes, 0) = 2 and length(volumes) in (1 + 92 * 2, 1 + 96 * 2, 1 + 100 * 2)
    or get_byte(volumes, 0) = 4 and length(volumes) in (1 + 92 * 4, 1 + 96 * 4, 1 + 100 * 4)
  )
);
-- Pages are read in the order of delivery day and contract. A BRP's page merges the sheets that it sends with those that it
-- receives from others, so each side has its own index, and each filter by balance group too.
create index sheet_sent on sheet (sender_brp, delivery_day, contract_no, revision);
create index sheet_received on sheet (receiver_brp, delivery_day, contract_no, revision)
  where sender_brp <> receiver_brp;
create index sheet_sent_from on sheet (sender_brp, sender_position, delivery_day, contract_no);
create index sheet_sent_to on sheet (sender_brp, receiver_position, delivery_day, contract_no);
create index sheet_received_from on sheet (receiver_brp, sender_position, delivery_day, contract_no)
  where sender_brp <> receiver_brp;
create index sheet_received_at on sheet (receiver_brp, receiver_position, delivery_day, contract_no);
-- The operator's list. Every sheet has a revision above zero; the condition keeps this index to the statements that
-- contain it, since for all others a narrower one is better.
create index sheet_of_day on sheet (delivery_day, contract_no, revision) where revision > 0;

-- The statuses of a sheet whose cells are not all valid. They are not columns of the sheet, because an update of a sheet
-- would write an entry into each of its indexes.
create table sheet_status (
  contract_no int not null,
  delivery_day date not null,
  revision int not null,
  -- Those of the sheet, for the indexes.
  sender_brp int not null,
  receiver_brp int not null,
  -- Bits of the statuses that occur: 1 valid, 2 invalid, 4 superseded.
  mask smallint not null,
  -- Per slot 0 valid, 1 invalid, 2 superseded; a single element stands for all slots.
  statuses smallint[] not null,
  primary key (contract_no, delivery_day, revision)
);
-- The lists by the two rare statuses, of a BRP as sender, as receiver, and of the operator.
create index sheet_sent_invalid on sheet_status (sender_brp, delivery_day, contract_no) where mask & 2 <> 0;
create index sheet_received_invalid on sheet_status (receiver_brp, delivery_day, contract_no)
  where mask & 2 <> 0 and sender_brp <> receiver_brp;
create index sheet_invalid on sheet_status (delivery_day, contract_no) where mask & 2 <> 0;
create index sheet_sent_superseded on sheet_status (sender_brp, delivery_day, contract_no) where mask & 4 <> 0;
create index sheet_received_superseded on sheet_status (receiver_brp, delivery_day, contract_no)
  where mask & 4 <> 0 and sender_brp <> receiver_brp;
create index sheet_superseded on sheet_status (delivery_day, contract_no) where mask & 4 <> 0;

-- Transactions of a sheet that became invalid together. Invalidations are counted per contract and day, so that a
-- nomination can refer to those that it knew.
create table invalidation (
  contract_no int not null references contract,
  delivery_day date not null,
  number int not null,
  revision int not null,
  slots smallint[] not null,
  reason text not null,
  -- The customer whose deactivation made the transactions invalid; null for an act of the operator.
  customer_id uuid references customer,
  invalidated_at timestamptz not null,
  -- As in `sheet`.
  late_at timestamptz,
  primary key (contract_no, delivery_day, number)
);

create function sheet_slots(volumes bytea) returns int
language sql immutable parallel safe as $$
  select (length(volumes) - 1) / get_byte(volumes, 0)
$$;

-- The volume of a slot in kWh; null where the sheet has no value, or its day has no such slot.
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

-- The element of a slot in an array of a sheet, whose single element stands for all slots. The volumes of a moved customer
-- are corrected whole, so nearly all of their sheets are stored this way.
create function sheet_element(elements smallint[], slot int) returns smallint
language sql immutable parallel safe as $$
  select elements[case when cardinality(elements) = 1 then 1 else slot end]
$$;

-- Sheets unfolded into a row per transaction, for SQL users: the only part of the schema that is public. A query should
-- name a contract or a few days.
create view transaction as
select
  typeid('txn', encode(set_byte(uuid_send(s.id), 15, cell.slot), 'hex')::uuid) as id,
  typeid('con', c.id) as contract_id,
  (array['valid', 'invalid', 'superseded'])[coalesce(sheet_element(t.statuses, cell.slot), 0) + 1] as status,
  coalesce(sheet_element(s.versions, cell.slot), 1) as version,
  (select typeid('txn', encode(set_byte(uuid_send(p.id), 15, cell.slot), 'hex')::uuid)
   from sheet p
   where p.contract_no = s.contract_no and p.delivery_day = s.delivery_day
     and p.revision = sheet_element(s.previous, cell.slot)) as previous_transaction_id,
  sender.eic as sender_eic,
  sender.tso as sender_tso,
  typeid('ast', c.asset_id) as asset_id,
  receiver.eic as receiver_eic,
  receiver.tso as receiver_tso,
  s.delivery_day,
  cell.slot as slot_number,
  (s.delivery_day::timestamp at time zone 'Europe/Berlin') + (cell.slot - 1) * interval '15 minutes' as delivery_start,
  (s.delivery_day::timestamp at time zone 'Europe/Berlin') + cell.slot * interval '15 minutes' as delivery_end,
  cell.volume * 0.001 as volume,
  s.created_at
from sheet s
left join sheet_status t
  on t.contract_no = s.contract_no and t.delivery_day = s.delivery_day and t.revision = s.revision
join contract c on c.no = s.contract_no
join position sender on sender.no = s.sender_position
join position receiver on receiver.no = s.receiver_position
cross join lateral generate_series(1, sheet_slots(s.volumes)) as day_slot (slot)
cross join lateral (select day_slot.slot, sheet_volume(s.volumes, day_slot.slot) as volume) as cell
where cell.volume is not null;


-- # Nominations

create type direction as enum ('out', 'in');
create type nomination_status as enum ('pending', 'partial_match', 'match', 'superseded');

-- Dirty flags: position-days whose transactions have changed since they were last netted.
create table changed_position (
  position_no int not null references position,
  delivery_day date not null,
  -- The first and the last change, in the database's own time, whatever the platform's clock is set to.
  marked_at timestamptz not null default clock_timestamp(),
  touched_at timestamptz not null default clock_timestamp(),
  primary key (position_no, delivery_day)
);

-- A version of the saldo of a position-day in one direction.
create table nomination (
  id uuid primary key,
  position_no int not null references position,
  brp_no int not null references brp,
  eic text not null,
  tso tso not null,
  delivery_day date not null,
  direction direction not null,
  version int not null,
  -- No index: nominations are never deleted.
  previous_id uuid references nomination,
  status nomination_status not null,
  -- kWh per slot.
  amounts bigint[] not null,
  -- kW per slot, as the TSO confirmed them.
  matched bigint[],
  gate_closure timestamptz not null,
  sent_at timestamptz,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  -- The basis of the version: per contract the newest revision and the number of invalidations at the time of netting.
  basis_contracts int[] not null,
  basis_revisions int[] not null,
  basis_invalidations int[] not null,
  unique (position_no, delivery_day, direction, version)
);
-- A BRP's list, by status and by balance group.
create index nomination_of_brp on nomination (brp_no, delivery_day, id);
create index nomination_of_brp_by_status on nomination (brp_no, status, delivery_day, id);
create index nomination_of_eic on nomination (brp_no, eic, delivery_day, id);
-- The operator's list, and by status.
create index nomination_of_day on nomination (delivery_day, id);
create index nomination_by_status on nomination (status, delivery_day, id);
-- The outbox: nominations that have to be sent.
create index nomination_unsent on nomination (gate_closure, id)
  where sent_at is null and status <> 'superseded';

-- Position-days whose valid transactions differ from what is nominated, because every gate is past or because the
-- bridges between control areas are frozen. A row is deleted when both agree again.
create table late_position_day (
  delivery_day date not null,
  position_no int not null references position,
  brp_no int not null references brp,
  -- Only the slots that differ, with both values in kWh: delivering is positive.
  slots smallint[] not null,
  nominated bigint[] not null,
  transactions bigint[] not null,
  -- When the first of the differences arose.
  since timestamptz not null,
  primary key (delivery_day, position_no)
);
-- The list of one BRP.
create index late_position_day_of_brp on late_position_day (brp_no, delivery_day, position_no);


-- # Exchange with the TSOs

create type message_direction as enum ('out', 'in');
create type message_type as enum ('schedule', 'acknowledgement', 'confirmation', 'anomaly', 'unknown', 'status_request');
create type message_format as enum ('ess', 'cim');
create type message_state as enum
  ('stored', 'sent', 'delivered', 'acknowledged', 'rejected', 'confirmed', 'applied', 'ignored', 'failed');

-- A message is stored before it is sent, and before it is read. Unknown values are null.
create table message (
  id uuid primary key,
  direction message_direction not null,
  type message_type not null,
  format message_format,
  tso tso,
  delivery_day date,
  version int,
  state message_state not null,
  error text,
  file_name text,
  -- The schedule that an answer answers.
  answers uuid references message,
  -- The document to the byte, compressed with gzip; null when it was too large to be stored.
  document bytea,
  created_at timestamptz not null,
  sent_at timestamptz,
  -- Of a schedule: its identification, which all versions of a TSO's day share, and the TSO's answers by the TSO's clock.
  identification text,
  acknowledged_at timestamptz,
  confirmed_at timestamptz,
  is_final boolean not null default false,
  -- Of an answer: its sender, the sender's id of it, the file of the inbox, and the nominations that it changed.
  sender text,
  answer_id text,
  inbox_mark text unique,
  changed_nominations uuid[] not null default '{}',
  -- Of an answer: one text per series that names the operator's balance group and is not in the schedule answered.
  unknown_series text[] not null default '{}'
);
-- A version is made once, however many processes send.
create unique index message_version_once on message (identification, version) where direction = 'out';
-- The list by day, state, type and TSO.
create index message_of_day on message (delivery_day, id);
create index message_of_state on message (state, id);
create index message_of_type on message (type, id);
create index message_of_tso on message (tso, id);
-- Messages to send and to read.
create index message_waiting on message (direction, id) where state = 'stored';
-- Whether an answer arrived before.
create index message_answered on message (sender, answer_id) where direction = 'in';
-- Messages that may cause an alarm. Each index has few rows, because only recent days are watched.
create index message_unsettled on message (delivery_day)
  where direction = 'out' and type = 'schedule' and state not in ('stored', 'acknowledged', 'confirmed');
create index message_unconfirmed on message (delivery_day)
  where direction = 'out' and type = 'schedule' and state = 'acknowledged';
create index message_rejected_request on message (delivery_day)
  where direction = 'out' and type <> 'schedule' and state = 'rejected';
create index message_unreadable on message (created_at) where direction = 'in' and state = 'failed';
create index message_unknown_series on message (created_at) where unknown_series <> '{}';

-- The series of the schedules. A row exists for each version of a schedule in which a series was new, changed, or
-- represented another version of its nomination: the series of a message are the newest rows that are not newer than it.
create table schedule_series (
  -- The identification of the schedule.
  schedule text not null,
  message_version int not null,
  identification text not null,
  version int not null,
  business_type text not null,
  out_party text not null,
  out_area text not null,
  in_party text not null,
  in_area text not null,
  -- kW per slot.
  powers bigint[] not null,
  -- Null for a bridge between control areas. No index: nominations are never deleted.
  nomination_id uuid references nomination,
  primary key (schedule, identification, message_version)
);

-- Schedules that are due and not sent.
create table unsent_schedule (
  tso tso not null,
  delivery_day date not null,
  -- The reason, if the operator has to see it.
  error text,
  is_unbalanced boolean not null default false,
  noted_at timestamptz not null,
  primary key (delivery_day, tso)
);

-- The newest anomaly report on a nomination: the values of both sides in kW per slot, null for a side without any.
create table anomaly (
  nomination_id uuid primary key references nomination,
  message_id uuid not null references message,
  ours bigint[],
  theirs bigint[]
);

create type alarm_kind as enum
  ('rejected', 'answer_overdue', 'unreadable', 'unsent_before_gate', 'unknown_series', 'out_of_balance',
   'confirmation_overdue', 'final_missing', 'older_version_confirmed', 'status_request_rejected', 'disk');

-- Conditions of the exchange that need an operator.
create table alarm (
  id uuid primary key,
  kind alarm_kind not null,
  -- Identifies the condition. It has one open alarm at most, and none after it was acknowledged.
  cause text not null,
  tso tso,
  delivery_day date,
  message_id uuid references message,
  text text not null,
  began_at timestamptz not null,
  -- Set when the condition has ended or the alarm was acknowledged.
  ended_at timestamptz,
  acknowledged_by text,
  note text
);
-- The job that begins and ends alarms.
create unique index alarm_open_once on alarm (cause) where ended_at is null;
create index alarm_acknowledged on alarm (cause) where acknowledged_by is not null;
-- The lists of open and of resolved alarms.
create index alarm_open on alarm (id) where ended_at is null;
create index alarm_ended on alarm (id) where ended_at is not null;


-- # Webhooks

create type webhook_disabled_reason as enum ('owner', 'gone', 'failing');
create type webhook_delivery_state as enum ('pending', 'succeeded', 'failed');

-- Endpoints that events are sent to.
create table webhook_endpoint (
  id uuid primary key,
  -- The owner, written as in the event log: 'operator', 'brp/<no>' or 'account/<no>'.
  tenant text not null,
  -- The feeds of the event log that the owner reads; the first one is its own.
  feeds text[] not null,
  url text not null,
  -- Types of events, 'subject.*', or '*'.
  types text[] not null,
  description text,
  -- Not hashed, because it signs.
  secret bytea not null,
  -- After a rotation, signs as well until its end.
  previous_secret bytea,
  previous_secret_ends_at timestamptz,
  -- Only events beyond this sequence are sent: no event that is committed after the endpoint was created or enabled has
  -- a smaller one.
  after_sequence bigint not null,
  created_at timestamptz not null,
  disabled_at timestamptz,
  disabled_reason webhook_disabled_reason,
  -- The first failure since the last success.
  failing_since timestamptz,
  -- A deleted endpoint stays until its deliveries are deleted, in batches.
  deleted_at timestamptz,
  check ((disabled_at is null) = (disabled_reason is null)),
  check ((previous_secret is null) = (previous_secret_ends_at is null))
);
-- The list of a tenant; the job that delivers; the job that deletes.
create unique index webhook_endpoint_of_tenant on webhook_endpoint (tenant, id) where deleted_at is null;
create index webhook_endpoint_enabled on webhook_endpoint (id) where disabled_at is null and deleted_at is null;
create index webhook_endpoint_deleted on webhook_endpoint (id) where deleted_at is not null;

-- One delivery per endpoint and event.
create table webhook_delivery (
  endpoint_id uuid not null references webhook_endpoint,
  id uuid not null,
  -- No foreign key: deliveries are deleted after their event.
  event_sequence bigint not null,
  -- The public number of the event. Null for a delivery from before the first release: it is counted when it is sent.
  event_number bigint,
  event_type text not null,
  event_occurred_at timestamptz not null,
  created_at timestamptz not null,
  state webhook_delivery_state not null default 'pending',
  attempts int not null default 0,
  -- Set while the delivery is pending. A process that takes it moves it to the end of its lease, so that another one
  -- takes it when that process dies.
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  status_code int,
  duration_ms int,
  response text,
  error text,
  primary key (endpoint_id, id),
  check ((state = 'pending') = (next_attempt_at is not null))
);
-- Due deliveries are taken per endpoint, so that many of one endpoint do not delay those of another.
create index webhook_delivery_due on webhook_delivery (endpoint_id, next_attempt_at)
  where next_attempt_at is not null;
-- The list by state.
create index webhook_delivery_of_state on webhook_delivery (endpoint_id, state, id);
-- Deletion together with the events.
create index webhook_delivery_of_event on webhook_delivery (event_sequence);

-- Deliveries of all events up to this sequence have been created.
create table webhook_fan_out (
  only_one boolean primary key default true check (only_one),
  sequence bigint not null
);
insert into webhook_fan_out (sequence) values (0);
