import type { CustomerSort, CustomerStatus, Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { forEachViewer, perViewer, tenantValues, type Viewer, viewedBy } from '../platform/auth/viewer.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { type FilterValues, filteredList, PAGE_ROWS } from '../platform/db/filtered-list.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow, updateRow } from '../platform/db/rows.ts';
import { searchFilter, searchPage } from '../platform/db/search.ts';
import { BY_ID, type ListStart, type Sorting, sortedLists, textKey } from '../platform/db/sorted-list.ts';
import { hotStatement, statement } from '../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';
import { recordPlacements } from './placements.ts';

export type CustomerRow = {
  id: string;
  brp_no: number;
  brp_id: string;
  name: string;
  status: CustomerStatus;
  position_no: number | null;
  eic: string | null;
  tso: Tso | null;
  metadata: Record<string, string>;
  assigned_at: number;
  activated_at: number | null;
  created_at: number;
  /** The first day of a deactivation; null unless the customer is deactivated. */
  deactivated_from: DeliveryDay | null;
};

const COLUMNS = `c.id, c.brp_no, b.id as brp_id, c.name, c.status, c.position_no, p.eic, p.tso, c.metadata,
  c.assigned_at, c.activated_at, c.created_at, c.deactivated_from`;
const JOINED = 'join brp b on b.no = c.brp_no left join position p on p.no = c.position_no';

/**
 * By the names of the query parameters. Subselects instead of joins, so that a list without these filters does not read
 * the customer's position.
 */
const FILTERS = {
  status: { type: 'customer_status', condition: (status: string) => `c.status = ${status}` },
  eic: {
    type: 'text',
    condition: (eic: string) => `(select p.eic from position p where p.no = c.position_no) = ${eic}`,
  },
  tso: {
    type: 'tso',
    condition: (tso: string) => `(select p.tso from position p where p.no = c.position_no) = ${tso}`,
  },
  search: searchFilter('c.search_text'),
};
type CustomerFilter = FilterValues<keyof typeof FILTERS>;

/**
 * $1 id of the last row on the previous page, $2 row limit, $3 the viewer's BRP; a sorted list has the value of its key
 * before it. A balance group has one position per
 * control area, and an index orders the customers of each position. A position and its customers have the same BRP.
 */
function customerList(kind: Viewer['kind'], suffix = '', order = BY_ID) {
  const isSorted = order !== BY_ID;
  const page = (tenant: string | null, where: string) =>
    `(select c.* from customer c
      where ${tenant === null ? '' : `${tenant} and `}${order.beyond('c')} and ${where} order by ${order.by('c')} limit ${PAGE_ROWS})`;
  const ownParameters = (isSorted ? 3 : 2) + (kind === 'brp' ? 1 : 0);
  const tenant = kind === 'brp' ? `c.brp_no = $${ownParameters}` : null;
  const leads = kind === 'brp' ? (['eic', 'status'] as const) : (['eic', 'search', 'status'] as const);
  const sortedLeads = kind === 'brp' ? (['eic'] as const) : (['eic', 'search'] as const);
  return filteredList({
    make: statement,
    name: viewedBy(kind, `list_customers${suffix}`),
    ownParameters,
    filters: FILTERS,
    leads: isSorted ? sortedLeads : leads,
    text: (where, lead, parameterOf) => {
      const ofPosition = `${tenant ?? 'c.brp_no = p.brp_no'} and c.position_no = p.no`;
      const customers =
        lead === 'eic'
          ? `(select c.* from position p, lateral ${page(ofPosition, where)} c where p.eic = ${parameterOf('eic')})`
          : lead === 'search'
            ? searchPage('customer', 'c', parameterOf('search'), where, order)
            : page(tenant, where);
      return `select ${COLUMNS} from ${customers} c ${JOINED} order by ${order.by('c')} limit $2`;
    },
  });
}
const LISTS = forEachViewer((kind) => customerList(kind));

const SORTED_LISTS = sortedLists(
  { name: textKey<CustomerRow>('name', ({ name }) => name) },
  '$3',
  (suffix, order) => forEachViewer((kind) => customerList(kind, suffix, order)),
);

export const CUSTOMER_SORTINGS: Readonly<Record<CustomerSort, Sorting<CustomerRow>>> = SORTED_LISTS;

