import type { Asset, Contract, ContractSort, Tso } from '@saldo/api';
import type { Profile } from '@saldo/core/contracts/profile.ts';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { SourcedContract } from '@saldo/core/series/source.ts';
import { forEachViewer, tenantValues, type Viewer, viewedBy } from '../platform/auth/viewer.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { type FilterValues, filteredList, PAGE_ROWS } from '../platform/db/filtered-list.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow } from '../platform/db/rows.ts';
import { searchFilter, searchPage } from '../platform/db/search.ts';
import { type ListStart, type Sorting, sortedLists, textKey } from '../platform/db/sorted-list.ts';
import { hotStatement, statement } from '../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';

/** The terms of a PPA that are stored, read and shown as the operator gave them, with their values if it gave none. */
const NO_TERMS = {
  ppa_type: null as (Contract['ppa_type'] & string) | null,
  period: null as string | null,
  delivery_profile: null as string | null,
};
export const TERMS = Object.keys(NO_TERMS) as (keyof typeof NO_TERMS)[];

export type ContractRow = typeof NO_TERMS & {
  no: number;
  id: string;
  external_id: string;
  type: Contract['type'];
  delivery_start: number | null;
  delivery_end: number | null;
  seller_name: string;
  seller_eic: string;
  seller_tso: Tso;
  buyer_name: string;
  buyer_eic: string;
  buyer_tso: Tso;
  created_at: number;
  asset_id: string | null;
  asset_name: string;
  asset_power_kw: number;
  asset_technology: Asset['technology'];
  asset_tso: Tso;
  /** Whether both customers have been activated at least once. */
  is_activated: boolean;
  /** The newest source, with the ids of its series. Read for the operator only. */
  source?: SourceColumn | null;
};
export type SourceColumn = {
  forecast: string | null;
  meter: string | null;
  share_millionths: number;
  max_power_kw: number | null;
};

const COLUMNS = `c.no, c.id, c.external_id, c.type, c.delivery_start, c.delivery_end,
  c.seller_name, c.seller_eic, c.seller_tso, c.buyer_name, c.buyer_eic, c.buyer_tso,
  ${TERMS.map((name) => `c.${name}`).join(', ')}, c.created_at, c.asset_id,
  a.name as asset_name, a.nominal_power_kw as asset_power_kw, a.technology as asset_technology, a.tso as asset_tso,
  c.is_activated`;
const SOURCE = `(
    select json_build_object('forecast', (select f.id from series f where f.no = s.forecast_no),
      'meter', (select m.id from series m where m.no = s.meter_no),
      'share_millionths', s.share_millionths, 'max_power_kw', s.max_power_kw)
    from contract_source s where s.contract_no = c.no order by s.first_day desc limit 1
  ) as source`;
const OPERATOR_COLUMNS = `${COLUMNS}, ${SOURCE}`;
const COLUMNS_OF = { operator: OPERATOR_COLUMNS, brp: COLUMNS };

/** Must agree with the status function in core: the status of a contract at the time $3. */
const STATUS = `case
    when not c.is_activated or c.delivery_start is null or c.delivery_start > $3 then 'pending'
    when c.delivery_end <= $3 then 'completed'
    else 'in_progress'
  end`;

/** By the names of the query parameters. `active_from` and `active_until` are a half-open interval of delivery. */
const FILTERS = {
  external_id: { type: 'text', condition: (id: string) => `c.external_id = ${id}` },
  eic: { type: 'text', condition: (eic: string) => `(c.seller_eic = ${eic} or c.buyer_eic = ${eic})` },
  status: { type: 'text', condition: (status: string) => `${STATUS} = ${status}` },
  type: { type: 'contract_type', condition: (type: string) => `c.type = ${type}` },
  delivery_start: { type: 'timestamptz', condition: (start: string) => `c.delivery_start >= ${start}` },
  delivery_end: { type: 'timestamptz', condition: (end: string) => `c.delivery_end <= ${end}` },
  active_from: {
    type: 'timestamptz',
    condition: (start: string) => `(c.delivery_end > ${start} or c.delivery_end is null)`,
  },
  active_until: { type: 'timestamptz', condition: (end: string) => `c.delivery_start < ${end}` },
  search: searchFilter('c.search_text'),
};
type ContractFilter = FilterValues<keyof typeof FILTERS>;

