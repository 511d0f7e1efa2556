import type { EventData, EventType, ListOrder } from '@saldo/api';
import type { Owner } from '../platform/auth/principal.ts';
import type { Primary, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

/** A feed of the log. An account reads its own and that of all accounts, merged. */
export type Tenant = 'operator' | 'accounts' | `brp/${number}` | `account/${number}`;

/** The feeds that an owner of keys reads. The first one is its own. */
export function tenantsOf(owner: Owner): readonly [Tenant, ...Tenant[]] {
  if (owner.type === 'operator') return ['operator'];
  return owner.type === 'brp' ? [`brp/${owner.brpNo}`] : [`account/${owner.accountNo}`, 'accounts'];
}

export type NewEvent = {
  [T in EventType]: {
    readonly type: T;
    /** Each tenant gets its own event. */
    readonly tenants: readonly Tenant[];
    /** The changed record and how it changed, not its content: readers ask the API for that. */
    readonly data: EventData<T>;
  };
}[EventType];

const APPEND = statement('append_events', 'select append_events($1, $2, $3, $4)');
const ANNOUNCE = statement('announce_events', 'select announce_events()');
const COPY = 'copy event (tenant, type, occurred_at, data) from stdin';
/** From this number of rows on, COPY is cheaper than an insert, although it takes two calls. */
const COPY_FROM_ROWS = 20;
/** Rows whose text is made without a pause: about a megabyte. */
const COPIED_AT_ONCE = 500;
/**
 * Each row of the log reserves this number of sequences, whatever the number of its events. The events of a market day
 * of 10,000 contracts take 0.09 s of CPU time; with a row per event they took 0.34 s on the same machine.
 */
export const EVENTS_PER_ROW = 16;

type NewRow = {
  readonly tenant: Tenant;
  readonly type: EventType;
  readonly at: string;
  count: number;
  texts: string;
};

/** Consecutive events of a tenant and type share rows: an import of a market day has twenty thousand events. */
class NewRows {
  readonly rows: NewRow[] = [];
  private readonly newest = new Map<Tenant, NewRow>();

  add(events: readonly NewEvent[], at: string): void {
    for (const { tenants, type, data } of events) {
      const text = JSON.stringify(data);
      for (const tenant of new Set(tenants)) {
        const row = this.newest.get(tenant);
        if (row?.type === type && row.at === at && row.count < EVENTS_PER_ROW) {
          row.texts += `,${text}`;
          row.count++;
        } else {
          const next = { tenant, type, at, count: 1, texts: text };
          this.newest.set(tenant, next);
          this.rows.push(next);
        }
      }
    }
  }
}

/** JSON has no tabs and line breaks outside of escapes, so only its backslashes need escaping. */
function copyRows(rows: readonly NewRow[]): Buffer {
  let lines = '';
  for (const { tenant, type, at, texts } of rows)
    lines += `${tenant}\t${type}\t${at}\t[${texts.replaceAll('\\', '\\\\')}]\n`;
  return Buffer.from(lines);
}

async function insertRows(tx: Tx, rows: readonly NewRow[]): Promise<void> {
  const [{ at } = { at: '' }] = rows;
  if (rows.length >= COPY_FROM_ROWS || rows.some((row) => row.at !== at)) {
    await tx.query(ANNOUNCE);
    for (let from = 0; from < rows.length; from += COPIED_AT_ONCE)
      await tx.copy(COPY, copyRows(rows.slice(from, from + COPIED_AT_ONCE)));
    return;
  }
  await tx.query(APPEND, [
    rows.map(({ tenant }) => tenant),
    rows.map(({ type }) => type),
    at,
    rows.map(({ texts }) => `[${texts}]`),
  ]);
}

const newRowsOf = new WeakMap<Tx, NewRows>();

/**
 * Appends events in the transaction of the change, so that neither commits without the other. They are inserted directly
 * before the commit: from then on the transaction holds back the later events of all tenants.
 */
export async function appendEvents(tx: Tx, events: readonly NewEvent[], now: number): Promise<void> {
  if (events.length === 0) return;
  let added = newRowsOf.get(tx);
  if (added === undefined) {
    const { rows } = (added = new NewRows());
    newRowsOf.set(tx, added);
    tx.beforeCommit(() => insertRows(tx, rows));
  }
  added.add(events, timestamp(now));
}

/** `last` is the newest assigned sequence; no transaction can still commit an event up to `horizon`. */
export type Horizon = { readonly last: number; readonly horizon: number };

const HORIZON = statement('event_horizon', 'select last, horizon from event_horizon()');

export async function readHorizon(db: Primary): Promise<Horizon> {
  return (await db.query<Horizon>(HORIZON))[0]!;
}

/** An event of the log. `sequence` is its place there, which counts the events of all tenants: no answer contains it. */
export type StoredEvent = {
  readonly sequence: number;
  readonly type: EventType;
  readonly occurredAt: number;
  /** JSON. */
  readonly data: string;
};

/** An event with its number among those of its reader, which is the `sequence` of the API. */
export type EventRow = StoredEvent & { readonly number: number };

type ListRow = {
  deleted_to: number;
  read_to: number;
  sequence: number | null;
  type: EventType;
  occurred_at: number;
  data: string;
};

/** The rows `e` of the log that may have events with sequences in this range: a row has the sequence of its last event. */
export const rowsWithin = (first: string, last: string): string =>
  `e.sequence >= ${first} and e.sequence < ${last} + ${EVENTS_PER_ROW}`;

/** The events of a row `e` of the log. */
export const EVENTS_OF_ROW = `(
  select e.sequence - e.count + one.number as sequence, one.data
  from json_array_elements(e.data) with ordinality as one (data, number))`;

/** The number of a tenant's rows that a reader of some types reads at most for one page. */
const STEP = 1_000;

/** The parts of the statements that depend on the order. A page reads from one end of the range ($2, $3]. */
const ORDERS = {
  oldest_first: {
    direction: 'asc',
    endOfRange: '$3::bigint',
    endOfStep: 'least($3, min(ends.sequence))',
    isRead: 'sequence <= step.read_to',
  },
  newest_first: {
    direction: 'desc',
    endOfRange: '$2::bigint',
    endOfStep: `greatest($2, max(ends.sequence) - ${EVENTS_PER_ROW})`,
    isRead: 'sequence > step.read_to',
  },
} as const satisfies Record<ListOrder, unknown>;

/**
 * $1 tenants, $2 and $3 the range, $4 row limit, and with `ofTypes` $5 types. One index scan per tenant, of at most the
 * limit or the step. The end of the step is the same for all tenants of the reader; full pages need none. The same
 * snapshot shows up to where the reader's events were deleted.
 */
function listStatement(name: string, order: ListOrder, ofTypes: boolean) {
  const { direction, endOfRange, endOfStep, isRead } = ORDERS[order];
  const rows = `from event e where tenant = reader.tenant and ${rowsWithin('$2::bigint + 1', '$3::bigint')}
    order by sequence ${direction}`;
  const step = `
    select ${endOfStep} as read_to
    from unnest($1::text[]) as reader (tenant)
    cross join lateral (select sequence ${rows} offset ${STEP - 1} limit 1) as ends
    where (select count(*) from found where found.tenant = reader.tenant) < $4`;
  return statement(
    name,
    `with found as materialized (
       select reader.tenant, one.*
       from unnest($1::text[]) as reader (tenant)
       cross join lateral (
         select one.sequence, e.type, e.occurred_at, one.data::text
         from (select * ${rows}${ofTypes ? ` limit ${STEP}` : ''}) as e
         cross join lateral ${EVENTS_OF_ROW} as one
         where one.sequence > $2 and one.sequence <= $3 ${ofTypes ? 'and e.type = any($5::text[])' : ''}
         order by e.sequence ${direction}, one.sequence ${direction} limit $4
       ) as one),
     step as (${ofTypes ? step : `select ${endOfRange} as read_to`})
     select coalesce(deleted.up_to, 0) as deleted_to, step.read_to, page.sequence, page.type, page.occurred_at, page.data
     from (
       select max(oldest.sequence) as up_to
       from unnest($1::text[]) as reader (tenant)
       cross join lateral (
         select sequence, is_deleted from event_checkpoint where tenant = reader.tenant order by sequence limit 1
       ) as oldest
       where oldest.is_deleted) as deleted
     cross join step
     left join lateral (
       select * from found where ${isRead} order by sequence ${direction} limit $4
     ) as page on true
     order by page.sequence ${direction}`,
  );
}
const LISTS = {
  oldest_first: {
    all: listStatement('list_events', 'oldest_first', false),
    ofTypes: listStatement('list_events_of_types', 'oldest_first', true),
  },
  newest_first: {
    all: listStatement('list_events_backwards', 'newest_first', false),
    ofTypes: listStatement('list_events_of_types_backwards', 'newest_first', true),
  },
} as const satisfies Record<ListOrder, unknown>;

export type EventFilter = {
  readonly tenants: readonly Tenant[];
  /** Null: all types. */
  readonly types: readonly EventType[] | null;
};

export type EventPage = {
  readonly events: StoredEvent[];
  /**
   * The page has all events between its start and this sequence, unless it is full: up to it from the oldest, beyond it
   * from the newest.
   */
  readonly readTo: number;
  readonly deletedTo: number;
};

/** Events with `after < sequence <= upTo`, from one end. `upTo` is at most the horizon: see `readHorizon`. */
export async function listEvents(
  db: Primary,
  { tenants, types }: EventFilter,
  { order, after, upTo, count }: { order: ListOrder; after: number; upTo: number; count: number },
): Promise<EventPage> {
  const values = [tenants, after, upTo, count];
  const { all, ofTypes } = LISTS[order];
  const rows = await (types === null
    ? db.query<ListRow>(all, values)
    : db.query<ListRow>(ofTypes, [...values, types]));
  const events = rows.flatMap(({ sequence, type, occurred_at: occurredAt, data }) =>
    sequence === null ? [] : [{ sequence, type, occurredAt, data }],
  );
  const { read_to: readTo, deleted_to: deletedTo } = rows[0]!;
  return { events, readTo, deletedTo };
}

/** The event with this sequence. Its `data` are null when there is no such event. */
export const eventWith = (sequence: string) => `(
  select e.tenant, e.type, e.occurred_at, e.data -> (${sequence} - e.sequence - 1)::int as data
  from event e
  where ${rowsWithin(sequence, sequence)}
  order by e.sequence limit 1)`;

const FIND = statement(
  'find_event',
  `select $2::bigint as sequence, type, occurred_at as "occurredAt", data::text
   from ${eventWith('$2')} as found
   where tenant = any($1::text[]) and data is not null`,
);

export async function findEvent(
  db: Primary,
  tenants: readonly Tenant[],
  sequence: number,
): Promise<StoredEvent | null> {
  const [row] = await db.query<StoredEvent>(FIND, [tenants, sequence]);
  return row ?? null;
}

const NEW_TYPES = statement(
  'list_new_event_types',
  'select distinct tenant, type from event where sequence > $1 and sequence <= $2',
);

/** The feeds and types that have events with `after < sequence <= horizon`. */
export async function listNewTypes(
  db: Primary,
  after: number,
  horizon: number,
): Promise<{ tenant: Tenant; type: EventType }[]> {
  return db.query(NEW_TYPES, [after, horizon]);
}

const CHANGED_TYPES = statement(
  'list_changed_types',
  `select found.type, count(*)::int as count
   from unnest($1::text[]) as reader (tenant)
   cross join lateral (
     select type from event where tenant = reader.tenant and sequence > $2 and sequence <= $3
     order by sequence limit ${STEP}
   ) as found
   group by found.type`,
);
const CHANGED_TYPES_OF_ALL = statement(
  'list_changed_types_of_all',
  `select found.type, count(*)::int as count
   from (select type from event where sequence > $1 and sequence <= $2 order by sequence limit ${STEP}) as found
   group by found.type`,
);

/**
 * The types of the events with `after < sequence <= horizon`, of some feeds or (null) of all. Null if there are too many
 * rows to look at.
 */
export async function listChangedTypes(
  db: Primary,
  tenants: readonly Tenant[] | null,
  after: number,
  horizon: number,
): Promise<EventType[] | null> {
  type Row = { type: EventType; count: number };
  const rows = await (tenants === null
    ? db.query<Row>(CHANGED_TYPES_OF_ALL, [after, horizon])
    : db.query<Row>(CHANGED_TYPES, [tenants, after, horizon]));
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return total >= STEP ? null : rows.map(({ type }) => type);
}
