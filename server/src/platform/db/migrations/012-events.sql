-- The event log: one row per change and tenant, written in the transaction of the change.
--
-- Readers follow the log by `sequence`. Sequences are assigned before the commit, so a smaller one may become visible
-- after a larger one. A writer therefore announces a lower bound of its sequences before it takes the first one, and
-- readers stop at the smallest announced bound. The announcement is a shared advisory lock whose key is the bound:
-- writers never wait for each other, and Postgres withdraws it when the transaction ends, whatever ends it.

create table event (
  sequence bigint generated always as identity primary key,
  -- 'operator', 'brp/<no>', 'account/<no>', or 'accounts' for all accounts.
  tenant text not null,
  type text not null,
  occurred_at timestamptz not null,
  -- Not jsonb: the text is returned as it was written.
  data json not null
);
-- No index by type: it would double what an event costs an import. A reader of a few types reads bounded steps instead.
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
  origin text not null
);
insert into event_log (deleted_to, origin) values (0, event_log_origin());

-- Events that announce a deadline. Those that were due up to `done_to` are appended.
create table reminder (
  name text primary key,
  done_to timestamptz not null
);

-- Called before each append; only the first one of a transaction announces it.
create function announce_events() returns void
language plpgsql as $$
declare
  -- The first 16 bits of the keys of announcements ("SD"); the others are the bound.
  key_space constant bigint := 21316::bigint << 48;
  bound bigint;
begin
  -- A rollback to a savepoint takes back the setting together with the lock.
  if coalesce(current_setting('saldo.announced_events', true), '') <> '' then return; end if;
  select last_value - (not is_called)::int into bound from event_sequence_seq;
  perform pg_advisory_xact_lock_shared(key_space | bound);
  perform set_config('saldo.announced_events', 'on', true);
end $$;

-- Appends one event per element. Data are JSON objects as text.
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
