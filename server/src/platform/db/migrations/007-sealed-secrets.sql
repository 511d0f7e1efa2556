-- Secrets are sealed with a key that is not in the database, so that a dump of it opens nothing. Sealed text begins with the 8
-- bytes of its key's id. The columns in clear text are those of earlier versions and of a new database: the next start seals and
-- empties them.

alter table secret
  alter column value drop not null,
  add column sealed_value bytea,
  add constraint secret_has_one_form check (num_nonnulls(value, sealed_value) = 1);

alter table webhook_endpoint
  alter column secret drop not null,
  add column sealed_secret bytea,
  add column sealed_previous_secret bytea,
  add constraint webhook_secret_has_one_form check (num_nonnulls(secret, sealed_secret) = 1),
  -- That `previous_secret` has an end.
  drop constraint webhook_endpoint_check1,
  add constraint webhook_previous_secret_ends check (
    num_nonnulls(previous_secret, sealed_previous_secret) = num_nonnulls(previous_secret_ends_at)
  );
