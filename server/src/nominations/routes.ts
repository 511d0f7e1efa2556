import { Readable } from 'node:stream';
import {
  type exportEndpoints,
  nominationEndpoints,
  operatorNominationEndpoints,
  type Pagination,
  type QueryOf,
} from '@saldo/api';
import { MAX_SLOTS } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { findBrp } from '../parties/store.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Db } from '../platform/db/database.ts';
import { attachment } from '../platform/http/answer-headers.ts';
import type { AsOfReads } from '../platform/http/as-of.ts';
import { FIRST_ID, type PageRequest, paginate } from '../platform/http/paging.ts';
import { fieldProblem, getUuid, problem } from '../platform/http/problem.ts';
import { longRoute, type Route, replicaRoute } from '../platform/http/routes.ts';
import { deliveryRange, FIRST_DAY } from '../platform/http/time-filter.ts';
import { nominateDue } from './actions.ts';
import { explainChange } from './causes.ts';
import { explainNomination } from './explanation.ts';
import { LATE_CSV_HEADER, type LateFilter, lateCsv, listLate, wireLate } from './late.ts';
import {
  findNominationHistory,
  findNominations,
  listNominations,
  type NominationFilter,
  type NominationRow,
} from './store.ts';
import { nominationWriter, type Operator, type SlotRange } from './wire.ts';

const ALL_SLOTS: SlotRange = { from: 1, to: MAX_SLOTS };

type ListCall = {
  readonly viewer: Viewer;
  readonly query: QueryOf<typeof nominationEndpoints.listNominations>;
  readonly page: PageRequest;
};
type SingleCall = { readonly viewer: Viewer; readonly params: { readonly nomination_id: string } };
type CausesCall = SingleCall & { readonly query: QueryOf<typeof nominationEndpoints.getNominationCauses> };
type SingleCallAsOf = SingleCall & { readonly query: QueryOf<typeof nominationEndpoints.getNomination> };

/** Reads shared by the BRP API and the operator API. The viewer restricts the rows. */
function nominationReads(rules: MarketRules, operator: Operator, readsAsOf: AsOfReads) {
  const write = nominationWriter(operator);
  const answer = (rows: readonly NominationRow[], range = ALL_SLOTS, pagination: Pagination | null = null) =>
    write.list(rows, range, pagination);
  return {
    async bulk(viewer: Viewer, { ids, as_of }: BulkRead, given: Db) {
      const { db, asOf } = await readsAsOf(given, as_of);
      return answer(await findNominations(db, viewer, nominationUuids(ids), asOf));
    },
    async list({ viewer, query, page }: ListCall, given: Db) {
      const { filter, range } = nominationFilter(query);
      const { db, asOf } = await readsAsOf(given, query.as_of);
      const withSlots = query.include_slots === 'true';
      const rows = await listNominations(db, viewer, filter, pageByDay(page), withSlots, asOf);
      const { records, pagination } = paginate(page, rows, (row) => [row.delivery_day, row.id]);
      return answer(records, range, pagination);
    },
    async single({ viewer, params, query }: SingleCallAsOf, given: Db) {
      const { db, asOf } = await readsAsOf(given, query.as_of);
      const uuid = nominationUuid(params.nomination_id);
      const [row] = await findNominations(db, viewer, [uuid], asOf);
      if (!row) throw nominationNotFound();
      return write.one(row, ALL_SLOTS);
    },
    async history({ viewer, params, query }: SingleCallAsOf, given: Db) {
      const { db, asOf } = await readsAsOf(given, query.as_of);
      const uuid = nominationUuid(params.nomination_id);
      const rows = await findNominationHistory(db, viewer, uuid, asOf);
      if (rows.length === 0) throw nominationNotFound();
      return answer(rows);
    },
    async explanation({ viewer, params }: SingleCall, db: Db) {
      const explained = await explainNomination(db, viewer, nominationUuid(params.nomination_id), rules);
      if (explained === null) throw nominationNotFound();
      return explained;
    },
    async causes({ viewer, params, query }: CausesCall, db: Db) {
      const since = query.since === undefined ? null : decodeId(ID_PREFIX.nomination, query.since);
      const id = nominationUuid(params.nomination_id);
      const explained =
        query.since !== undefined && since === null
          ? 'no_earlier_version'
          : await explainChange(db, viewer, { id, since }, rules);
      if (explained === null) throw nominationNotFound();
      if (explained === 'no_earlier_version')
        throw fieldProblem('since', 'validation_failed', { key: 'field.no_earlier_version' });
      return explained;
    },
  };
}

type BulkRead = { readonly ids: readonly string[]; readonly as_of?: string | undefined };

type FilterQuery = QueryOf<typeof exportEndpoints.exportNominations>;

export function nominationFilter(query: FilterQuery): { filter: NominationFilter; range: SlotRange } {
  const range = { from: query.slot_number_from ?? 1, to: query.slot_number_to ?? MAX_SLOTS };
  return { filter: { ...query, delivery: deliveryRange(query), slotFrom: range.from }, range };
}

