import { operatorSeriesEndpoints as endpoints } from '@saldo/api';
import { ID_PREFIX } from '@saldo/core/id.ts';
import type { Database } from '../platform/db/database.ts';
import { languageOf } from '../platform/http/accept.ts';
import { attachment } from '../platform/http/answer-headers.ts';
import { pageInOrder, paginate } from '../platform/http/paging.ts';
import { getUuid, problem } from '../platform/http/problem.ts';
import { type Route, route } from '../platform/http/routes.ts';
import { findInterchange, findRaw, listInterchanges } from './interchange-store.ts';
import { wireInterchange } from './interchange-wire.ts';

export function interchangeRoutes(db: Database): Route[] {
  return [
    route(endpoints.listInterchanges, async (call) => {
      const { page } = call;
      const rows = await listInterchanges(db, pageInOrder(page, 'newest_first'));
      const { records, pagination } = paginate(page, rows, ({ id }) => [id]);
      const language = languageOf(call);
      return { interchanges: records.map((row) => wireInterchange(row, language)), pagination };
    }),

    route(endpoints.getInterchange, async (call) => {
      const row = await findInterchange(db, interchangeUuid(call.params.interchange_id));
      if (row === null) throw interchangeNotFound();
      return wireInterchange(row, languageOf(call));
    }),

    route(endpoints.getInterchangeRaw, async ({ params, reply }) => {
      const raw = await findRaw(db, interchangeUuid(params.interchange_id));
      if (raw === null) throw interchangeNotFound();
      reply.headers({ 'content-type': 'application/edifact', ...attachment(`${params.interchange_id}.edi`) });
      return raw;
    }),
  ];
}

const interchangeNotFound = () => problem('interchange_not_found');
const interchangeUuid = (id: string) => getUuid(ID_PREFIX.interchange, id, interchangeNotFound);
