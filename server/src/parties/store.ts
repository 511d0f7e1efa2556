import type { Scope, Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { checkEic } from '@saldo/core/eic.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { KeyKind } from '../platform/auth/api-key.ts';
import { type Owner, ownerValues } from '../platform/auth/principal.ts';
import { forEachViewer, perViewer, tenantValues, type Viewer, viewedBy } from '../platform/auth/viewer.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList, PAGE_ROWS } from '../platform/db/filtered-list.ts';
import { searchFilter } from '../platform/db/search.ts';
import { statement } from '../platform/db/statement.ts';

type IdPage = { after: string; count: number };

export type PartyRow = { no: number; id: string; name: string; created_at: number };

export const PARTY = 'no, id, name, created_at';

/** Without an index for the search: there are hundreds of BRPs and thousands of balance groups, not more. */
const LIST_BRPS = filteredList({
  make: statement,
  name: 'list_brps',
  ownParameters: 2,
  filters: { search: searchFilter('search_fold(b.name)') },
  leads: [],
  text: (where) => `select ${PARTY} from brp b where b.id > $1 and ${where} order by b.id limit $2`,
});
const FIND_BRP = statement('find_brp', `select ${PARTY} from brp where id = $1`);
const LIST_ACCOUNTS = statement(
  'list_accounts',
  `select ${PARTY} from account where id > $1 order by id limit $2`,
);
const FIND_ACCOUNT = statement('find_account', `select ${PARTY} from account where id = $1`);

export const listBrps = (db: Db, filter: { search: string | null }, page: IdPage): Promise<PartyRow[]> =>
  db.query<PartyRow>(...LIST_BRPS([page.after, page.count], filter));

export const listAccounts = (db: Db, page: IdPage): Promise<PartyRow[]> =>
  db.query<PartyRow>(LIST_ACCOUNTS, [page.after, page.count]);

/** Finds a BRP by public id. Null for a malformed id as well as for an unknown one. */
export async function findBrp(db: Db, publicId: string): Promise<PartyRow | null> {
  const id = decodeId(ID_PREFIX.brp, publicId);
  if (id === null) return null;
  const [row] = await db.query<PartyRow>(FIND_BRP, [id]);
  return row ?? null;
}

export async function findAccount(db: Db, publicId: string): Promise<PartyRow | null> {
  const id = decodeId(ID_PREFIX.account, publicId);
  if (id === null) return null;
  const [row] = await db.query<PartyRow>(FIND_ACCOUNT, [id]);
  return row ?? null;
}

export type BalanceGroupRow = {
  eic: string;
  brp_no: number;
  brp_id: string;
  name: string;
  /** Enabled TSOs, in the fixed order of all TSOs. */
  tsos: Tso[];
  created_at: number;
};

const groupsOf = (source: string) => `select g.eic, g.brp_no, b.id as brp_id, g.name, g.created_at,
    array(select p.tso::text from position p where p.eic = g.eic and p.enabled order by p.tso) as tsos
  from ${source} g join brp b on b.no = g.brp_no`;

/**
 * $1 EIC of the last row on the previous page, $2 row limit, $3 the viewer's BRP. Collation "C" makes the order
 * independent of the locale.
 */
const LIST_GROUPS = forEachViewer((kind) =>
  filteredList({
    make: statement,
    name: viewedBy(kind, 'list_balance_groups'),
    ownParameters: kind === 'brp' ? 3 : 2,
    filters: {
      tso: {
        type: 'tso',
        condition: (tso) => `(select p.enabled from position p where p.eic = g.eic and p.tso = ${tso})`,
      },
      search: searchFilter('g.search_text'),
    },
    leads: [],
    text: (where) => {
      const tenant = kind === 'brp' ? 'g.brp_no = $3 and ' : '';
      const page = `(select g.* from balance_group g where ${tenant}g.eic collate "C" > $1 and ${where}
        order by g.eic collate "C" limit ${PAGE_ROWS})`;
      return `${groupsOf(page)} order by g.eic collate "C" limit $2`;
    },
  }),
);
const FIND_GROUP = perViewer(
  statement,
  'find_balance_group',
  'g.brp_no = $2',
  (andTenant) => `${groupsOf('balance_group')} where g.eic = $1${andTenant}`,
);
const LOCK_GROUP = perViewer(
  statement,
  'lock_balance_group',
  'brp_no = $2',
  (andTenant) => `select from balance_group where eic = $1${andTenant} for update`,
);

export const listBalanceGroups = (
  db: Db,
  viewer: Viewer,
  filter: { tso: Tso | null; search: string | null },
  page: { after: string; count: number },
): Promise<BalanceGroupRow[]> =>
  db.query<BalanceGroupRow>(
    ...LIST_GROUPS[viewer.kind]([page.after, page.count, ...tenantValues(viewer)], filter),
  );

/** Checks the EIC first, because other text from a URL may contain characters that Postgres rejects. */
export async function findBalanceGroup(db: Db, viewer: Viewer, eic: string): Promise<BalanceGroupRow | null> {
  if (checkEic(eic) !== null) return null;
  const [row] = await db.query<BalanceGroupRow>(FIND_GROUP[viewer.kind], [eic, ...tenantValues(viewer)]);
  return row ?? null;
}

/**
 * Locks the balance group for this transaction, then reads it, so that the values are current. Placing a customer in the
 * balance group takes a shared lock on it, so no customer can be placed between a check of its use and the commit.
 */
export async function lockBalanceGroup(tx: Tx, viewer: Viewer, eic: string): Promise<BalanceGroupRow | null> {
  if (checkEic(eic) !== null) return null;
  await tx.query(LOCK_GROUP[viewer.kind], [eic, ...tenantValues(viewer)]);
  return findBalanceGroup(tx, viewer, eic);
}

/** $1 EIC, $2 TSOs, $3 today. A contract of an earlier release may have kept a position that its customer left. */
const FIND_USED = statement(
  'find_positions_in_use',
  `select p.tso from position p
   where p.eic = $1 and p.tso = any($2::tso[]) and (
     exists (select from placement l where l.position_no = p.no and l.last_day >= $3)
     or exists (select from former_party f where f.position_no = p.no and f.last_day >= $3))
   order by p.tso`,
);

/** Those of the TSOs in which a customer is placed in the balance group, today or later. */
export async function findTsosInUse(
  db: Db,
  eic: string,
  tsos: readonly Tso[],
  today: DeliveryDay,
): Promise<Tso[]> {
  const used = await db.query<{ tso: Tso }>(FIND_USED, [eic, tsos, today]);
  return used.map(({ tso }) => tso);
}

export type KeyRow = {
  id: string;
  prefix: string;
  name: string;
  owner: KeyKind;
  brp_no: number | null;
  brp_id: string | null;
  account_no: number | null;
  account_id: string | null;
  scopes: Scope[];
  allowed_addresses: string[] | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  last_used_address: string | null;
  revoked_at: number | null;
};

const keysOf = (
  source: string,
) => `select k.id, k.prefix, k.name, k.owner::text as owner, k.brp_no, b.id as brp_id,
    k.account_no, a.id as account_id, k.scopes, k.allowed_addresses, k.created_at, k.expires_at, k.last_used_at,
    k.last_used_address, k.revoked_at
  from ${source} k left join brp b on b.no = k.brp_no left join account a on a.no = k.account_no`;

/** $1 id of the last row on the previous page, $2 row limit. */
const keyPage = (where: string) =>
  `${keysOf(`(select k.* from api_key k where k.id > $1 and ${where} order by k.id limit ${PAGE_ROWS})`)}
   order by k.id limit $2`;

const LIST_KEYS = filteredList({
  make: statement,
  name: 'list_api_keys',
  ownParameters: 2,
  filters: {
    brpId: { type: 'uuid', condition: (id) => `k.brp_no = (select no from brp where id = ${id})` },
    accountId: {
      type: 'uuid',
      condition: (id) => `k.account_no = (select no from account where id = ${id})`,
    },
    owner: { type: 'key_owner', condition: (owner) => `k.owner = ${owner}` },
  },
  leads: ['brpId', 'accountId', 'owner'],
  text: keyPage,
});
const FIND_API_KEY = statement('find_api_key', `${keysOf('api_key')} where k.id = $1`);
const LOCK_API_KEY = statement('lock_api_key', 'select from api_key where id = $1 for update');

/** One statement per kind of owner, because each kind has its own index. There is one operator, which has no number. */
const ownKeys = (type: Owner['type'], isOwn: (parameter: string) => string) => ({
  find: statement(`find_own_api_key_of_${type}`, `${keysOf('api_key')} where k.id = $1 and ${isOwn('$2')}`),
  list: statement(`list_own_api_keys_of_${type}`, keyPage(isOwn('$3'))),
});
const OWN_KEYS = {
  brp: ownKeys('brp', (brpNo) => `k.brp_no = ${brpNo}`),
  account: ownKeys('account', (accountNo) => `k.account_no = ${accountNo}`),
  operator: ownKeys('operator', () => "k.owner = 'operator'"),
};

/** Restricts keys to one owner. `all` is for the operator, who may change all keys. */
export type KeysOf = Owner | 'all';

export const listOwnKeys = (db: Db, owner: Owner, page: IdPage): Promise<KeyRow[]> =>
  db.query<KeyRow>(OWN_KEYS[owner.type].list, [page.after, page.count, ...ownerValues(owner)]);

export type KeyFilter = { owner: KeyKind | null; brpId: string | null; accountId: string | null };

export const listKeys = (db: Db, filter: KeyFilter, page: IdPage): Promise<KeyRow[]> =>
  db.query<KeyRow>(...LIST_KEYS([page.after, page.count], filter));

export async function getKey(db: Db, id: string): Promise<KeyRow> {
  const [row] = await db.query<KeyRow>(FIND_API_KEY, [id]);
  if (!row) throw new Error('a key that was just written is there');
  return row;
}

/** Locks the key for this transaction, so that the second of two concurrent rotations sees the first. */
export async function lockKey(tx: Tx, of: KeysOf, id: string): Promise<KeyRow | null> {
  await tx.query(LOCK_API_KEY, [id]);
  const [row] =
    of === 'all'
      ? await tx.query<KeyRow>(FIND_API_KEY, [id])
      : await tx.query<KeyRow>(OWN_KEYS[of.type].find, [id, ...ownerValues(of)]);
  return row ?? null;
}
