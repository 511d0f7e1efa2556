-- The public `sequence` of an event is its number among the events of its reader. `event.sequence` counts the events of
-- all tenants, so that no reader may see it: it is only the place of the event in the log.
--
-- Numbers are not stored, because a counter per tenant would make its writers wait for each other. No event can still be
-- committed below the horizon, so the number of an event that is shown is the count of the events up to its place.
-- Checkpoints bound the rows that are counted.

alter table event add column count smallint not null generated always as (json_array_length(data)) stored;

create table event_checkpoint (
  tenant text not null,
  -- Up to this place the tenant has had `count` events, deleted ones included.
  sequence bigint not null,
  count bigint not null,
  -- The tenant's events up to this place have been deleted. No checkpoint of the tenant is before it.
  is_deleted boolean not null,
  primary key (tenant, sequence)
);
insert into event_checkpoint (tenant, sequence, count, is_deleted)
select tenant, deleted_to, 0, true
from event_log, (
  values ('operator'), ('accounts')
  union all select 'brp/' || no from brp
  union all select 'account/' || no from account) as known (tenant)
where deleted_to > 0;

-- Checkpoints were created up to this place.
alter table event_log add column counted_to bigint not null default 0;

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

-- Null for a delivery from before this migration.
alter table webhook_delivery add column event_number bigint;
