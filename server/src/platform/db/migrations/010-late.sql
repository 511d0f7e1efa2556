-- Position-days whose valid transactions differ from what is nominated, because every gate is past or because the
-- bridges between control areas are frozen. Only the differing slots, signed and in kWh: delivering is positive. A row
-- is deleted when both agree again.
create table late_position_day (
  delivery_day date not null,
  position_no int not null references position,
  brp_no int not null references brp,
  slots smallint[] not null,
  nominated bigint[] not null,
  transactions bigint[] not null,
  -- When the first of the differences arose.
  since timestamptz not null,
  primary key (delivery_day, position_no)
);
create index late_position_day_of_brp on late_position_day (brp_no, delivery_day, position_no);

-- Set when a slot closed before the schedule with a change between control areas was made: for closed slots the change
-- counts from then on, not from its creation. Null for nearly all.
alter table sheet add column late_at timestamptz;
alter table invalidation add column late_at timestamptz;
