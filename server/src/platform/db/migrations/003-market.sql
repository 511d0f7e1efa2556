-- The marketplace of the customer API: offers of assets, demands, and cover images.

create type offer_ppa_type as enum ('PAY_AS_PRODUCED', 'PAY_AS_FORECASTED', 'PAY_AS_NOMINATED');

-- What is published gets the next number of its list, and so does every withdrawal. Whoever takes a number holds the
-- row until commit: numbers become visible in their order, so that a number names a state of the list.
create table market_list (
  name text primary key,
  version int not null
);
insert into market_list (name, version) values ('assets', 0), ('demands', 0);

-- What was taken off a list, so that the list can still be cut as it was before.
create table market_withdrawal (
  list text not null references market_list,
  version int not null,
  published_no int not null,
  primary key (list, version)
);

-- Named after their content, so that an address never shows anything else.
create table cover (
  name text primary key,
  media_type text not null,
  width int not null,
  height int not null,
  bytes bytea not null,
  created_at timestamptz not null
);
-- Images are compressed already.
alter table cover alter column bytes set storage external;

-- The second face of an asset. Prices are in cents, by duration.
create table offer (
  published_no int primary key,
  asset_id uuid not null unique references asset,
  published_at timestamptz not null,
  ppa_type offer_ppa_type not null,
  average_annual_kwh bigint,
  delivery_start timestamptz not null,
  additional_info text,
  state text,
  country text not null,
  cover_name text references cover,
  cover_url text,
  price_years int[] not null,
  price_cents int[] not null,
  check (cover_name is null or cover_url is null),
  check (cardinality(price_years) > 0 and cardinality(price_years) = cardinality(price_cents))
);

create table demand (
  published_no int primary key,
  id uuid not null unique,
  published_at timestamptz not null,
  contract_years int not null,
  annual_kwh bigint not null,
  additional_info text,
  country text not null,
  state text,
  delivery_start timestamptz
);
