import type { CustomerStatus, Tso } from '@saldo/api';
import { forEachViewer, perViewer, tenantValues, type Viewer, viewedBy } from '../../auth/viewer.ts';
import { type Db, hotStatement, statement, type Tx } from '../../db/database.ts';
import { filteredList, PAGE_ROWS } from '../../db/filtered-list.ts';
import { newId } from '../../db/new-id.ts';
import { timestamp, timestampOrNull } from '../../db/wire-types.ts';

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
};

export type CustomerFilter = {
  status: CustomerStatus | null;
  eic: string | null;
  tso: Tso | null;
  search: string | null;
};

const COLUMNS = `c.id, c.brp_no, b.id as brp_id, c.name, c.status, c.position_no, p.eic, p.tso, c.metadata,
  c.assigned_at, c.activated_at, c.created_at`;
const JOINED = 'join brp b on b.no = c.brp_no left join position p on p.no = c.position_no';

/** Subselects and no joins: a filter that is not given must not read the customer's position. */
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
  search: {
    type: 'text',
    condition: (search: string) =>
      `exists (select from unnest(c.search_terms) as term where strpos(term, ${search}) > 0)`,
  },
};

/**
 * $1 the id to go on after, $2 rows at most, $3 the viewer's BRP. A balance group has a position per control area, and
 * each position has its customers in order in an index. Positions and their customers are of the same BRP.
 */
function customerList(kind: Viewer['kind']) {
  const page = (tenant: string | null, where: string) =>
    `(select c.* from customer c
      where ${tenant === null ? '' : `${tenant} and `}c.id > $1 and ${where} order by c.id limit ${PAGE_ROWS})`;
  const tenant = kind === 'brp' ? 'c.brp_no = $3' : null;
  return filteredList({
    make: statement,
    name: viewedBy(kind, 'list_customers'),
    ownParameters: kind === 'brp' ? 3 : 2,
    filters: FILTERS,
    leads: ['eic', 'status'],
    text: (where, lead, parameterOf) => {
      const ofPosition = `${tenant ?? 'c.brp_no = p.brp_no'} and c.position_no = p.no`;
      const customers =
        lead === 'eic'
          ? `(select c.* from position p, lateral ${page(ofPosition, where)} c where p.eic = ${parameterOf('eic')})`
          : page(tenant, where);
      return `select ${COLUMNS} from ${customers} c ${JOINED} order by c.id limit $2`;
    },
  });
}
const LISTS = forEachViewer(customerList);

export async function listCustomers(
  db: Db,
  viewer: Viewer,
  filter: CustomerFilter,
  page: { after: string; count: number },
): Promise<CustomerRow[]> {
  const own = [page.after, page.count, ...tenantValues(viewer)];
  const search = filter.search === null ? null : foldCase(filter.search);
  return db.query<CustomerRow>(...LISTS[viewer.kind](own, { ...filter, search }));
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
 * Holds the customer for this transaction: of two changes at once, the second sees what the first one did. It is read
 * only once it is held; a single statement would have joined it to the position that it had before the wait.
 */
export async function lockCustomer(tx: Tx, viewer: Viewer, id: string): Promise<CustomerRow | null> {
  await tx.query(LOCK[viewer.kind], [id, ...tenantValues(viewer)]);
  return findCustomer(tx, viewer, id);
}

const UPDATE = perViewer(
  statement,
  'update_customer',
  'brp_no = $10',
  (andTenant) => `update customer
   set status = $2, position_no = $3, metadata = $4, search_terms = $5, activated_at = $6, name = $7, brp_no = $8,
     assigned_at = $9
   where id = $1${andTenant}
   returning metadata`,
);

/** Gives the customer back as it will be read from now on: the database has an order of its own for metadata keys. */
export async function saveCustomer(tx: Tx, viewer: Viewer, row: CustomerRow): Promise<CustomerRow> {
  const [saved] = await tx.query<Pick<CustomerRow, 'metadata'>>(UPDATE[viewer.kind], [
    row.id,
    row.status,
    row.position_no,
    JSON.stringify(row.metadata),
    searchTerms(row),
    timestampOrNull(row.activated_at),
    row.name,
    row.brp_no,
    timestamp(row.assigned_at),
    ...tenantValues(viewer),
  ]);
  return { ...row, ...saved };
}

const INSERT = statement(
  'insert_customer',
  `insert into customer (id, brp_no, name, status, position_no, metadata, search_terms, assigned_at, created_at)
   values ($1, $2, $3, 'pending', $4, $5, $6, $7, $7)`,
);

export async function insertCustomer(
  tx: Tx,
  customer: { brpNo: number; name: string; positionNo: number | null; metadata: Record<string, string> },
  now: number,
): Promise<string> {
  const id = newId();
  await tx.query(INSERT, [
    id,
    customer.brpNo,
    customer.name,
    customer.positionNo,
    JSON.stringify(customer.metadata),
    searchTerms(customer),
    timestamp(now),
  ]);
  return id;
}

export type PositionRow = { no: number | null; enabled: boolean | null };

const FIND_POSITION = statement(
  'find_own_position',
  `select p.no, p.enabled
   from balance_group g left join position p on p.eic = g.eic and p.tso = $3
   where g.brp_no = $1 and g.eic = $2`,
);

/** Null when the balance group is not this BRP's; without a number when it never had this TSO. */
export async function findOwnPosition(
  db: Db,
  brp: { readonly brpNo: number },
  eic: string,
  tso: Tso,
): Promise<PositionRow | null> {
  const [row] = await db.query<PositionRow>(FIND_POSITION, [brp.brpNo, eic, tso]);
  return row ?? null;
}

/** Upper and lower case are folded here, so that every database finds the same. In capitals, ß is SS. */
const foldCase = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll('ß', 'ss');

const searchTerms = (customer: { name: string; metadata: Record<string, string> }) =>
  [customer.name, ...Object.values(customer.metadata)].map(foldCase);
