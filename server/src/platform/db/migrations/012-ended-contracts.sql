-- The end of the contract made the transactions invalid, not the operator, who may give the same reason: an end that moves
-- later makes them valid again.
alter table invalidation
  add column by_end boolean not null default false;
