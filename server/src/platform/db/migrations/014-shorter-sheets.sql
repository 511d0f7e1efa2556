-- Arrays of a sheet may have a single element, which is the same for all its transactions. The volumes of a moved
-- customer are corrected whole, so nearly all of their sheets are stored this way.
create function sheet_element(elements smallint[], slot int) returns smallint
language sql immutable parallel safe as $$
  select elements[case when cardinality(elements) = 1 then 1 else slot end]
$$;

create or replace view transaction as
select
  typeid('txn', encode(set_byte(uuid_send(s.id), 15, cell.slot), 'hex')::uuid) as id,
  typeid('con', c.id) as contract_id,
  (array['valid', 'invalid', 'superseded'])[coalesce(sheet_element(s.statuses, cell.slot), 0) + 1] as status,
  coalesce(sheet_element(s.versions, cell.slot), 1) as version,
  (select typeid('txn', encode(set_byte(uuid_send(p.id), 15, cell.slot), 'hex')::uuid)
   from sheet p
   where p.contract_no = s.contract_no and p.delivery_day = s.delivery_day
     and p.revision = sheet_element(s.previous, cell.slot)) as previous_transaction_id,
  sender.eic as sender_eic,
  sender.tso as sender_tso,
  typeid('ast', c.asset_id) as asset_id,
  receiver.eic as receiver_eic,
  receiver.tso as receiver_tso,
  s.delivery_day,
  cell.slot as slot_number,
  (s.delivery_day::timestamp at time zone 'Europe/Berlin') + (cell.slot - 1) * interval '15 minutes' as delivery_start,
  (s.delivery_day::timestamp at time zone 'Europe/Berlin') + cell.slot * interval '15 minutes' as delivery_end,
  cell.volume * 0.001 as volume,
  s.created_at
from sheet s
join contract c on c.no = s.contract_no
join position sender on sender.no = s.sender_position
join position receiver on receiver.no = s.receiver_position
cross join lateral generate_series(1, sheet_slots(s.volumes)) as day_slot (slot)
cross join lateral (select day_slot.slot, sheet_volume(s.volumes, day_slot.slot) as volume) as cell
where cell.volume is not null;
