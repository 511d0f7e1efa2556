-- The exchange with the TSOs: every message out and in as it was, and what the schedules said.

create type message_direction as enum ('out', 'in');
create type message_type as enum ('schedule', 'acknowledgement', 'confirmation', 'anomaly', 'unknown');
create type message_format as enum ('ess', 'cim');
create type message_state as enum
  ('stored', 'sent', 'acknowledged', 'rejected', 'confirmed', 'applied', 'ignored', 'failed');

-- A message is stored before it leaves, and before it is read. What is not known of it is null.
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
  -- The document to the byte, compressed with gzip; null when it was too large to be taken in.
  document bytea,
  created_at timestamptz not null,
  sent_at timestamptz,
  -- Of a schedule: what the TSO calls it, and what was answered to it, by the TSO's own clock.
  identification text,
  acknowledged_at timestamptz,
  confirmed_at timestamptz,
  is_final boolean not null default false,
  -- Of an answer: who calls it what, the file in the inbox that it was, and the nominations that it changed.
  sender text,
  answer_id text,
  inbox_mark text unique,
  changed_nominations uuid[] not null default '{}'
);
-- However many processes send, a version is made once.
create unique index message_version_once on message (identification, version) where direction = 'out';
create index message_of_day on message (delivery_day, id);
create index message_waiting on message (direction, id) where state = 'stored';
create index message_answered on message (sender, answer_id) where direction = 'in';

-- What the schedules said, series by series; `schedule` is the identification that all versions of a TSO's day share,
-- `powers` are kW per slot. A row is there for each version in which a series was new, changed, or stood for another
-- version of its nomination: a message's series are the newest rows that are not newer than it. A bridge between
-- control areas stands for no nomination.
create table schedule_series (
  schedule text not null,
  message_version int not null,
  identification text not null,
  version int not null,
  business_type text not null,
  out_party text not null,
  out_area text not null,
  in_party text not null,
  in_area text not null,
  powers bigint[] not null,
  nomination_id uuid references nomination,
  primary key (schedule, identification, message_version)
);

-- Schedules that should go out and have not, with the reason if there is one that a person has to see.
create table unsent_schedule (
  tso tso not null,
  delivery_day date not null,
  error text,
  noted_at timestamptz not null,
  primary key (delivery_day, tso)
);

-- Both sides' values in kW, as the newest anomaly report on a nomination gave them; null where a side has none.
create table anomaly (
  nomination_id uuid primary key references nomination,
  message_id uuid not null references message,
  ours bigint[],
  theirs bigint[]
);

create index nomination_unsent on nomination (gate_closure, id)
  where sent_at is null and status <> 'superseded';
