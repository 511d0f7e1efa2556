-- Series of forecasts and meters, and the contracts whose volumes follow from them.


-- # Series

create type series_kind as enum ('forecast', 'meter');

-- What a forecaster or a meter says about one plant or one customer.
create table series (
  no int generated always as identity primary key,
  id uuid not null unique,
  kind series_kind not null,
  asset_id uuid references asset,
  customer_id uuid references customer,
  name text not null,
  market_location text,
  created_at timestamptz not null,
  check (num_nonnulls(asset_id, customer_id) = 1)
);
-- An owner has one series of a kind, and a market location means one series of a kind. The lists by owner and location.
create unique index series_of_asset on series (asset_id, kind);
create unique index series_of_customer on series (customer_id, kind);
create unique index series_of_location on series (market_location, kind);
-- The list by kind.
create index series_of_kind on series (kind, id);

-- The values that one delivery changed of a day of a series. A stored row is never changed; a later value is a new version
-- of its slot in a later row. As with sheets there is no foreign key: every writer has locked the series.
create table series_sheet (
  series_no int not null,
  delivery_day date not null,
  -- 1, 2, … per series and day.
  revision int not null,
  created_at timestamptz not null,
  -- Wh, in the format of `sheet.volumes`.
  values_wh bytea not null,
  -- Version of each cell, as in a sheet.
  versions smallint[],
  -- Number of slots of the day that have a value in this revision or an earlier one, so that the job that begins alarms
  -- finds gaps without reading values.
  filled smallint not null,
  primary key (series_no, delivery_day, revision),
  constraint series_values_are_a_day check (
    get_byte(values_wh, 0) = 2 and length(values_wh) in (1 + 92 * 2, 1 + 96 * 2, 1 + 100 * 2)
    or get_byte(values_wh, 0) = 4 and length(values_wh) in (1 + 92 * 4, 1 + 96 * 4, 1 + 100 * 4)
  )
);


-- # Sources of contracts

-- The source of a contract by delivery day: it holds from its first day on until that of the next one. Values of an earlier
-- day still count with the share that was agreed for it. A contract without a row has no source.
create table contract_source (
  contract_no int not null references contract,
  first_day date not null,
  forecast_no int references series,
  meter_no int references series,
  -- In millionths.
  share_millionths int not null check (share_millionths between 1 and 1000000),
  max_power_kw int,
  primary key (contract_no, first_day),
  check (num_nonnulls(forecast_no, meter_no) > 0)
);
-- The contracts that follow a series.
create index contract_source_of_forecast on contract_source (forecast_no) where forecast_no is not null;
create index contract_source_of_meter on contract_source (meter_no) where meter_no is not null;

-- The values that the volumes of a sheet follow from. The sheets of imports and profiles have no row. A sheet that repeats
-- volumes for other parties has the origins of the volumes that it repeats, and the revisions of the newest of them.
create table sheet_source (
  contract_no int not null,
  delivery_day date not null,
  revision int not null,
  -- Per slot `f` for forecast, `m` for meter and `-` for none of them; a single letter if it is the same for all cells.
  origins text not null,
  -- The newest revisions of the series' days when the volumes were computed.
  forecast_no int,
  forecast_revision int,
  meter_no int,
  meter_revision int,
  primary key (contract_no, delivery_day, revision)
);


-- # Interchanges with metered values (MSCONS)

-- An interchange is stored whole before it is read. Numbers are in the order in which interchanges were received.
create table interchange (
  no int generated always as identity primary key,
  -- The list, newest first.
  id uuid not null unique,
  received_at timestamptz not null,
  -- Who sent it with which request, for the audit event of an interchange that is read after a restart.
  actor text not null,
  request_id text not null,
  -- Of its header; null if that cannot be read.
  sender text,
  reference text,
  -- SHA-256 of the interchange: the same bytes again are the same interchange.
  digest bytea not null unique,
  -- Compressed by gzip.
  raw bytea not null,
  -- Null until it was read to its end.
  result jsonb,
  -- Nothing of it was applied, because its envelope is wrong.
  is_rejected boolean not null default false
);
-- A sender uses a reference once. A rejected interchange may be sent again, mended, under its reference.
create unique index interchange_once on interchange (sender, reference) where not is_rejected;
-- The interchanges that a process has not read to their end.
create index interchange_unread on interchange (no) where result is null;

-- Messages with values of a market location that had no series: they are read again when it has one.
create table interchange_unknown (
  interchange_no int not null references interchange,
  market_location text not null,
  message int not null,
  primary key (interchange_no, market_location, message)
);
-- The messages of a market location.
create index interchange_unknown_of_location on interchange_unknown (market_location, interchange_no);

-- The slots of a series' day that a message has values for, or several ones of its interchange up to it. Messages that are
-- applied late must not replace the values of later ones, nor values that were written after their interchange was
-- received. As with series_sheet there is no foreign key.
create table interchange_day (
  series_no int not null,
  delivery_day date not null,
  interchange_no int not null,
  message int not null,
  -- The first bit is slot 1.
  slots bit varying not null,
  -- The revision of the series' day that the message made; null if it changed nothing.
  revision int,
  primary key (series_no, delivery_day, interchange_no, message)
);


-- # Alarms about missing values

-- A new type, because a restore on PostgreSQL 15 and 16 cannot load values that `alter type … add value` has added.
alter type alarm_kind rename to alarm_kind_001;
create type alarm_kind as enum
  ('rejected', 'answer_overdue', 'unreadable', 'unsent_before_gate', 'unknown_series', 'out_of_balance',
   'confirmation_overdue', 'final_missing', 'older_version_confirmed', 'status_request_rejected', 'disk',
   'forecast_missing', 'meter_missing');
alter table alarm alter column kind type alarm_kind using kind::text::alarm_kind;
drop type alarm_kind_001;

create type alarm_severity as enum ('critical', 'warning');

alter table alarm
  -- The severity of an open alarm may rise.
  add column severity alarm_severity,
  -- Of alarms about missing values only. No index: contracts are never deleted.
  add column contract_id uuid references contract (id);
update alarm set severity = case
  when kind in ('rejected', 'unsent_before_gate', 'out_of_balance', 'older_version_confirmed', 'disk')
    then 'critical' else 'warning' end::alarm_severity;
alter table alarm alter column severity set not null;
-- Stored events get the members that events of alarms have from now on.
update event set data = (
  select json_agg(json_build_object(
    'object', old.data->'object', 'id', old.data->'id', 'kind', old.data->'kind',
    'severity', case
      when old.data->>'kind' in ('rejected', 'unsent_before_gate', 'out_of_balance', 'older_version_confirmed', 'disk')
        then 'critical' else 'warning' end,
    'tso', old.data->'tso', 'delivery_date', old.data->'delivery_date', 'contract_id', null) order by old.place)
  from json_array_elements(event.data) with ordinality as old (data, place)
)
where tenant = 'operator' and type in ('exchange.alarm', 'exchange.alarm_resolved');
