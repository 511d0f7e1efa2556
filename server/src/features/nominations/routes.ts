import { nominationEndpoints, type Pagination } from '@saldo/api';
import type { Db } from '../../db/database.ts';
import { MAX_SLOTS } from '../../domain/delivery-day.ts';
import { decodeId, ID_PREFIX } from '../../domain/id.ts';
import { FIRST_ID, type PageRequest, paginate } from '../../http/paging.ts';
import { problem } from '../../http/problem.ts';
import { type Route, route } from '../../http/routes.ts';
import { deliveryRange, FIRST_DAY } from '../../http/time-filter.ts';
import { findNominationHistory, findNominations, listNominations, type NominationRow } from './store.ts';
import { nominationEnvelope, nominationWriter, type Operator, type SlotRange } from './wire.ts';

const ALL_SLOTS: SlotRange = { from: 1, to: MAX_SLOTS };

export function nominationRoutes(db: Db, operator: Operator): Route[] {
  const write = nominationWriter(operator);
  const answer = (rows: readonly NominationRow[], range = ALL_SLOTS, pagination: Pagination | null = null) =>
    nominationEnvelope(
      rows.map((row) => write(row, range)),
      pagination,
    );
  return [
    route(nominationEndpoints.listNominations, async ({ viewer, query, page }) => {
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
    }),

    route(nominationEndpoints.getNomination, async ({ viewer, params }) => {
      const [row] = await findNominations(db, viewer, nominationUuids([params.nomination_id]));
      if (!row) throw nominationNotFound();
      return write(row, ALL_SLOTS);
    }),

    route(nominationEndpoints.getNominationHistory, async ({ viewer, params }) => {
      const [uuid] = nominationUuids([params.nomination_id]);
      const rows = uuid === undefined ? [] : await findNominationHistory(db, viewer, uuid);
      if (rows.length === 0) throw nominationNotFound();
      return answer(rows);
    }),

    route(nominationEndpoints.getNominationsBulk, async ({ viewer, query }) => {
      const rows = await findNominations(db, viewer, nominationUuids(query.ids));
      return answer(rows);
    }),

    route(nominationEndpoints.postNominationsBulk, async ({ viewer, body }) => {
      const rows = await findNominations(db, viewer, nominationUuids(body.ids));
      return answer(rows);
    }),
  ];
}

const pageByDay = (page: PageRequest) => ({
  after: { day: String(page.after?.[0] ?? FIRST_DAY), id: String(page.after?.[1] ?? FIRST_ID) },
  count: page.limit + 1,
});

/** Each id once; those that are no nomination's are left out like unknown ones. */
const nominationUuids = (ids: readonly string[]): string[] =>
  [...new Set(ids)].map((id) => decodeId(ID_PREFIX.nomination, id)).filter((uuid) => uuid !== null);

const nominationNotFound = () => problem('nomination_not_found', 'There is no such nomination.');
