-- Placements: the balance group of a customer by delivery day. Contracts and their volumes follow them.

-- Without gaps between a customer's first and last placement, unless the customer had no balance group for a time. The
-- first placement holds from -infinity on, the newest one to infinity.
create table placement (
  customer_id uuid not null references customer,
  first_day date not null,
  last_day date not null default 'infinity',
  position_no int not null references position,
  primary key (customer_id, first_day),
  check (first_day <= last_day)
);
create index placement_of_position on placement (position_no, last_day);

-- The first delivery day of a deactivation; null unless the customer is deactivated.
alter table customer add column deactivated_from date;

-- A contract names the newest balance group of each side, in force from this delivery day on.
alter table contract add column seller_from date not null default '-infinity';
alter table contract add column buyer_from date not null default '-infinity';
-- Whether both customers have been activated at least once.
alter table contract add column is_activated boolean not null default false;
-- The first delivery day on which one of the customers counts as deactivated; null without one.
alter table contract add column rests_from date;
create index contract_of_seller on contract (seller_customer);
create index contract_of_buyer on contract (buyer_customer);

-- The position of a contract's seller or buyer before the newest one, for the days of its own placement. A last day
-- before the first one: the position was replaced before its first day, and superseded transactions still name it.
create table former_party (
  contract_no int not null references contract,
  contract_id uuid not null,
  is_seller boolean not null,
  first_day date not null,
  last_day date not null,
  position_no int not null references position,
  brp_no int not null references brp,
  primary key (contract_no, is_seller, first_day, position_no)
);
create index former_party_of_brp on former_party (brp_no, contract_id);
create index former_party_of_position on former_party (position_no, last_day);

-- One row for all transactions of a sheet that became invalid together.
alter table invalidation add column slots smallint[];
update invalidation set slots = array[slot];
alter table invalidation alter column slots set not null;
alter table invalidation drop column slot;
-- The customer whose deactivation made the transactions invalid; null for an act of the operator.
alter table invalidation add column customer_id uuid references customer;

-- The time of the platform, which a sandbox may have moved.
create temporary table platform_time on commit drop as
select now() + coalesce((select offset_ms from sandbox_clock), 0) * interval '1 millisecond' as at;

-- Existing customers are placed where they are now. One without a balance group keeps that of its newest contract, so
-- that the contract's days can still be corrected.
insert into placement (customer_id, first_day, position_no)
select id, '-infinity', position_no from customer where position_no is not null;
insert into placement (customer_id, first_day, position_no)
select distinct on (of_customer.customer_id) of_customer.customer_id, date '-infinity', of_customer.position_no
from contract c
cross join lateral (values (c.seller_customer, c.seller_position), (c.buyer_customer, c.buyer_position))
  as of_customer (customer_id, position_no)
join customer on customer.id = of_customer.customer_id and customer.position_no is null
order by of_customer.customer_id, c.no desc;

-- A contract that differs from its customer's balance group keeps its own until its last stored day, at least for today.
create temporary table moved_party on commit drop as
select c.no, c.id, side.is_seller, side.old_position, old.brp_no as old_brp, p.position_no,
  now_in.brp_no, now_in.eic, now_in.tso,
  greatest((at at time zone 'Europe/Berlin')::date, (select max(delivery_day) from sheet where contract_no = c.no))
    as last_day
from platform_time, contract c
cross join lateral (values (true, c.seller_customer, c.seller_position), (false, c.buyer_customer, c.buyer_position))
  as side (is_seller, customer_id, old_position)
join placement p on p.customer_id = side.customer_id and p.position_no <> side.old_position
join position old on old.no = side.old_position
join position now_in on now_in.no = p.position_no;

insert into former_party (contract_no, contract_id, is_seller, first_day, last_day, position_no, brp_no)
select no, id, is_seller, '-infinity', last_day, old_position, old_brp from moved_party;
update contract c set seller_position = m.position_no, seller_brp = m.brp_no, seller_eic = m.eic, seller_tso = m.tso,
  seller_from = m.last_day + 1
from moved_party m where m.no = c.no and m.is_seller;
update contract c set buyer_position = m.position_no, buyer_brp = m.brp_no, buyer_eic = m.eic, buyer_tso = m.tso,
  buyer_from = m.last_day + 1
from moved_party m where m.no = c.no and not m.is_seller;

-- Until now pending customers were nominated like active ones. Those whose contracts have not ended go on, and the audit
-- trail says why. Deactivated ones were nominated too: their stored volumes stay, new ones are not taken from the day
-- after tomorrow on.
create temporary table activated_customer on commit drop as
select c.id from customer c
where c.status = 'pending' and c.activated_at is null and c.id in (
  select unnest(array[k.seller_customer, k.buyer_customer]) from contract k
  where k.delivery_end is null or k.delivery_end > (select at from platform_time));
insert into audit (at, actor, action, subject, before, after)
select t.at, 'migration', 'customer.updated', typeid('cust', c.id),
  jsonb_build_object('status', 'pending', 'activated_at', null),
  jsonb_build_object('status', 'active', 'activated_at',
    to_char(t.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'reason', 'The customer has contracts that have not ended, and was nominated without having been activated.')
from activated_customer a join customer c on c.id = a.id, platform_time t;
update customer c set status = 'active', activated_at = t.at
from activated_customer a, platform_time t where a.id = c.id;

update customer set deactivated_from = (
  select (at at time zone 'Europe/Berlin')::date + 2 from platform_time)
where status = 'deactivated';

-- Contracts that have ended delivered without activation, and stay completed.
update contract c set
  is_activated = s.activated_at is not null and b.activated_at is not null
    or c.delivery_end <= (select at from platform_time),
  rests_from = least(s.deactivated_from, b.deactivated_from)
from customer s, customer b where s.id = c.seller_customer and b.id = c.buyer_customer;

-- A transaction shows the balance groups that it was made with.
create or replace view transaction as
select
  typeid('txn', encode(set_byte(uuid_send(s.id), 15, cell.slot), 'hex')::uuid) as id,
  typeid('con', c.id) as contract_id,
  (array['valid', 'invalid', 'superseded'])[coalesce(s.statuses[cell.slot], 0) + 1] as status,
  coalesce(s.versions[cell.slot], 1) as version,
  (select typeid('txn', encode(set_byte(uuid_send(p.id), 15, cell.slot), 'hex')::uuid)
   from sheet p
   where p.contract_no = s.contract_no and p.delivery_day = s.delivery_day
     and p.revision = s.previous[cell.slot]) as previous_transaction_id,
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
