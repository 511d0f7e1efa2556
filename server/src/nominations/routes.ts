import { nominationEndpoints, operatorNominationEndpoints, type Pagination, type QueryOf } from '@saldo/api';
import { MAX_SLOTS } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Db } from '../platform/db/database.ts';
import { FIRST_ID, type PageRequest, paginate } from '../platform/http/paging.ts';
import { problem } from '../platform/http/problem.ts';
import { type Route, route } from '../platform/http/routes.ts';
import { deliveryRange, FIRST_DAY } from '../platform/http/time-filter.ts';
import { nominateDue } from './actions.ts';
import { explainNomination } from './explanation.ts';
import { findNominationHistory, findNominations, listNominations, type NominationRow } from './store.ts';
import { nominationWriter, type Operator, type SlotRange } from './wire.ts';

const ALL_SLOTS: SlotRange = { from: 1, to: MAX_SLOTS };

type ListCall = {
  readonly viewer: Viewer;
  readonly query: QueryOf<typeof nominationEndpoints.listNominations>;
  readonly page: PageRequest;
};
type SingleCall = { readonly viewer: Viewer; readonly params: { readonly nomination_id: string } };

/** Reads shared by the BRP API and the operator API. The viewer restricts the rows. */
function nominationReads(db: Db, operator: Operator) {
  const write = nominationWriter(operator);
  const answer = (rows: readonly NominationRow[], range = ALL_SLOTS, pagination: Pagination | null = null) =>
    write.list(rows, range, pagination);
  return {
    answer,
    async list({ viewer, query, page }: ListCall) {
      const range = { from: query.slot_number_from ?? 1, to: query.slot_number_to ?? MAX_SLOTS };
      const filter = {
        status: query.status ?? null,
        eic: query.eic ?? null,
        tso: query.tso ?? null,
        direction: query.direction ?? null,
        delivery: deliveryRange(query),
        slotFrom: range.from,
      };
      const rows = await listNominations(db, viewer, filter, pageByDay(page), query.include_slots === 'true');
      const { records, pagination } = paginate(page, rows, (row) => [row.delivery_day, row.id]);
      return answer(records, range, pagination);
    },
    async single({ viewer, params }: SingleCall) {
      const [row] = await findNominations(db, viewer, [nominationUuid(params.nomination_id)]);
      if (!row) throw nominationNotFound();
      return write.one(row, ALL_SLOTS);
    },
    async history({ viewer, params }: SingleCall) {
      const rows = await findNominationHistory(db, viewer, nominationUuid(params.nomination_id));
      if (rows.length === 0) throw nominationNotFound();
      return answer(rows);
    },
    async explanation({ viewer, params }: SingleCall) {
      const explained = await explainNomination(db, viewer, nominationUuid(params.nomination_id));
      if (explained === null) throw nominationNotFound();
      return explained;
    },
  };
}

export function nominationRoutes(db: Db, operator: Operator): Route[] {
  const reads = nominationReads(db, operator);
  return [
    route(nominationEndpoints.listNominations, reads.list),
    route(nominationEndpoints.getNomination, reads.single),
    route(nominationEndpoints.getNominationHistory, reads.history),
    route(nominationEndpoints.explainNomination, reads.explanation),
    route(nominationEndpoints.getNominationsBulk, async ({ viewer, query }) =>
      reads.answer(await findNominations(db, viewer, nominationUuids(query.ids))),
    ),
    route(nominationEndpoints.postNominationsBulk, async ({ viewer, body }) =>
      reads.answer(await findNominations(db, viewer, nominationUuids(body.ids))),
    ),
  ];
}

export function operatorNominationRoutes(
  db: Database,
  clock: Clock,
  rules: MarketRules,
  operator: Operator,
): Route[] {
  const reads = nominationReads(db, operator);
  return [
    route(operatorNominationEndpoints.runNominations, async ({ body }) => {
      const run = await nominateDue(db, clock.now(), rules, { day: body.delivery_date });
      const { positions, created, unchanged, tooLate } = run;
      return { positions, created, unchanged, too_late: tooLate };
    }),
    route(operatorNominationEndpoints.operatorListNominations, reads.list),
    route(operatorNominationEndpoints.operatorGetNomination, reads.single),
    route(operatorNominationEndpoints.operatorGetNominationHistory, reads.history),
    route(operatorNominationEndpoints.operatorExplainNomination, reads.explanation),
  ];
}

const pageByDay = (page: PageRequest) => ({
  after: { day: String(page.after?.[0] ?? FIRST_DAY), id: String(page.after?.[1] ?? FIRST_ID) },
  count: page.limit + 1,
});

/** Removes duplicates and malformed ids. Malformed ids are omitted from the answer, as unknown ids are. */
const nominationUuids = (ids: readonly string[]): string[] =>
  [...new Set(ids)].map((id) => decodeId(ID_PREFIX.nomination, id)).filter((uuid) => uuid !== null);

/** Decodes a public nomination id. Throws the same 404 for a malformed id as for an unknown one. */
export function nominationUuid(id: string): string {
  const uuid = decodeId(ID_PREFIX.nomination, id);
  if (uuid === null) throw nominationNotFound();
  return uuid;
}

export const nominationNotFound = () => problem('nomination_not_found', 'There is no such nomination.');
