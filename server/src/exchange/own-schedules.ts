import { ownScheduleEndpoints as endpoints, type OwnSchedule, type Tso } from '@saldo/api';
import { type DeliveryDay, dayOf, formatInstant } from '@saldo/core/delivery-day.ts';
import { type Direction, SCHEDULE_STEPS, type ScheduleStep } from '@saldo/core/enums.ts';
import { changedSince, type KnownVersion } from '@saldo/core/exchange/own-schedule-state.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { findActorNames, recordAudit } from '../audit/store.ts';
import { nominationNotFound, nominationUuid } from '../nominations/routes.ts';
import { tenantValues, type Viewer } from '../platform/auth/viewer.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { FIRST_ID, paginate } from '../platform/http/paging.ts';
import { type Call, type Route, replicaRoute, writeRoute } from '../platform/http/routes.ts';
import { LAST_DAY } from '../platform/http/time-filter.ts';

/** What BRPs have done with their own side of nominations. Only BRPs have these routes. */
export function ownScheduleRoutes(clock: Clock): Route[] {
  return [
    replicaRoute(endpoints.listOwnSchedules, async ({ viewer, query, page }, db) => {
      const { delivery_date: day } = query;
      const [first, last] = day === undefined ? [dayOf(clock.now()), LAST_DAY] : [day, day];
      const [afterDay = first, afterId = FIRST_ID] = page.after ?? [];
      const list = query.changed === 'true' ? LIST_CHANGED : LIST;
      const values = [afterDay, afterId, last, page.limit + 1, ...tenantValues(viewer)];
      const rows = await db.query<CurrentRow>(list, values);
      const { records, pagination } = paginate(page, rows, (row) => [row.delivery_day, row.id]);
      return { schedules: await wireSchedules(db, viewer, records), pagination };
    }),
    writeRoute(endpoints.markSchedules, (call, tx) => mark(tx, call, clock.now())),
  ];
}

type CurrentRow = {
  id: string;
  delivery_day: DeliveryDay;
  eic: string;
  tso: Tso;
  direction: Direction;
  version: number;
};

const COLUMNS = 'n.id, n.delivery_day, n.eic, n.tso, n.direction, n.version';
const SAME_NOMINATION =
  'o.position_no = n.position_no and o.delivery_day = n.delivery_day and o.direction = n.direction';
/** `offset 0` makes it one look-up: the planner could read all marks instead. */
const isMarked = (nomination: string) =>
  `exists (select from own_schedule_mark m where m.nomination_id = ${nomination}.id offset 0)`;

/** $1 and $2 day and id of the last row before the page, $3 last day, $4 row limit, $5 the BRP. */
const list = (name: string, condition = '') =>
  statement(
    name,
    `select ${COLUMNS} from nomination n
     where n.brp_no = $5 and (n.delivery_day, n.id) > ($1::date, $2::uuid) and n.delivery_day <= $3::date
       and n.status <> 'superseded'${condition}
     order by n.delivery_day, n.id limit $4`,
  );
const LIST = list('list_own_schedules');
/**
 * Must agree with `changedSince` of core. A first version is recognised by a column without an index: for `version > 1` the
 * planner may read the index of all BRPs.
 */
const LIST_CHANGED = list(
  'list_changed_schedules',
  ` and n.previous_id is not null and not ${isMarked('n')} and exists (
       select from nomination o
       where ${SAME_NOMINATION} and o.version < n.version and (o.sent_at is not null or ${isMarked('o')}) offset 0)`,
);

/**
 * The versions of nominations that were sent or marked, with their marks. `offset 0` as in
 * `isMarked`.
 */
const KNOWN_VERSIONS = statement(
  'known_versions',
  `select n.id as current_id, o.id, o.version, o.sent_at is not null as is_sent, m.step, m.at, m.actor
   from unnest($1::uuid[]) as asked (id)
   join nomination n on n.id = asked.id
   join nomination o on ${SAME_NOMINATION}
   left join lateral (
     select step, at, actor from own_schedule_mark found where found.nomination_id = o.id offset 0) m on true
   where o.sent_at is not null or m.step is not null`,
);

type MarkedVersion = KnownVersion & { current_id: string; id: string } & (
    | { step: ScheduleStep; at: number; actor: string }
    | { step: null; at: null; actor: null }
  );

