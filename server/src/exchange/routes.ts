import { nominationEndpoints } from '@saldo/api';
import { kwFromKwh } from '@saldo/core/energy.ts';
import { writeEssSeries } from '@saldo/core/exchange/documents/write-document.ts';
import type { Series } from '@saldo/core/exchange/schedule.ts';
import { type MarketRules, tsoCodes } from '@saldo/core/market-rules.ts';
import type { FastifyRequest } from 'fastify';
import { nominationNotFound, nominationUuid } from '../nominations/routes.ts';
import { findCurrentNominations, findNominations, type NominationRow } from '../nominations/store.ts';
import type { Db } from '../platform/db/database.ts';
import { type Route, route } from '../platform/http/routes.ts';
import { scheduleCsv } from './documents/schedule-csv.ts';

const CSV = { 'content-type': 'text/csv; charset=utf-8' };
const XML = { 'content-type': 'application/xml; charset=utf-8' };

/** The schedule that a BRP has to nominate to its TSO: the counterpart of the operator's schedule. */
export function scheduleRoutes(db: Db, operatorEic: string, rules: MarketRules): Route[] {
  return [
    route(nominationEndpoints.getNominationSchedule, async ({ viewer, params, query, request, reply }) => {
      const [row] = await findNominations(db, viewer, [nominationUuid(params.nomination_id)]);
      if (!row) throw nominationNotFound();
      if (query.format === undefined) reply.header('vary', `${String(reply.getHeader('vary'))}, Accept`);
      const format = query.format ?? (prefersXml(request) ? 'ess' : 'csv');
      const name = `${row.delivery_day}_${row.eic}_${row.tso}_${row.direction}_v${row.version}`;
      if (format === 'csv') {
        reply.headers({ ...CSV, ...asFile(`${name}.csv`) });
        return scheduleCsv([row], operatorEic);
      }
      reply.headers({ ...XML, ...asFile(`${name}.xml`) });
      return writeEssSeries(ownSeries(row, operatorEic, rules), row.delivery_day);
    }),

    route(nominationEndpoints.getDaySchedule, async ({ viewer, query, reply }) => {
      const rows = await findCurrentNominations(db, viewer, query.delivery_date);
      reply.headers({ ...CSV, ...asFile(`${query.delivery_date}.csv`) });
      return scheduleCsv(rows, operatorEic);
    }),
  ];
}

const asFile = (name: string) => ({ 'content-disposition': `attachment; filename="${name}"` });

/** The first supported type in `Accept` wins. The default is CSV. */
function prefersXml({ headers }: FastifyRequest): boolean {
  const types = (headers.accept ?? '').split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase());
  return /^(?:application|text)\/xml$/.test(
    types.find((type) => /^(?:text\/csv|(?:application|text)\/xml)$/.test(type ?? '')) ?? '',
  );
}

/** The series of the BRP's own schedule, in which the operator is the counterpart. */
function ownSeries(row: NominationRow, operatorEic: string, rules: MarketRules): Series {
  const { area } = tsoCodes(rules, row.tso, row.delivery_day);
  const [outParty, inParty] = row.direction === 'out' ? [row.eic, operatorEic] : [operatorEic, row.eic];
  return {
    identification: `${operatorEic}_${row.direction.toUpperCase()}`,
    version: row.version,
    businessType: 'A02',
    outParty,
    outArea: area,
    inParty,
    inArea: area,
    powersKw: (row.amounts ?? []).map(kwFromKwh),
  };
}
