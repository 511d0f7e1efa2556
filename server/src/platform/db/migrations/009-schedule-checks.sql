-- The files that BRPs say they have submitted to their TSOs, the newest of each balance group, TSO and day: the check of the
-- next file compares its versions and series with them. A row has no values, except those of series between control areas. A
-- write deletes the BRP's rows of days whose last gate is long past.
create table submitted_schedule (
  brp_no int not null references brp,
  delivery_day date not null,
  eic text not null,
  tso tso not null,
  message_id text not null,
  version smallint not null check (version between 1 and 999),
  -- [{identification, version, digest, bridge}], as core/src/exchange/submitted-file.ts has it.
  series jsonb not null,
  submitted_at timestamptz not null,
  -- The check reads all TSOs of a balance group and day. The deletion reads the oldest days of the BRP.
  primary key (brp_no, delivery_day, eic, tso)
);
