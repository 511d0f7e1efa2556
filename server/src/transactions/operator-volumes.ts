import { operatorVolumeEndpoints as endpoints } from '@saldo/api';
import { isDayWithin } from '@saldo/core/contracts/contract.ts';
import { parseDay, slotCount } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { type AuditEvent, recordAudit } from '../audit/store.ts';
import { sourceOn } from '../contracts/source-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { type FieldError, fieldProblem, problem } from '../platform/http/problem.ts';
import { type Call, longRoute, type Route, route, writeRoute } from '../platform/http/routes.ts';
import { FIRST_DAY, LAST_DAY } from '../platform/http/time-filter.ts';
import { writeContractDay } from './actions.ts';
import { VOLUME_IMPORT } from './import.ts';
import { answerImport, type ImportCounts, type ImportOperation } from './import-request.ts';
import { runProfiles } from './profiles.ts';
import { explainInactive, isActiveOn, lockContracts } from './volume-contracts.ts';

const VOLUMES: ImportOperation = {
  endpoint: endpoints.importVolumes,
  subject: VOLUME_IMPORT,
  imported: 'volumes.imported',
  brokenOff: 'volumes.import_broken_off',
};

/** Writes quarter-hour volumes: one contract-day, an import stream, or generated from the contracts' profiles. */
export function operatorVolumeRoutes(
  db: Database,
  clock: Clock,
  { profileDays, importSilenceS }: { profileDays: number; importSilenceS: number },
  counts: ImportCounts,
): Route[] {
  return [
    writeRoute(endpoints.putContractDay, (call, tx) => putDay(tx, call, clock), dayErrors),

    route(endpoints.importVolumes, (call) =>
      answerImport(db, VOLUMES, call, clock, { silenceMs: importSilenceS * 1000, counts }),
    ),

    longRoute(endpoints.runProfiles, (call) => ({
      work: () => runProfiles(db, clock, call.body.days ?? profileDays),
      record(tx, after) {
        const event = { action: 'profiles.run', subject: call.request.id, after } as const;
        return recordAudit(tx, call, event, clock.now());
      },
    })),
  ];
}

/** Checks the number of volumes, which no schema can: it depends on the number of slots of the day. */
function dayErrors({ delivery_date }: { delivery_date: string }, body: unknown): FieldError[] {
  const day = parseDay(delivery_date);
  if (day === null || day < FIRST_DAY || day > LAST_DAY) {
    return [{ field: 'delivery_date', code: 'invalid_format', message: { key: 'field.date' } }];
  }
  const volumes: unknown = (body as { volumes?: unknown } | null | undefined)?.volumes;
  const slots = slotCount(day);
  if (!Array.isArray(volumes) || volumes.length === slots) return [];
  const code = volumes.length < slots ? 'value_too_small' : 'value_too_large';
  return [
    { field: 'volumes', code, message: { key: 'field.slots_of_day', day, slots, count: volumes.length } },
  ];
}

async function putDay(tx: Tx, call: Call<typeof endpoints.putContractDay>, clock: Clock): Promise<object> {
  const { contract_id: id, delivery_date: day } = call.params;
  const uuid = decodeId(ID_PREFIX.contract, id);
  const [contract] = uuid === null ? [] : await lockContracts(tx, { ids: [uuid], externalIds: [] });
  if (!contract) throw problem('contract_not_found');
  const now = clock.now();
  const { type, deliveryStart, deliveryEnd } = contract;
  if (type !== 'ppa' || deliveryStart === null || deliveryEnd === null) {
    throw problem(
      'contract_without_volumes',
      type === 'ppa'
        ? { key: 'problem.contract_without_dates' }
        : { key: 'problem.contract_without_volumes', type },
    );
  }
  if (!isDayWithin(contract, day)) {
    throw fieldProblem('delivery_date', 'validation_failed', { key: 'field.outside_delivery' });
  }
  if (sourceOn(contract.sources, day) !== null)
    throw problem('contract_has_source', { key: 'problem.contract_has_source', day });
  if (!isActiveOn(contract, day)) {
    const reason = (await explainInactive(tx, [contract.no]))(contract.no);
    throw problem('customer_not_active', { key: 'problem.customer_not_active', day, reason });
  }
  const volumes = call.body.volumes.map((mwh) => (mwh === null ? null : kwhFromMwh(mwh)));
  const after = await writeContractDay(tx, contract, day, volumes, now);
  const event: AuditEvent = {
    action: 'contract_day.written',
    subject: id,
    after: { delivery_date: day, ...after },
  };
  await recordAudit(tx, call, event, now);
  return after;
}
