-- The log of the requests of keys and users, which their owners read.
--
-- A row has up to 500 requests of one owner. A row per request took 32 µs of Postgres's time and 612 bytes, with indexes for
-- time, caller and id; in rows of a hundred it takes about one microsecond and 38 bytes.
create table request_batch (
  -- Of the writer, so that a write whose commit was not answered can be repeated.
  id uuid primary key,
  -- The owner of the keys and users, named as in the events.
  tenant text collate "C" not null,
  -- The time of its newest request. The others are at most ten seconds older.
  last_at timestamptz not null,
  count int not null,
  -- Each combination of caller, method, status class and route that occurs in the batch, once, in four arrays: a filtered
  -- list reads only batches with a match. The route is empty for a path that does not exist.
  callers text[] not null,
  methods text[] not null,
  status_classes smallint[] not null,
  routes text[] not null,
  -- A hash of each request id, to find a request by it.
  id_hashes int[] not null,
  -- A line of JSON per request, compressed by zstd if that makes it smaller.
  body bytea not null
);
-- The body is compressed already, and hashes cannot be.
alter table request_batch alter column body set storage external;
alter table request_batch alter column id_hashes set storage external;
-- The list of an owner, newest first.
create index request_batch_of_tenant on request_batch (tenant, last_at, id);
-- The oldest batches, which are deleted, and the number of all requests.
create index request_batch_by_time on request_batch (last_at, id) include (count);
