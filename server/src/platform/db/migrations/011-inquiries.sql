-- Inquiries of account holders about offers and demands, and the offers that they watch.

create type inquiry_status as enum ('open', 'answered', 'closed');

create table inquiry (
  id uuid primary key,
  account_no int not null references account,
  -- The user who asked. No index: users are never deleted.
  user_id uuid not null references app_user,
  -- What the inquiry is about. A demand may be withdrawn, so that there is no foreign key.
  asset_id uuid references asset,
  demand_id uuid,
  message text not null,
  status inquiry_status not null default 'open',
  answer text,
  answered_at timestamptz,
  created_at timestamptz not null,
  check (num_nonnulls(asset_id, demand_id) = 1),
  check ((answer is null) = (answered_at is null)),
  check (status <> 'answered' or answer is not null)
);
-- The list of an account, and those of the operator.
create index inquiry_of_account on inquiry (account_no, id);
create index inquiry_by_status on inquiry (status, id);
-- How many inquiries of an account are open.
create index inquiry_open on inquiry (account_no) where status = 'open';

-- Offers that a user watches.
create table watched_offer (
  user_id uuid not null references app_user,
  asset_id uuid not null references asset,
  watched_at timestamptz not null,
  primary key (user_id, asset_id)
);
