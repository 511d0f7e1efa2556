-- What BRPs have done with their own side of nominations.

create type schedule_step as enum ('loaded', 'checked', 'submitted');

-- A BRP has loaded, checked or submitted its own side of this nomination version. Marks of earlier versions stay: they say
-- which version the BRP knows.
create table own_schedule_mark (
  nomination_id uuid not null references nomination,
  step schedule_step not null,
  at timestamptz not null,
  -- The user or key, as in `audit`.
  actor text not null,
  primary key (nomination_id, step)
);
