-- Where requests come from.

alter table api_key
  -- Addresses and networks from which the key may be used. Null: from anywhere.
  add column allowed_addresses text[],
  add column last_used_address text;

-- Of the client. Null for entries of jobs, and from before these columns.
alter table audit
  add column address text,
  add column user_agent text;
