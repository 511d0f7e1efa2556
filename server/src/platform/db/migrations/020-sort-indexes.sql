-- Indexes of the sorted lists. The id is part of each order, so that a page can continue after any record.

-- The sort key of a text: without upper case and accents, so that Ä comes with A, in every locale of the database. It is
-- compared with the collation "C". The body is parsed here: PostgreSQL builds indexes without the search path.
create function sort_text(value text) returns text
language sql immutable strict parallel safe
return regexp_replace(normalize(search_fold(value), nfkd), '[\u0300-\u036f]', '', 'g');

create index customer_by_name on customer (sort_text(name) collate "C", id);
create index customer_of_brp_by_name on customer (brp_no, sort_text(name) collate "C", id);
create index contract_by_reference on contract (sort_text(external_id) collate "C", id);
create index contract_by_start on contract (coalesce(delivery_start, 'infinity'), id);
create index asset_by_name on asset (sort_text(name) collate "C", id);
create index asset_by_power on asset (nominal_power_kw, id);
