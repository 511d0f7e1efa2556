-- The audit trail is read by period. Its numbers do not have the order of its times: a transaction takes the time first
-- and the number when it writes the entry, and the clock of a sandbox can be set back.
create index audit_of_time on audit (at, no);