/**
 * Whether the contract delivered on a day of a former party. A party that was replaced before its first day still has
 * superseded transactions.
 */
const delivered = (contract: string) => `(f.last_day < f.first_day or (
    ${contract}.delivery_start < ((f.last_day + 1)::timestamp at time zone 'Europe/Berlin')
    and coalesce(${contract}.delivery_end > (f.first_day::timestamp at time zone 'Europe/Berlin'), true)))`;

/** Whether a BRP sees a contract: one of the two balance groups is its own, or was while the contract delivered. */
export const seenBy = (contract: string, brpNo: string) =>
  `(${contract}.seller_brp = ${brpNo} or ${contract}.buyer_brp = ${brpNo} or exists (
    select from former_party f
    where f.brp_no = ${brpNo} and f.contract_id = ${contract}.id and ${delivered(contract)}))`;

/**
 * One condition per scan of a BRP's contracts. The conditions exclude each other, so that no contract is listed twice.
 */
const ofBrp = (eic: string | null) =>
  eic === null
    ? ['c.seller_brp = $4', 'c.buyer_brp = $4 and c.seller_brp <> c.buyer_brp']
    : [
        `c.seller_brp = $4 and c.seller_eic = ${eic}`,
        `c.seller_brp = $4 and c.buyer_eic = ${eic} and c.seller_eic <> c.buyer_eic`,
        `c.buyer_brp = $4 and c.seller_eic = ${eic} and c.seller_brp <> c.buyer_brp`,
        `c.buyer_brp = $4 and c.buyer_eic = ${eic} and c.seller_brp <> c.buyer_brp`,
      ];

/** All contracts of a balance group belong to its BRP, so the operator's filter by EIC can use the indexes by BRP. */
function ofAnyBrp(eic: string | null): string[] {
  if (eic === null) return ['true'];
  const owner = `(select brp_no from balance_group where eic = ${eic})`;
  return [
    `c.seller_brp = ${owner} and c.seller_eic = ${eic}`,
    `c.buyer_brp = ${owner} and c.buyer_eic = ${eic} and c.seller_eic <> c.buyer_eic`,
  ];
}

/** Contracts that a BRP had a part in and has none in now. A contract may have several former parties of one BRP. */
const formerContracts = (where: string) => `(
  select c.* from (
    select distinct on (f.contract_id) f.contract_no from former_party f
    where f.brp_no = $4 and f.contract_id > $1 and exists (
      select from contract c
      where c.no = f.contract_no and ${delivered('c')} and c.seller_brp <> $4 and c.buyer_brp <> $4 and ${where})
    order by f.contract_id limit ${PAGE_ROWS}
  ) f join contract c on c.no = f.contract_no)`;

/**
 * $1 id of the last row on the previous page, $2 row limit, $3 current time, $4 the viewer's BRP. Merges one ordered
 * scan per side of the contract, because one scan with an OR would read the whole market.
 */
function contractList(kind: Viewer['kind']) {
  return filteredList({
    make: statement,
    name: viewedBy(kind, 'list_contracts'),
    ownParameters: kind === 'brp' ? 4 : 3,
    filters: FILTERS,
    leads: kind === 'brp' ? ['eic'] : ['external_id', 'eic', 'search'],
    text: (where, lead, parameterOf) => {
      const page = (contracts: string) => `select ${COLUMNS_OF[kind]} from ${contracts} c
        left join asset a on a.id = c.asset_id order by c.id limit $2`;
      if (lead === 'search') return page(searchPage('contract', 'c', parameterOf('search'), where));
      const sides = (kind === 'brp' ? ofBrp : ofAnyBrp)(lead === 'eic' ? parameterOf('eic') : null);
      const scans = sides.map(
        (side) => `(select c.* from contract c
          where ${side} and c.id > $1 and ${where} order by c.id limit ${PAGE_ROWS})`,
      );
      if (kind === 'brp') scans.push(formerContracts(where));
      return page(`(${scans.join(' union all ')})`);
    },
  });
}
const LISTS = forEachViewer(contractList);

