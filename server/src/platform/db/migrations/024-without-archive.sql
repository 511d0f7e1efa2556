-- Saldo no longer archives months. Only the version that archived a month can read its files.
do $$
declare
  months text := (select string_agg(to_char(month, 'YYYY-MM'), ', ' order by month) from archive);
begin
  if months is not null then
    raise exception 'Months are archived (%), and this version of Saldo cannot read their files. Bring each of them back with the version of Saldo that you used before: saldo archive restore <month>. Then start this version, or make a new backup.', months;
  end if;
end $$;

drop table archived_id;
drop table archive;

-- The foreign keys that 021 dropped. No nomination is deleted any more, so their columns need no index.
alter table schedule_series add foreign key (nomination_id) references nomination;
alter table nomination add foreign key (previous_id) references nomination;
