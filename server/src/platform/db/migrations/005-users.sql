-- People who sign in to the portal, and their sessions.

-- Emails are stored in the one form in which they are compared. Of passwords, invitations and sessions only hashes are
-- kept: they cannot be told again, only recognised.
create table app_user (
  id uuid primary key,
  email text not null unique,
  name text not null,
  role key_owner not null,
  may_manage boolean not null,
  brp_no int references brp,
  account_no int references account,
  created_at timestamptz not null,
  disabled_at timestamptz,
  password_hash text,
  last_signed_in_at timestamptz,
  -- The newest invitation, until it is used. These times are the machine's: a sandbox's clock does not move them.
  invitation_hash bytea unique,
  invitation_expires_at timestamptz,
  check ((role = 'brp') = (brp_no is not null) and (role = 'account') = (account_no is not null)),
  check ((invitation_hash is null) = (invitation_expires_at is null))
);
create index app_user_of_brp on app_user (brp_no, id) where brp_no is not null;
create index app_user_of_account on app_user (account_no, id) where account_no is not null;

-- All times of a session are the machine's.
create table user_session (
  id uuid primary key,
  hash bytea not null unique,
  user_id uuid not null references app_user,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index user_session_of_user on user_session (user_id);
create index user_session_end on user_session (expires_at);

-- How often a password was tried of late, by email and by address. A subject is a hash: what people type into a field
-- for an email may be anything.
create table sign_in_try (
  subject bytea primary key,
  count int not null,
  ends_at timestamptz not null
);
create index sign_in_try_end on sign_in_try (ends_at);