const SORT_KEYS = {
  external_id: textKey<ContractRow>('external_id', ({ external_id }) => external_id),
  // Contracts without a start come last.
  delivery_start: {
    column: 'delivery_start',
    expression: (value: string) => `coalesce(${value}, 'infinity'::timestamptz)`,
    valueOf: ({ delivery_start: start }: ContractRow) => (start === null ? 'infinity' : timestamp(start)),
    bounds: ['-infinity', 'infinity'] as const,
  },
};

/** The contracts of all BRPs: $1 to $3 as above, $4 value of the sort key. */
const SORTED_LISTS = sortedLists(SORT_KEYS, '$4', (suffix, order) =>
  filteredList({
    make: statement,
    name: `list_contracts${suffix}`,
    ownParameters: 4,
    filters: FILTERS,
    leads: ['external_id', 'search'],
    text: (where, lead, parameterOf) => {
      const contracts =
        lead === 'search'
          ? searchPage('contract', 'c', parameterOf('search'), where, order)
          : `(select c.* from contract c where ${order.beyond('c')} and ${where}
              order by ${order.by('c')} limit ${PAGE_ROWS})`;
      return `select ${OPERATOR_COLUMNS} from ${contracts} c left join asset a on a.id = c.asset_id
        order by ${order.by('c')} limit $2`;
    },
  }),
);
export const CONTRACT_SORTINGS: Readonly<Record<ContractSort, Sorting<ContractRow>>> = SORTED_LISTS;

/** Only the list of all BRPs can be sorted. */
export async function listContracts(
  db: Db,
  viewer: Viewer,
  filter: ContractFilter,
  { after, value, count }: ListStart,
  now: number,
  sort?: ContractSort,
): Promise<ContractRow[]> {
  const own = [after, count, timestamp(now)];
  return db.query<ContractRow>(
    ...(sort && viewer.kind === 'operator'
      ? SORTED_LISTS[sort].list([...own, value], filter)
      : LISTS[viewer.kind]([...own, ...tenantValues(viewer)], filter)),
  );
}

const FIND = forEachViewer((kind) =>
  hotStatement(
    viewedBy(kind, 'find_contract'),
    `select ${COLUMNS_OF[kind]}
     from contract c left join asset a on a.id = c.asset_id
     where c.id = $1${kind === 'brp' ? ` and ${seenBy('c', '$2')}` : ''}`,
  ),
);

export async function findContract(db: Db, viewer: Viewer, id: string): Promise<ContractRow | null> {
  const [row] = await db.hot.query<ContractRow>(FIND[viewer.kind], [id, ...tenantValues(viewer)]);
  return row ?? null;
}

export type NewContract = Pick<ContractRow, 'external_id' | 'type'> & {
  seller_customer: string;
  buyer_customer: string;
  profile?: Profile | null;
} & Partial<typeof NO_TERMS & Pick<ContractRow, 'delivery_start' | 'delivery_end' | 'asset_id'>>;

/** The BRPs of the two parties. */
export type ContractBrps = { seller_brp: number; buyer_brp: number };

const FIND_PARTIES = statement(
  'find_contract_parties',
  `select c.id as customer, c.name, p.eic, p.tso, p.no as position, p.brp_no as brp, l.first_day as "from",
     c.activated_at is not null as is_activated, c.deactivated_from
   from customer c join position p on p.no = c.position_no
     join placement l on l.customer_id = c.id and l.last_day = 'infinity'
   where c.id = any($1::uuid[])`,
);
type Party = { customer: string; brp: number; is_activated: boolean; deactivated_from: DeliveryDay | null };

/** What a contract copies from a customer. The name stays; the balance group follows the placements. */
function partyColumns(side: 'seller' | 'buyer', party: Party): Record<string, unknown> {
  const { is_activated: _activated, deactivated_from: _deactivated, ...copied } = party;
  return Object.fromEntries(Object.entries(copied).map(([name, value]) => [`${side}_${name}`, value]));
}