export function nominationRoutes(rules: MarketRules, operator: Operator, readsAsOf: AsOfReads): Route[] {
  const reads = nominationReads(rules, operator, readsAsOf);
  return [
    replicaRoute(nominationEndpoints.listNominations, reads.list),
    replicaRoute(nominationEndpoints.getNomination, reads.single),
    replicaRoute(nominationEndpoints.getNominationHistory, reads.history),
    replicaRoute(nominationEndpoints.explainNomination, reads.explanation),
    replicaRoute(nominationEndpoints.getNominationCauses, reads.causes),
    replicaRoute(nominationEndpoints.getNominationsBulk, ({ viewer, query }, db) =>
      reads.bulk(viewer, query, db),
    ),
    replicaRoute(nominationEndpoints.postNominationsBulk, ({ viewer, body }, db) =>
      reads.bulk(viewer, body, db),
    ),
  ];
}

export function operatorNominationRoutes(
  db: Database,
  clock: Clock,
  rules: MarketRules,
  operator: Operator,
  readsAsOf: AsOfReads,
): Route[] {
  const reads = nominationReads(rules, operator, readsAsOf);
  return [
    longRoute(operatorNominationEndpoints.runNominations, ({ body }) => ({
      async work() {
        const run = await nominateDue(db, clock, rules, { day: body.delivery_date });
        const { positions, created, unchanged, tooLate } = run;
        return { positions, created, unchanged, too_late: tooLate };
      },
      // The job nets the same changes without an audit event.
      record: async () => {},
    })),
    ...lateRoutes(),
    replicaRoute(operatorNominationEndpoints.operatorListNominations, reads.list),
    replicaRoute(operatorNominationEndpoints.operatorGetNomination, reads.single),
    replicaRoute(operatorNominationEndpoints.operatorGetNominationHistory, reads.history),
    replicaRoute(operatorNominationEndpoints.operatorExplainNomination, reads.explanation),
    replicaRoute(operatorNominationEndpoints.operatorGetNominationCauses, reads.causes),
  ];
}

/** Number of position-days that an export reads at once. */
const EXPORT_BATCH = 100;

function lateRoutes(): Route[] {
  const { listLate: list, exportLate } = operatorNominationEndpoints;
  /** Null when the BRP is unknown, so that nothing matches. */
  const filterOf = async (db: Db, query: QueryOf<typeof exportLate>): Promise<LateFilter | null> => {
    const brp = query.brp_id === undefined ? null : await findBrp(db, query.brp_id);
    if (query.brp_id !== undefined && brp === null) return null;
    return { day: query.delivery_date ?? null, brpNo: brp?.no ?? null };
  };
  return [
    replicaRoute(list, async ({ query, page }, db) => {
      const filter = await filterOf(db, query);
      const [day = FIRST_DAY, positionNo = 0] = page.after ?? [];
      const after = { day: String(day), positionNo: Number(positionNo) };
      const rows = filter === null ? [] : await listLate(db, filter, { after, count: page.limit + 1 });
      const { records, pagination } = paginate(page, rows, (row) => [row.delivery_day, row.position_no]);
      return { late: records.map(wireLate), pagination };
    }),
    replicaRoute(exportLate, async ({ query, reply }, db) => {
      const filter = await filterOf(db, query);
      reply.headers({
        'content-type': 'text/csv; charset=utf-8',
        ...attachment(`late_${query.delivery_date ?? ''}.csv`),
      });
      return Readable.from(filter === null ? [LATE_CSV_HEADER] : lateLines(db, filter));
    }),
  ];
}

/** Reads one batch at a time, at the reader's speed. A failure breaks the connection, so that no file is truncated. */
async function* lateLines(db: Db, filter: LateFilter): AsyncGenerator<string> {
  yield LATE_CSV_HEADER;
  let after = { day: FIRST_DAY, positionNo: 0 };
  for (;;) {
    const rows = await listLate(db, filter, { after, count: EXPORT_BATCH });
    if (rows.length > 0) yield rows.map(lateCsv).join('');
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORT_BATCH) return;
    after = { day: last.delivery_day, positionNo: last.position_no };
  }
}

const pageByDay = (page: PageRequest) => ({
  after: { day: String(page.after?.[0] ?? FIRST_DAY), id: String(page.after?.[1] ?? FIRST_ID) },
  count: page.limit + 1,
});

/** Removes duplicates and malformed ids. Malformed ids are omitted from the answer, as unknown ids are. */
const nominationUuids = (ids: readonly string[]): string[] =>
  [...new Set(ids)].map((id) => decodeId(ID_PREFIX.nomination, id)).filter((uuid) => uuid !== null);

export const nominationUuid = (id: string) => getUuid(ID_PREFIX.nomination, id, nominationNotFound);

export const nominationNotFound = () => problem('nomination_not_found');