export async function listCustomers(
  db: Db,
  viewer: Viewer,
  filter: CustomerFilter,
  { after, value, count }: ListStart,
  sort?: CustomerSort,
): Promise<CustomerRow[]> {
  const own = [after, count, ...(sort ? [value] : []), ...tenantValues(viewer)];
  const list = (sort ? SORTED_LISTS[sort].list : LISTS)[viewer.kind];
  return db.query<CustomerRow>(...list(own, filter));
}

const FIND = perViewer(
  hotStatement,
  'find_customer',
  'c.brp_no = $2',
  (andTenant) => `select ${COLUMNS} from customer c ${JOINED} where c.id = $1${andTenant}`,
);
const LOCK = perViewer(
  statement,
  'lock_customer',
  'brp_no = $2',
  (andTenant) => `select from customer where id = $1${andTenant} for update`,
);

export async function findCustomer(db: Db, viewer: Viewer, id: string): Promise<CustomerRow | null> {
  const [row] = await db.hot.query<CustomerRow>(FIND[viewer.kind], [id, ...tenantValues(viewer)]);
  return row ?? null;
}

/**
 * Locks the customer for this transaction, so that concurrent changes are serialised. Locking and reading are separate
 * statements: a single one would join the position that the customer had before the wait for the lock.
 */
export async function lockCustomer(tx: Tx, viewer: Viewer, id: string): Promise<CustomerRow | null> {
  await tx.query(LOCK[viewer.kind], [id, ...tenantValues(viewer)]);
  return findCustomer(tx, viewer, id);
}

/** Returns the customer as later reads will return it: jsonb reorders the metadata keys. */
export async function saveCustomer(tx: Tx, viewer: Viewer, row: CustomerRow): Promise<CustomerRow> {
  const [saved] = await updateRow<Pick<CustomerRow, 'metadata'>>(
    tx,
    'customer',
    { id: row.id, ...(viewer.kind === 'brp' ? { brp_no: viewer.brpNo } : {}) },
    {
      status: row.status,
      position_no: row.position_no,
      metadata: JSON.stringify(row.metadata),
      activated_at: timestampOrNull(row.activated_at),
      name: row.name,
      brp_no: row.brp_no,
      assigned_at: timestamp(row.assigned_at),
      deactivated_from: row.deactivated_from,
    },
    'returning metadata',
  );
  return { ...row, ...saved };
}

export type NewCustomerRow = Pick<CustomerRow, 'brp_no' | 'name'> & {
  status?: 'pending' | 'active' | undefined;
  position_no?: number | null;
  metadata?: Record<string, string> | undefined;
};

/** Creates a customer, and with a balance group its first placement. */
export async function insertCustomer(tx: Tx, customer: NewCustomerRow, now: number): Promise<string> {
  const { status = 'pending', position_no = null, metadata = {} } = customer;
  const [id, at] = [newId(), timestamp(now)];
  await insertRow(tx, 'customer', {
    ...customer,
    ...{ id, status, position_no, assigned_at: at, created_at: at },
    metadata: JSON.stringify(metadata),
    activated_at: status === 'active' ? at : null,
  });
  if (position_no !== null) {
    await insertRow(tx, 'placement', { customer_id: id, first_day: '-infinity', position_no });
    await recordPlacements(tx, id, now);
  }
  return id;
}

export type PositionRow = { no: number | null; enabled: boolean | null };

const FIND_POSITION = statement(
  'find_own_position',
  `select p.no, p.enabled
   from balance_group g left join position p on p.eic = g.eic and p.tso = $3
   where g.brp_no = $1 and g.eic = $2`,
);

/** Null when the balance group does not belong to this BRP. `no` is null when the group never had this TSO. */
export async function findOwnPosition(
  db: Db,
  brp: { readonly brpNo: number },
  eic: string,
  tso: Tso,
): Promise<PositionRow | null> {
  const [row] = await db.query<PositionRow>(FIND_POSITION, [brp.brpNo, eic, tso]);
  return row ?? null;
}

const LOCK_GROUP = statement(
  'lock_own_balance_group',
  'select from balance_group where brp_no = $1 and eic = $2 for share',
);

/**
 * Locks the balance group for this transaction, then reads the position: a concurrent change of the enabled TSOs happens
 * entirely before or after the placement. The lock is shared, so that customers can be placed concurrently.
 */
export async function lockOwnPosition(
  tx: Tx,
  brp: { readonly brpNo: number },
  eic: string,
  tso: Tso,
): Promise<PositionRow | null> {
  await tx.query(LOCK_GROUP, [brp.brpNo, eic]);
  return findOwnPosition(tx, brp, eic, tso);
}