/** A contract may have days before the newest placement of a customer. */
const INSERT_FORMER_PARTIES = statement(
  'insert_former_parties',
  `insert into former_party (contract_no, contract_id, is_seller, first_day, last_day, position_no, brp_no)
   select c.no, c.id, l.customer_id = c.seller_customer, l.first_day, l.last_day, l.position_no, p.brp_no
   from contract c
   join placement l on l.customer_id in (c.seller_customer, c.buyer_customer) and l.last_day < 'infinity'
   join position p on p.no = l.position_no
   where c.no = $1`,
);

/** Null when one of the customers is unknown or has no balance group, or when the external id is taken. */
export async function insertContract(
  tx: Tx,
  contract: NewContract,
  now: number,
): Promise<(ContractBrps & { no: number; id: string }) | null> {
  const { seller_customer, buyer_customer, delivery_start = null, delivery_end = null, profile } = contract;
  const parties = await tx.query<Party>(FIND_PARTIES, [[seller_customer, buyer_customer]]);
  const seller = parties.find(({ customer }) => customer === seller_customer);
  const buyer = parties.find(({ customer }) => customer === buyer_customer);
  if (!seller || !buyer) return null;
  const restsFrom = [seller.deactivated_from, buyer.deactivated_from].filter((day) => day !== null);
  const row = {
    ...NO_TERMS,
    asset_id: null,
    ...contract,
    id: newId(),
    delivery_start: timestampOrNull(delivery_start),
    delivery_end: timestampOrNull(delivery_end),
    profile: profile ? JSON.stringify(profile) : null,
    created_at: timestamp(now),
    ...partyColumns('seller', seller),
    ...partyColumns('buyer', buyer),
    is_activated: seller.is_activated && buyer.is_activated,
    rests_from: restsFrom.toSorted()[0] ?? null,
  };
  const [made] = await insertRow<{ no: number }>(
    tx,
    'contract',
    row,
    'on conflict (external_id) do nothing returning no',
  );
  if (!made) return null;
  await tx.query(INSERT_FORMER_PARTIES, [made.no]);
  return { no: made.no, id: row.id, seller_brp: seller.brp, buyer_brp: buyer.brp };
}

export type PartyRow = { id: string; position_no: number | null };

/** Locks both customers, so that a concurrent change of their balance group happens entirely before or after. */
const LOCK_PARTIES = statement(
  'lock_contract_parties',
  'select id, position_no from customer where id = any($1::uuid[]) order by id for share',
);

export const lockParties = (tx: Tx, customerIds: readonly string[]): Promise<PartyRow[]> =>
  tx.query<PartyRow>(LOCK_PARTIES, [customerIds]);

/** `no key update` does not block inserts of sheets, which reference the contract by foreign key. */
const LOCK = statement('lock_contract', 'select from contract where id = $1 for no key update');

/** Locks the contract for this transaction, then reads it, so that the values are current. */
export async function lockContract(tx: Tx, viewer: Viewer, id: string): Promise<ContractRow | null> {
  await tx.query(LOCK, [id]);
  return findContract(tx, viewer, id);
}

const FIND_SOURCED = statement(
  'find_sourced_contract',
  'select no, ppa_type, profile is not null as has_profile, asset_id, buyer_customer from contract where id = $1',
);

/** The number of a contract, and the terms that its source has to fit. None of them ever changes. */
export async function findSourcedContract(
  tx: Tx,
  id: string,
): Promise<(SourcedContract & { readonly no: number }) | null> {
  const [row] = await tx.query<{
    no: number;
    ppa_type: string | null;
    has_profile: boolean;
    asset_id: string | null;
    buyer_customer: string;
  }>(FIND_SOURCED, [id]);
  if (!row) return null;
  const { no, ppa_type: ppaType, has_profile: hasProfile, asset_id: assetId } = row;
  return { no, ppaType, hasProfile, assetId, buyerId: row.buyer_customer };
}

const SET_DATES = statement(
  'set_contract_dates',
  'update contract set delivery_start = $2, delivery_end = $3 where no = $1 returning seller_brp, buyer_brp',
);

export async function saveContractDates(tx: Tx, row: ContractRow): Promise<ContractBrps> {
  const dates = [timestampOrNull(row.delivery_start), timestampOrNull(row.delivery_end)];
  const [brps] = await tx.query<ContractBrps>(SET_DATES, [row.no, ...dates]);
  if (!brps) throw new Error('a locked contract exists');
  return brps;
}
