import type { EventData, EventType, ListOrder } from '@saldo/api';
import type { Owner } from '../platform/auth/principal.ts';
import type { Db, Tx } from '../platform/db/database.ts';
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
const COPY_FROM_ROWS = 50;

/** Appends events in the transaction of the change, so that neither commits without the other. */
export async function appendEvents(tx: Tx, events: readonly NewEvent[], now: number): Promise<void> {
  const rows = events.flatMap(({ tenants, type, data }) => {
    const text = JSON.stringify(data);
    return Array.from(new Set(tenants), (tenant) => ({ tenant, type, text }));
  });
  if (rows.length === 0) return;
  if (rows.length >= COPY_FROM_ROWS) {
    await tx.query(ANNOUNCE);
    return tx.copy(COPY, copyRows(rows, timestamp(now)));
  }
  await tx.query(APPEND, [
    rows.map(({ tenant }) => tenant),
    rows.map(({ type }) => type),
    timestamp(now),
    rows.map(({ text }) => text),
  ]);
}

/** JSON has no tabs and line breaks outside of escapes, so only its backslashes need escaping. */
function copyRows(rows: readonly { tenant: Tenant; type: EventType; text: string }[], at: string): Buffer {
  let lines = '';
  for (const { tenant, type, text } of rows)
    lines += `${tenant}\t${type}\t${at}\t${text.replaceAll('\\', '\\\\')}\n`;
  return Buffer.from(lines);
}

/** `last` is the newest assigned sequence; no transaction can still commit an event up to `horizon`. */
export type Horizon = { readonly last: number; readonly horizon: number };

const HORIZON = statement('event_horizon', 'select last, horizon from event_horizon()');

export async function readHorizon(db: Db): Promise<Horizon> {
  return (await db.query<Horizon>(HORIZON))[0]!;
}

export type EventRow = {
  readonly sequence: number;
  readonly type: EventType;
  readonly occurredAt: number;
  /** JSON. */
  readonly data: string;
};

type ListRow = {
  deleted_to: number;
  read_to: number;
  sequence: number | null;
  type: EventType;
  occurred_at: number;
  data: string;
};

/** The number of a tenant's events that a reader of some types reads at most for one page. */
const STEP = 5_000;

/** The parts of the statements that depend on the order. A page reads from one end of the range ($2, $3]. */
const ORDERS = {
  oldest_first: {
    by: 'sequence',
    end: 'least($3, min(ends.sequence))',
    read: 'sequence > $2 and sequence <= step.read_to',
  },
  newest_first: {
    by: 'sequence desc',
    end: 'greatest($2, max(ends.sequence))',
    read: 'sequence > step.read_to and sequence <= $3',
  },
} as const satisfies Record<ListOrder, unknown>;

/**
 * $1 tenants, $2 and $3 the range, $4 row limit, and with `ofTypes` $5 types. One index scan per tenant, of at most the
 * limit or the step. The end of the step is the same for all tenants of the reader. The same snapshot shows up to where
 * events were deleted.
 */
function listStatement(name: string, order: ListOrder, ofTypes: boolean) {
  const { by, end, read } = ORDERS[order];
  const endOfStep = `(
    select ${end}
    from unnest($1::text[]) as reader (tenant)
    cross join lateral (
      select sequence from event
      where tenant = reader.tenant and sequence > $2 and sequence <= $3
      order by ${by} offset ${STEP} limit 1
    ) as ends)`;
  const endOfRange = order === 'oldest_first' ? '$3::bigint' : '$2::bigint';
  return statement(
    name,
    `select log.deleted_to, step.read_to, e.*
     from event_log log
     cross join lateral (select ${ofTypes ? endOfStep : endOfRange} as read_to offset 0) as step
     left join lateral (
       select found.*
       from unnest($1::text[]) as reader (tenant)
       cross join lateral (
         select sequence, type, occurred_at, data::text
         from event
         where tenant = reader.tenant and ${read}
           ${ofTypes ? 'and type = any($5::text[])' : ''}
         order by ${by} limit $4
       ) as found
       order by found.${by} limit $4
     ) as e on true
     where log.only_one
     order by e.${by}`,
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
  readonly events: EventRow[];
  /**
   * The page has all events between its start and this sequence, unless it is full: up to it from the oldest, beyond it
   * from the newest.
   */
  readonly readTo: number;
  readonly deletedTo: number;
};

/** Events with `after < sequence <= upTo`, from one end. `upTo` is at most the horizon: see `readHorizon`. */
export async function listEvents(
  db: Db,
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

const FIND = statement(
  'find_event',
  `select sequence, type, occurred_at as "occurredAt", data::text
   from event where tenant = any($1::text[]) and sequence = $2`,
);

export async function findEvent(
  db: Db,
  tenants: readonly Tenant[],
  sequence: number,
): Promise<EventRow | null> {
  const [row] = await db.query<EventRow>(FIND, [tenants, sequence]);
  return row ?? null;
}

const NEW_TYPES = statement(
  'list_new_event_types',
  'select distinct tenant, type from event where sequence > $1 and sequence <= $2',
);

/** The feeds and types that have events with `after < sequence <= horizon`. */
export async function listNewTypes(
  db: Db,
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
 * events to look at.
 */
export async function listChangedTypes(
  db: Db,
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
