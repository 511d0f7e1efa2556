-- Webhooks: endpoints that events are sent to, and one delivery per endpoint and event.

create type webhook_disabled_reason as enum ('owner', 'gone', 'failing');

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
  -- Not hashed: it signs.
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
create unique index webhook_endpoint_of_tenant on webhook_endpoint (tenant, id) where deleted_at is null;
create index webhook_endpoint_enabled on webhook_endpoint (id) where disabled_at is null and deleted_at is null;
create index webhook_endpoint_deleted on webhook_endpoint (id) where deleted_at is not null;

create type webhook_delivery_state as enum ('pending', 'succeeded', 'failed');

create table webhook_delivery (
  endpoint_id uuid not null references webhook_endpoint,
  id uuid not null,
  -- No foreign key: deliveries are deleted after their event.
  event_sequence bigint not null,
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
create index webhook_delivery_of_state on webhook_delivery (endpoint_id, state, id);
create index webhook_delivery_of_event on webhook_delivery (event_sequence);

-- Deliveries of all events up to this sequence have been created.
create table webhook_fan_out (
  only_one boolean primary key default true check (only_one),
  sequence bigint not null
);
insert into webhook_fan_out (sequence) select last from event_horizon();
