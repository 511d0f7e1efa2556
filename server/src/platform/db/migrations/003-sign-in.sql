-- Signing in: second factors, passkeys and identity providers.


-- # Sessions

create type sign_in_method as enum ('password', 'invitation', 'passkey', 'provider');
-- What a session lacks before it may be used: the second factor of its user, or a second factor that the user has to set up.
create type session_pending as enum ('second_factor', 'set_up');

alter table user_session
  -- Null for sessions from before this column.
  add column method sign_in_method,
  add column pending session_pending,
  -- Whether the user has proved a second factor. Where one is required, a session without it is not accepted.
  add column has_second_factor boolean not null default false,
  -- Of the browser, when the session began.
  add column address text,
  add column user_agent text,
  -- Of the identity provider that signed the user in, to sign out there too. Null for other sessions.
  add column issuer text;

-- What a sign-in needs to remember between two requests: the challenge of a passkey, the state of a redirect. Each works
-- once. The data are sealed: they may contain secrets.
create table sign_in_step (
  -- Of the token that the browser has.
  hash bytea primary key,
  kind text not null,
  sealed_data bytea not null,
  -- In the machine's time.
  expires_at timestamptz not null
);
-- Deletion of steps that have ended.
create index sign_in_step_end on sign_in_step (expires_at);


-- # Factors

-- The secret of a user's one-time codes. It is stored once a code has confirmed it.
create table one_time_code (
  user_id uuid primary key references app_user,
  sealed_secret bytea not null,
  confirmed_at timestamptz not null,
  -- The time step of the last accepted code. No code of this step or an earlier one is accepted again.
  last_step bigint not null
);

-- Each replaces a one-time code once.
create table recovery_code (
  user_id uuid not null references app_user,
  hash bytea not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

create table passkey (
  id uuid primary key,
  user_id uuid not null references app_user,
  name text not null,
  credential_id bytea not null unique,
  public_key bytea not null,
  -- An authenticator that counts never goes back; a copy of it does.
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
-- The list of a user.
create index passkey_of_user on passkey (user_id, id);

-- Users by the subject under which an identity provider knows them.
create table provider_subject (
  issuer text not null,
  subject text not null,
  user_id uuid not null references app_user,
  linked_at timestamptz not null,
  primary key (issuer, subject),
  unique (user_id, issuer)
);
