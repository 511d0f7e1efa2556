import type { CustomerStatus, Tso } from '@saldo/api';
import type { Viewer } from '../../auth/principal.ts';
import { type Db, statement, type Tx } from '../../db/database.ts';
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
const CUSTOMERS = 'customer c join brp b on b.no = c.brp_no left join position p on p.no = c.position_no';

const LIST = statement(
  'list_customers',
  `select ${COLUMNS}
   from ${CUSTOMERS}
   where ($1::int is null or c.brp_no = $1) and c.id > $2
     and ($4::customer_status is null or c.status = $4)
     and ($5::text is null or p.eic = $5)
     and ($6::tso is null or p.tso = $6)
     and ($7::text is null or exists (select from unnest(c.search_terms) as term where strpos(term, $7) > 0))
   order by c.id
   limit $3`,
);

export async function listCustomers(
  db: Db,
  viewer: Viewer,
  filter: CustomerFilter,
  page: { after: string; count: number },
): Promise<CustomerRow[]> {
  const search = filter.search === null ? null : foldCase(filter.search);
  return db.query<CustomerRow>(LIST, [
    viewer.brpNo,
    page.after,
    page.count,
    filter.status,
    filter.eic,
    filter.tso,
    search,
  ]);
}

const FIND = statement(
  'find_customer',
  `select ${COLUMNS} from ${CUSTOMERS}
   where c.id = $1 and ($2::int is null or c.brp_no = $2)`,
);
const LOCK = statement(
  'lock_customer',
  'select from customer where id = $1 and ($2::int is null or brp_no = $2) for update',
);

export async function findCustomer(db: Db, viewer: Viewer, id: string): Promise<CustomerRow | null> {
  const [row] = await db.query<CustomerRow>(FIND, [id, viewer.brpNo]);
  return row ?? null;
}

/**
 * Holds the customer for this transaction: of two changes at once, the second sees what the first one did. It is read
 * only once it is held; a single statement would have joined it to the position that it had before the wait.
 */
export async function lockCustomer(tx: Tx, viewer: Viewer, id: string): Promise<CustomerRow | null> {
  await tx.query(LOCK, [id, viewer.brpNo]);
  return findCustomer(tx, viewer, id);
}

const UPDATE = statement(
  'update_customer',
  `update customer
   set status = $3, position_no = $4, metadata = $5, search_terms = $6, activated_at = $7, name = $8, brp_no = $9,
     assigned_at = $10
   where id = $1 and ($2::int is null or brp_no = $2)
   returning metadata`,
);

/** Gives the customer back as it will be read from now on: the database has an order of its own for metadata keys. */
export async function saveCustomer(tx: Tx, viewer: Viewer, row: CustomerRow): Promise<CustomerRow> {
  const [saved] = await tx.query<Pick<CustomerRow, 'metadata'>>(UPDATE, [
    row.id,
    viewer.brpNo,
    row.status,
    row.position_no,
    JSON.stringify(row.metadata),
    searchTerms(row),
    timestampOrNull(row.activated_at),
    row.name,
    row.brp_no,
    timestamp(row.assigned_at),
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
