-- The operator's side: what was done by whom, requests that may be repeated, and the sandbox's clock.

create table audit (
  no bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  request_id text,
  before jsonb,
  after jsonb
);
create index audit_of_subject on audit (subject, no);
create index audit_of_actor on audit (actor, no);

-- The trail only grows.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is append-only';
end $$;
create trigger audit_is_append_only before update or delete or truncate on audit
  for each statement execute function refuse_change();

-- Answers to requests with an Idempotency-Key. They may hold a new key's secret, so they are sealed with something
-- that only the caller knows.
create table idempotent_answer (
  id bytea primary key,
  request_hash bytea not null,
  status int not null,
  sealed_body bytea not null,
  created_at timestamptz not null
);
create index idempotent_answer_age on idempotent_answer (created_at);

-- How far a sandbox's clock is moved; no row outside of a sandbox.
create table sandbox_clock (
  only_one boolean primary key default true check (only_one),
  offset_ms bigint not null
);

-- The operator reads over all BRPs. Every sheet has a revision above zero; the condition keeps this index to the
-- statements that say so, since for all others a narrower one is better.
create index sheet_of_day on sheet (delivery_day, contract_no, revision) where revision > 0;
create index nomination_of_day on nomination (delivery_day, id);

-- Profile contracts that make their own volumes.
create index contract_with_profile on contract (no) where profile is not null;
