-- A promoted standby may lack the newest events of the former primary, and would assign their sequences again, below the
-- places of readers. The start of a server notices that (012-events.sql), but servers go on after a fail-over without a
-- start. The first transaction that appends events on a new timeline therefore skips sequences, too.

-- The lock is held for the call only: a transaction that waited for the end of another one could deadlock with it. A
-- transaction that cannot see yet that another one has skipped sequences skips once more, which does no harm.
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

create or replace function announce_events() returns void
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
