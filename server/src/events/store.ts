import type { EventData, EventType } from '@saldo/api';
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

/** Appends events in the transaction of the change, so that neither commits without the other. */
export async function appendEvents(tx: Tx, events: readonly NewEvent[], now: number): Promise<void> {
  const tenants: Tenant[] = [];
  const types: EventType[] = [];
  const data: string[] = [];
  for (const event of events) {
    const text = JSON.stringify(event.data);
    for (const tenant of new Set(event.tenants)) {
      tenants.push(tenant);
      types.push(event.type);
      data.push(text);
    }
  }
  if (tenants.length > 0) await tx.query(APPEND, [tenants, types, timestamp(now), data]);
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
  sequence: number | null;
  type: EventType;
  occurred_at: number;
  data: string;
};

/**
 * $1 tenants, $2 after, $3 horizon, $4 row limit, and with `ofTypes` $5 types. One index scan per tenant and type, of
 * at most the limit. The same snapshot shows up to where events were deleted.
 */
const listStatement = (name: string, ofTypes: boolean) =>
  statement(
    name,
    `select log.deleted_to, e.*
     from event_log log left join lateral (
       select found.*
       from unnest($1::text[]) as reader (tenant)${ofTypes ? ' cross join unnest($5::text[]) as wanted (type)' : ''}
       cross join lateral (
         select sequence, type, occurred_at, data::text
         from event
         where tenant = reader.tenant${ofTypes ? ' and type = wanted.type' : ''} and sequence > $2 and sequence <= $3
         order by sequence limit $4
       ) as found
       order by found.sequence limit $4
     ) as e on true
     where log.only_one
     order by e.sequence`,
  );
const LIST = listStatement('list_events', false);
const LIST_OF_TYPES = listStatement('list_events_of_types', true);

export type EventFilter = {
  readonly tenants: readonly Tenant[];
  /** Null: all types. */
  readonly types: readonly EventType[] | null;
};

/** Events in order, with `after < sequence <= horizon`. Read the horizon first, with `readHorizon`. */
export async function listEvents(
  db: Db,
  { tenants, types }: EventFilter,
  { after, horizon, count }: { after: number; horizon: number; count: number },
): Promise<{ events: EventRow[]; deletedTo: number }> {
  const values = [tenants, after, horizon, count];
  const rows = await (types === null
    ? db.query<ListRow>(LIST, values)
    : db.query<ListRow>(LIST_OF_TYPES, [...values, types]));
  const events = rows.flatMap(({ sequence, type, occurred_at: occurredAt, data }) =>
    sequence === null ? [] : [{ sequence, type, occurredAt, data }],
  );
  return { events, deletedTo: rows[0]!.deleted_to };
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
