#!/bin/sh
# Patroni calls this once, on the first primary, with the address of the new cluster.
# The settings of the role are those that Saldo needs behind PgBouncer: docs/scale.md#pooler.
exec ${POSTGRES_BIN}/psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --dbname="$1" <<'SQL'
create role saldo login password '${SALDO_PASSWORD}';
create database saldo owner saldo template template0 encoding 'UTF8';
alter role saldo set timezone = 'UTC';
alter role saldo set statement_timeout = '10000';
alter role saldo set default_transaction_read_only = 'on';
alter role saldo set plan_cache_mode = 'force_generic_plan';
alter role saldo set enable_bitmapscan = 'off';
alter role saldo set enable_seqscan = 'off';
alter role saldo set jit = 'off';
SQL
