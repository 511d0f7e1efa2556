import { operatorSeriesEndpoints as endpoints } from '@saldo/api';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { type Route, route } from '../platform/http/routes.ts';
import { mediaTypeOf } from '../platform/http/streams.ts';
import { answerImport, type ImportCounts, type ImportOperation } from '../transactions/import-request.ts';
import { VALUE_IMPORT } from './import-values.ts';
import { answerInterchange } from './interchanges.ts';

const VALUES: ImportOperation = {
  endpoint: endpoints.importValues,
  subject: VALUE_IMPORT,
  imported: 'series_values.imported',
  brokenOff: 'series_values.import_broken_off',
};

/** Imports values of series: lines as CSV or NDJSON, or interchanges. */
export function valueImportRoutes(
  db: Database,
  clock: Clock,
  { importSilenceS }: { importSilenceS: number },
  counts: ImportCounts,
): Route[] {
  const silenceMs = importSilenceS * 1000;
  return [
    route(endpoints.importValues, (call) => {
      const { type } = mediaTypeOf(call.request.headers['content-type']);
      if (type === 'application/edifact') return answerInterchange(db, call, clock, silenceMs);
      return answerImport(db, VALUES, call, clock, { silenceMs, counts });
    }),
  ];
}
