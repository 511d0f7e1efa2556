-- A list reads the rows of its tenant and of its main filter, in its order and no others. Indexes below lead with the
-- tenant or the filter, and end with what the list is sorted by.

create index customer_of_brp_by_status on customer (brp_no, status, id);
create index customer_of_position on customer (brp_no, position_no, id) where position_no is not null;
create index customer_by_status on customer (status, id);

-- A contract is found by either side's balance group, as seller's and as buyer's.
create index contract_sold_from on contract (seller_brp, seller_eic, id);
create index contract_sold_to on contract (seller_brp, buyer_eic, id);
create index contract_bought_from on contract (buyer_brp, seller_eic, id) where seller_brp <> buyer_brp;
create index contract_bought_at on contract (buyer_brp, buyer_eic, id);

-- The operator's lists of the rare statuses, over all BRPs.
create index sheet_invalid on sheet (delivery_day, contract_no) where status_mask & 2 <> 0;
create index sheet_superseded on sheet (delivery_day, contract_no) where status_mask & 4 <> 0;
create index nomination_by_status on nomination (status, delivery_day, id);

-- EICs are sorted by their bytes, whatever the database's locale is.
create index balance_group_in_order on balance_group (eic collate "C");
create index balance_group_of_brp_in_order on balance_group (brp_no, eic collate "C");
drop index balance_group_of_brp;

create index api_key_of_brp on api_key (brp_no, id) where brp_no is not null;
create index api_key_of_account on api_key (account_no, id) where account_no is not null;
create index api_key_of_owner on api_key (owner, id);

create index app_user_of_role on app_user (role, id);

create index audit_of_action on audit (action, no);

create index message_of_state on message (state, id);
create index message_of_type on message (type, id);
create index message_of_tso on message (tso, id);

create index asset_of_technology on asset (technology, id);
create index asset_of_tso on asset (tso, id);

create index demand_of_country on demand (country, id);
