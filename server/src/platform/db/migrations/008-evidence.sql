-- Evidence: reads as of an instant, and the ledger.


-- # Reads as of an instant

-- A lower bound of the instants of all changes that are not visible yet, in milliseconds; null without one. A transaction
-- announces the bound with its first statement (`announceChange`), by a shared advisory lock whose key is the bound. The
-- first 16 bits of the keys are "SF".
create function oldest_change() returns bigint
language sql volatile as $$
  select min((classid::bigint << 32 | objid::bigint) & ((1::bigint << 48) - 1))
  from pg_locks
  where locktype = 'advisory' and mode = 'ShareLock' and objsubid = 1 and classid::bigint >> 16 = 21318
    and database = (select oid from pg_database where datname = current_database())
$$;

-- Instants are in the order of changes as long as no sandbox clock is moved back.
alter table sandbox_clock add column was_moved_back boolean not null default true;
alter table sandbox_clock alter column was_moved_back set default false;

-- What TSOs confirmed of a nomination, a row for each time that it changed. `nomination` has the newest.
create table nomination_confirmation (
  nomination_id uuid not null references nomination,
  -- 1, 2, … per nomination.
  number int not null,
  -- The status that the nomination would have without a later version.
  status nomination_status not null check (status in ('match', 'partial_match')),
  matched bigint[] not null,
  confirmed_at timestamptz,
  recorded_at timestamptz not null,
  primary key (nomination_id, number)
);

-- The placements of a customer after each of their changes. `placement` has those of the newest.
create table placement_change (
  customer_id uuid not null references customer,
  -- 1, 2, … per customer.
  number int not null,
  placements jsonb not null,
  changed_at timestamptz not null,
  primary key (customer_id, number)
);


-- # The ledger
--
-- Every change of a sheet, of its statuses, of a nomination, a message, a placement and of the audit trail is an entry: bytes whose
-- hash the transaction of the change stores. The entries are recomputed from their records. In the order of `sequence` they are the
-- leaves of a Merkle tree (RFC 9162), whose root is signed at intervals.

-- The entries of one transaction. A sequence is taken from the event log: below `event_horizon()` no batch can still be committed.
create table ledger_batch (
  sequence bigint primary key default nextval('event_sequence_seq'),
  committed_at timestamptz not null,
  -- Per entry its kind (1 byte), the UUID of its record (16) and its number (4, the most significant byte first).
  records bytea not null,
  -- Per entry the hash of its leaf (32).
  hashes bytea not null,
  check (length(records) % 21 = 0 and length(hashes) = length(records) / 21 * 32)
);
-- The batch of a record, found by the instant of its change.
create index ledger_batch_of_instant on ledger_batch (committed_at);

-- Public keys (Ed25519, 32 bytes) that have signed seals. The private key is in a file outside of the database.
create table ledger_key (
  no int generated always as identity primary key,
  public_key bytea not null unique,
  created_at timestamptz not null
);

-- Signed roots of the tree.
create table ledger_seal (
  tree_size bigint primary key,
  -- The tree has all batches up to this place.
  sequence bigint not null,
  root_hash bytea not null,
  sealed_at timestamptz not null,
  key_no int not null references ledger_key,
  signature bytea not null
);
-- The first seal that has a batch, and the first and the last seal of a key.
create unique index ledger_seal_of_sequence on ledger_seal (sequence);
create index ledger_seal_of_key on ledger_seal (key_no, tree_size);
-- The first seal after an instant.
create index ledger_seal_of_instant on ledger_seal (sealed_at);

-- Roots of complete subtrees of 256, 65,536, … leaves, so that a proof reads few leaves. They follow from the leaves.
create table ledger_node (
  height smallint not null,
  index bigint not null,
  hash bytea not null,
  primary key (height, index)
);