async function wireSchedules(db: Db, viewer: Viewer, rows: readonly CurrentRow[]): Promise<OwnSchedule[]> {
  const versions = await db.query<MarkedVersion & { is_sent: boolean }>(KNOWN_VERSIONS, [
    rows.map(({ id }) => id),
  ]);
  const known = Map.groupBy(
    versions.map((one) => ({ ...one, isSent: one.is_sent })),
    ({ current_id }) => current_id,
  );
  const names = await findActorNames(
    db,
    viewer,
    versions.flatMap(({ actor }) => (actor === null ? [] : { actor })),
  );
  const identify = ({ id, version }: { id: string; version: number }) => ({
    nomination_id: encodeId(ID_PREFIX.nomination, id),
    version,
  });
  return rows.map((row): OwnSchedule => {
    const ofRow = known.get(row.id) ?? [];
    const newestOf = (step: ScheduleStep) => {
      const newest = ofRow.filter((one) => one.step === step).toSorted((a, b) => b.version - a.version)[0];
      if (newest === undefined || newest.step === null) return null;
      return {
        ...identify(newest),
        at: formatInstant(newest.at),
        actor_name: names.get(newest.actor) ?? null,
      };
    };
    const [loaded, checked, submitted] = SCHEDULE_STEPS.map(newestOf);
    const since = changedSince(row.version, ofRow);
    const sent = ofRow.filter(({ isSent }) => isSent).map(({ version }) => version);
    return {
      ...identify(row),
      delivery_date: row.delivery_day,
      eic: row.eic,
      tso: row.tso,
      direction: row.direction,
      sent_version: sent.length === 0 ? null : Math.max(...sent),
      loaded: loaded ?? null,
      checked: checked ?? null,
      submitted: submitted ?? null,
      changed_since: since && identify(since),
    };
  });
}

const COUNT_OWN = statement(
  'count_own_nominations',
  'select count(*)::int as count from nomination where id = any($1::uuid[]) and brp_no = $2',
);

/** A step that is recorded already keeps its first time. */
const MARK = statement(
  'mark_schedules',
  `insert into own_schedule_mark (nomination_id, step, at, actor)
   select id, $2, $3, $4 from unnest($1::uuid[]) as id
   on conflict (nomination_id, step) do nothing returning nomination_id`,
);
/** A file that was submitted with the step, at the same time, is forgotten with it. */
const UNMARK = statement(
  'unmark_schedules',
  `with undone as (
     delete from own_schedule_mark where nomination_id = any($1::uuid[]) and step = $2 returning nomination_id, step, at),
   forgotten as (
     delete from submitted_schedule s using undone join nomination n on n.id = undone.nomination_id
     where undone.step = 'submitted' and s.brp_no = n.brp_no and s.delivery_day = n.delivery_day and s.eic = n.eic
       and s.tso = n.tso and s.submitted_at = undone.at)
   select nomination_id from undone`,
);

/** Returns the nominations without this step before. */
export const markNominations = (
  tx: Tx,
  ids: readonly string[],
  step: ScheduleStep,
  actor: string,
  now: number,
): Promise<{ nomination_id: string }[]> => tx.query(MARK, [ids, step, timestamp(now), actor]);

const CURRENT = statement(
  'current_own_schedules',
  `select ${COLUMNS} from unnest($1::uuid[]) as asked (id)
   join nomination o on o.id = asked.id
   join nomination n on ${SAME_NOMINATION} and n.status <> 'superseded'
   group by n.id order by n.delivery_day, n.id`,
);

async function mark(tx: Tx, call: Call<typeof endpoints.markSchedules>, now: number): Promise<object> {
  const { viewer, actor, body } = call;
  const { step, done = true } = body;
  const ids = [...new Set(body.nomination_ids)].map(nominationUuid);
  const [own] = await tx.query<{ count: number }>(COUNT_OWN, [ids, ...tenantValues(viewer)]);
  if (own?.count !== ids.length) throw nominationNotFound();
  const changed = done
    ? await markNominations(tx, ids, step, actor, now)
    : await tx.query<{ nomination_id: string }>(UNMARK, [ids, step]);
  if (changed.length > 0) {
    const nominations = changed.map(({ nomination_id }) => encodeId(ID_PREFIX.nomination, nomination_id));
    const after = { step, done, nomination_ids: nominations.toSorted() };
    await recordAudit(tx, call, { action: 'schedules.marked', subject: call.request.id, after }, now);
  }
  const rows = await tx.query<CurrentRow>(CURRENT, [ids]);
  return { schedules: await wireSchedules(tx, viewer, rows) };
}
