import { LIMITS } from '@saldo/api';
import { type Db, type HotStatement, statement, type Tx } from '../../db/database.ts';

/** The two lists of the customer API, each with numbers of its own. */
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

/** The next number of a list. Whoever takes one goes on alone until commit, so that numbers appear in their order. */
export async function nextVersion(tx: Tx, list: ListName): Promise<number> {
  const [row] = await tx.query<{ version: number }>(NEXT, [list]);
  if (!row) throw new Error('the migrations make the lists');
  return row.version;
}

/** Notes that a record is no longer listed, for those who read the list as it was before. */
export async function recordWithdrawal(tx: Tx, list: ListName, publishedNo: number): Promise<void> {
  const version = await nextVersion(tx, list);
  await tx.query(WITHDRAW, [list, version, publishedNo]);
  await tx.query(FORGET, [list, version - LIMITS.listVersions]);
}

/** Which records a list held at one of its versions: the numbers of their publication, ascending. */
type Order = { readonly version: number; readonly numbers: Int32Array };

const NOTHING: Order = { version: 0, numbers: new Int32Array() };

/** Orders that walks through a list go on to need. */
const REMEMBERED_ORDERS = 16;

type ListPage<Row> = { rows: Row[]; version: number; total: number };

/** What is wrong with the version that was asked for. */
export type VersionFault = 'unknown' | 'too_old';

export type MarketList<Row> = {
  /** A page of the list as it is, or as it was at one of its versions; records that are gone are left out. */
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
 * A list whose pages are numbered. To skip a hundred thousand records the database would have to count them, so each
 * process keeps the order of the list, and asks the database for the records between the first and the last number of
 * a page. The same statement tells the list's version: when it has moved on, the order is brought up to date first.
 *
 * `page` takes the lowest and the highest number; its rows begin with the version, and there is always at least one.
 */
export function marketList<Row extends readonly unknown[]>(
  db: Db,
  list: ListName,
  { table, page: readPage }: { table: string; page: HotStatement },
): MarketList<Row> {
  const CHANGES = changesOf(list, table);
  const remembered = new Map<number, Order>();
  let current = NOTHING;
  let updating: Promise<void> | null = null;

  function remember(order: Order): Order {
    remembered.delete(order.version);
    remembered.set(order.version, order);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= REMEMBERED_ORDERS) break;
      remembered.delete(oldest);
    }
    return order;
  }

  async function update(): Promise<void> {
    const known = current;
    const [changes] = await db.arrays<Changes>(CHANGES, [known.version]);
    if (!changes) throw new Error('the migrations make the lists');
    // Withdrawals that lie back too far are forgotten: then only the whole list tells what is left of it.
    const isTold = known === NOTHING || changes[0] - known.version < LIMITS.listVersions;
    const [from, [version, published, withdrawn] = changes] = isTold
      ? [known, changes]
      : [NOTHING, (await db.arrays<Changes>(CHANGES, [0]))[0]];
    current = remember({ version, numbers: numbersAfter(from.numbers, published ?? [], withdrawn ?? []) });
  }

  /** Of several who want the same, one asks. */
  function updateOnce(): Promise<void> {
    updating ??= update().finally(() => {
      updating = null;
    });
    return updating;
  }

  /** Whoever joins one that asked too early asks again. */
  async function reach(version: number): Promise<Order> {
    while (current.version < version) await updateOnce();
    return current;
  }

  async function orderAt(version: number): Promise<Order | VersionFault> {
    // A version that another process has told may be newer than what was asked for a moment ago, but not than now.
    for (let asked = 0; asked < 2 && version > current.version; asked++) await updateOnce();
    if (version > current.version) return 'unknown';
    if (current.version - version >= LIMITS.listVersions) return 'too_old';
    const known = remembered.get(version);
    if (known) return remember(known);
    const { numbers } = current;
    const [row] = await db.arrays<readonly [number[]]>(GONE_SINCE, [list, version]);
    const then = new Set([...numbers.filter((number) => number <= version), ...(row?.[0] ?? [])]);
    return remember({ version, numbers: Int32Array.from(then).sort() });
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
        // A database that was set back, by a restored backup for example, begins anew.
        if (version < order.version) {
          current = NOTHING;
          remembered.clear();
        }
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
