import { LIMITS } from '@saldo/api';
import type { Db, Tx } from '../platform/db/database.ts';
import { type HotStatement, statement } from '../platform/db/statement.ts';

/** The two lists of the customer API. Each has its own sequence of versions. */
export type ListName = 'assets' | 'demands';

const NEXT = statement(
  'next_list_version',
  'update market_list set version = version + 1 where name = $1 returning version',
);
const WITHDRAW = statement(
  'insert_withdrawal',
  'insert into market_withdrawal (list, version, published_no) values ($1, $2, $3)',
);
const FORGET = statement(
  'forget_withdrawals',
  'delete from market_withdrawal where list = $1 and version <= $2',
);

/** Allocates the next version of a list. Locks the list until commit, so that versions become visible in order. */
export async function nextVersion(tx: Tx, list: ListName): Promise<number> {
  const [row] = await tx.query<{ version: number }>(NEXT, [list]);
  if (!row) throw new Error('the migrations make the lists');
  return row.version;
}

/** Records a withdrawal, so that earlier versions of the list can still be reconstructed. */
export async function recordWithdrawal(tx: Tx, list: ListName, publishedNo: number): Promise<void> {
  const version = await nextVersion(tx, list);
  await tx.query(WITHDRAW, [list, version, publishedNo]);
  await tx.query(FORGET, [list, version - LIMITS.listVersions]);
}

/** The records of one version of a list: their publication numbers, ascending. */
type Order = { readonly version: number; readonly numbers: Int32Array };

const NOTHING: Order = { version: 0, numbers: new Int32Array() };

/** Number of cached orders: clients that page through a list keep reading the version that they started with. */
const CACHED_ORDERS = 16;

type ListPage<Row> = { rows: Row[]; version: number; total: number };

/** The reason why a requested version cannot be read. */
export type VersionFault = 'unknown' | 'too_old';

export type MarketList<Row> = {
  /** Reads a page of the current list or of an earlier version. Records that were deleted since are omitted. */
  read(page: number, limit: number, version: number | null): Promise<ListPage<Row> | VersionFault>;
};

type Changes = readonly [version: number, published: number[] | null, withdrawn: number[] | null];

const changesOf = (list: ListName, table: string) =>
  statement(
    `changes_of_${list}`,
    `select version,
       (select array_agg(published_no order by published_no) from ${table} where published_no > $1),
       (select array_agg(published_no) from market_withdrawal where list = '${list}' and version > $1)
     from market_list where name = '${list}'`,
  );

const GONE_SINCE = statement(
  'gone_since',
  `select coalesce(array_agg(published_no), '{}') from market_withdrawal
   where list = $1 and version > $2 and published_no <= $2`,
);

/**
 * A list with numbered pages. `offset` and `count(*)` took 31 to 39 ms for a page of 100,000 records, so each
 * process caches the order of the list and reads a page by its lowest and highest publication number. The same statement
 * returns the list's version: if the cached order is older, it is refreshed and the page is read again. The refresh reads
 * the changes only, in 1 ms: the whole order took 79 ms. (Medians of 15 on a busy machine.)
 *
 * `page` is a statement: $1 lowest and $2 highest number. Each row starts with the version, and there is at least one.
 */
export function marketList<Row extends readonly unknown[]>(
  db: Db,
  list: ListName,
  { table, page: readPage }: { table: string; page: HotStatement },
): MarketList<Row> {
  const CHANGES = changesOf(list, table);
  const cache = new Map<number, Order>();
  let current = NOTHING;
  let updating: Promise<void> | null = null;

  function cacheOrder(order: Order): Order {
    cache.delete(order.version);
    cache.set(order.version, order);
    for (const oldest of cache.keys()) {
      if (cache.size <= CACHED_ORDERS) break;
      cache.delete(oldest);
    }
    return order;
  }

  /** The version went back, because a backup was restored or a fail-over lost commits. */
  function forgetOrders(): void {
    current = NOTHING;
    cache.clear();
  }

  async function update(): Promise<void> {
    const known = current;
    const [changes] = await db.arrays<Changes>(CHANGES, [known.version]);
    if (!changes) throw new Error('the migrations make the lists');
    const newVersions = changes[0] - known.version;
    if (newVersions < 0) forgetOrders();
    // Old withdrawals are deleted. If the cached order is older than that, reload the whole list.
    const isIncremental = known === NOTHING || (newVersions >= 0 && newVersions < LIMITS.listVersions);
    const [from, [version, published, withdrawn] = changes] = isIncremental
      ? [known, changes]
      : [NOTHING, (await db.arrays<Changes>(CHANGES, [0]))[0]];
    current = cacheOrder({ version, numbers: numbersAfter(from.numbers, published ?? [], withdrawn ?? []) });
  }

  /** Coalesces concurrent refreshes. */
  function updateOnce(): Promise<void> {
    updating ??= update().finally(() => {
      updating = null;
    });
    return updating;
  }

  /**
   * Refreshes the order to this version, if the list has it. A shared refresh may have started before the version existed; a
   * second one includes it, unless the version is unknown or the list went back after the version was read.
   */
  async function reach(version: number): Promise<Order> {
    for (let asked = 0; asked < 2 && current.version < version; asked++) await updateOnce();
    return current;
  }

  async function orderAt(version: number): Promise<Order | VersionFault> {
    const { version: newest, numbers } = await reach(version);
    if (version > newest) return 'unknown';
    if (newest - version >= LIMITS.listVersions) return 'too_old';
    const known = cache.get(version);
    if (known) return cacheOrder(known);
    const [row] = await db.arrays<readonly [number[]]>(GONE_SINCE, [list, version]);
    const then = new Set([...numbers.filter((number) => number <= version), ...(row?.[0] ?? [])]);
    return cacheOrder({ version, numbers: Int32Array.from(then).sort() });
  }

  const pageOf = ({ numbers }: Order, page: number, limit: number) => {
    const skipped = (page - 1) * limit;
    const end = numbers.length - skipped;
    const [lowest, highest] = end > 0 ? [numbers[Math.max(0, end - limit)], numbers[end - 1]] : [1, 0];
    return db.hot.arrays<Row>(readPage, [lowest, highest]);
  };

  return {
    async read(page, limit, wanted) {
      if (wanted !== null) {
        const order = await orderAt(wanted);
        if (typeof order === 'string') return order;
        return { rows: await pageOf(order, page, limit), version: wanted, total: order.numbers.length };
      }
      let order = current;
      let rows = await pageOf(order, page, limit);
      const version = rows[0]?.[0] as number;
      if (version !== order.version) {
        if (version < order.version) forgetOrders();
        order = await reach(version);
        rows = await pageOf(order, page, limit);
      }
      return { rows, version: order.version, total: order.numbers.length };
    },
  };
}

function numbersAfter(known: Int32Array, published: number[], withdrawn: number[]): Int32Array {
  const gone = new Set(withdrawn);
  const kept = gone.size === 0 ? known : known.filter((number) => !gone.has(number));
  const numbers = new Int32Array(kept.length + published.length);
  numbers.set(kept);
  numbers.set(published, kept.length);
  return numbers;
}
