-- Months whose volumes and nominations are in files (`saldo archive`). The row exists as long as the rows of the month do
-- not: one transaction inserts it and deletes them, another one brings them back.
create table archive (
  month date primary key check (month = date_trunc('month', month)),
  -- Of the files: a newer version may write other columns.
  format int not null,
  -- [{"name", "rows", "bytes", "sha256"}]
  files jsonb not null,
  archived_at timestamptz not null
);

-- Ids of archived sheets and nominations: a read of one is answered with 410, a read of an unknown id with 404. The BRPs
-- are the two of a sheet; both are the same for a nomination.
create table archived_id (
  id uuid primary key,
  month date not null,
  brp_no int not null,
  other_brp_no int not null
);

-- Schedules stay when their nominations are archived.
alter table schedule_series drop constraint schedule_series_nomination_id_fkey;
-- The column has no index: each deleted nomination would read the whole table.
alter table nomination drop constraint nomination_previous_id_fkey;
