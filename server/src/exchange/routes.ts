import { type QueryOf, scheduleEndpoints } from '@saldo/api';
import { scheduleFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { writeEssSeries, writeSchedule } from '@saldo/core/exchange/documents/write-document.ts';
import { ownSchedule, ownSeries } from '@saldo/core/exchange/own-schedule.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { tsoCodes } from '@saldo/core/market-rules.ts';
import { nominationNotFound, nominationUuid } from '../nominations/routes.ts';
import { findCurrentNominations, findNominations } from '../nominations/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { languageOf, preferredFormat, varyBy } from '../platform/http/accept.ts';
import { attachment } from '../platform/http/answer-headers.ts';
import { fieldProblem, problem, validationProblem } from '../platform/http/problem.ts';
import { type Route, replicaRoute, route } from '../platform/http/routes.ts';
import { scheduleChecker } from './check-request.ts';
import { scheduleCsv } from './documents/schedule-csv.ts';
import { ownNomination } from './own-nomination.ts';
import type { Scheduler } from './process/schedules.ts';
import { reconciler } from './reconciliation.ts';

const CSV = { 'content-type': 'text/csv; charset=utf-8' };
/** The formats of a single nomination by media type. */
const SERIES_FORMATS = { 'text/csv': 'csv', 'application/xml': 'ess', 'text/xml': 'ess' } as const;
const XML = { 'content-type': 'application/xml; charset=utf-8' };

/** The schedule that a BRP has to nominate to its TSO: the counterpart of the operator's schedule. */
export function scheduleRoutes(db: Database, clock: Clock, scheduler: Scheduler): Route[] {
  const { operatorEic, rules } = scheduler;
  const reconcile = reconciler(scheduler);
  return [
    replicaRoute(scheduleEndpoints.getNominationSchedule, async (call, db) => {
      const { viewer, params, query, request, reply } = call;
      const [row] = await findNominations(db, viewer, [nominationUuid(params.nomination_id)]);
      if (!row) throw nominationNotFound();
      if (query.format === undefined) varyBy(reply, 'Accept');
      const format = query.format ?? preferredFormat(request.headers.accept, SERIES_FORMATS);
      const name = `${row.delivery_day}_${row.eic}_${row.tso}_${row.direction}_v${row.version}`;
      if (format === 'csv') {
        reply.headers({ ...CSV, ...attachment(`${name}.csv`) });
        return scheduleCsv([row], operatorEic);
      }
      reply.headers({ ...XML, ...attachment(`${name}.xml`) });
      const { area } = tsoCodes(rules, row.tso, row.delivery_day);
      return writeEssSeries(ownSeries(ownNomination(row), area, operatorEic, row.version), row.delivery_day);
    }),

    replicaRoute(scheduleEndpoints.getDaySchedule, async ({ viewer, query, reply }, db) => {
      const asked = documentAsked(query);
      const { delivery_date: day, eic, tso } = query;
      const chosen = query.nomination_ids === undefined ? null : new Set(query.nomination_ids.split(','));
      const rows = (await findCurrentNominations(db, viewer, day)).filter(
        (row) =>
          (eic === undefined || row.eic === eic) &&
          (tso === undefined || row.tso === tso) &&
          (chosen === null || chosen.has(encodeId(ID_PREFIX.nomination, row.id))),
      );
      if (asked === null) {
        reply.headers({ ...CSV, ...attachment(`${[day, eic, tso].filter(Boolean).join('_')}.csv`) });
        return scheduleCsv(rows, operatorEic);
      }
      if (rows.length === 0) {
        const position = { eic: asked.eic, tso: asked.tso };
        throw problem('nomination_not_found', { key: 'exchange.no_nominations', ...position, day });
      }
      const schedule = ownSchedule({ ...asked, day }, rows.map(ownNomination), operatorEic, rules);
      reply.headers({ ...XML, ...attachment(scheduleFileName(schedule)) });
      return writeSchedule(schedule, asked.format, clock.now());
    }),

    replicaRoute(scheduleEndpoints.reconcileNomination, async (call, db) => {
      const { viewer, params } = call;
      const [row] = await findNominations(db, viewer, [nominationUuid(params.nomination_id)]);
      if (!row) throw nominationNotFound();
      return reconcile(db, row, languageOf(call));
    }),

    route(scheduleEndpoints.checkSchedule, scheduleChecker(db, clock, scheduler)),
  ];
}

/** The message that a query asks for; null for CSV, which needs no position and has no version. */
function documentAsked(query: QueryOf<typeof scheduleEndpoints.getDaySchedule>) {
  const { format = 'csv', eic, tso, message_version: version } = query;
  if (format === 'csv') {
    if (version === undefined) return null;
    throw fieldProblem('message_version', 'validation_failed', { key: 'exchange.version_of_csv' });
  }
  if (eic !== undefined && tso !== undefined && version !== undefined) return { format, eic, tso, version };
  const missing = Object.entries({ eic, tso, message_version: version }).filter(
    ([, given]) => given === undefined,
  );
  const message = { key: 'exchange.required_for_format', format } as const;
  throw validationProblem(missing.map(([field]) => ({ field, code: 'required', message })));
}
