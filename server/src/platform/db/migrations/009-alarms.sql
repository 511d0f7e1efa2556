-- Alarms: conditions of the exchange that need an operator.

create type alarm_kind as enum
  ('rejected', 'answer_overdue', 'unreadable', 'unsent_before_gate', 'unknown_series', 'out_of_balance', 'disk');

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
create unique index alarm_open_once on alarm (cause) where ended_at is null;
create index alarm_acknowledged on alarm (cause) where acknowledged_by is not null;
create index alarm_open on alarm (id) where ended_at is null;
create index alarm_ended on alarm (id) where ended_at is not null;

-- Messages that may cause an alarm. Values that the migration before this one adds to an enum cannot be used here.
create index message_unsettled on message (delivery_day)
  where direction = 'out' and type = 'schedule' and state not in ('stored', 'acknowledged', 'confirmed');
create index message_unreadable on message (created_at) where direction = 'in' and state = 'failed';
create index message_unknown_series on message (created_at) where unknown_series <> '{}';

alter table unsent_schedule add column is_unbalanced boolean not null default false;
update unsent_schedule set is_unbalanced = true where error like '%does not net to zero%';
