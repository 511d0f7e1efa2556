import type { Readable } from 'node:stream';
import { LIMITS, type ScheduleCheck, type scheduleEndpoints } from '@saldo/api';
import { exactMwh, kwFromKwh, mwhNumber } from '@saldo/core/energy.ts';
import { readDocumentInSteps } from '@saldo/core/exchange/documents/read-document.ts';
import { readScheduleCsv } from '@saldo/core/exchange/documents/read-schedule-csv.ts';
import {
  type CheckedSchedule,
  compareSchedule,
  seriesWithOperator,
} from '@saldo/core/exchange/schedule-check.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { findCurrentNominations } from '../nominations/store.ts';
import { tenantValues } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { concurrencyLimiter } from '../platform/http/concurrency-limiter.ts';
import { decimalOfCsvOnly, fieldProblem, validationProblem } from '../platform/http/problem.ts';
import type { Call } from '../platform/http/routes.ts';
import { mediaTypeOf, readDecoded } from '../platform/http/streams.ts';
import { ownNomination } from './own-nomination.ts';
import { runWithPauses } from './process/run-with-pauses.ts';
import type { Scheduler } from './process/schedules.ts';

type CheckCall = Call<typeof scheduleEndpoints.checkSchedule>;

/** Each check that runs or waits for its turn holds a whole file in memory. */
const CHECKS_AT_ONCE = 8;
const CHECKS_WAITING_AT_MOST = 16;
/** A BRP's other files wait unread. */
const CHECKS_AT_ONCE_PER_BRP = 2;
const UNREAD_AT_MOST_PER_BRP = 64;

/** Compares uploaded schedules with current nominations. Reads only. */
export function scheduleChecker(scheduler: Scheduler) {
  const inTurn = concurrencyLimiter({ atOnce: CHECKS_AT_ONCE, waitingAtMost: CHECKS_WAITING_AT_MOST });
  const perBrp = new Map<number, typeof inTurn>();

  return async function answerCheck(call: CheckCall, db: Db): Promise<ScheduleCheck> {
    const { viewer, query, request } = call;
    const body = request.body as Readable | undefined;
    if (body === undefined) throw faults([{ key: 'document.check_required' }], 'required');
    const { type } = mediaTypeOf(request.headers['content-type']);
    if (query.decimal !== undefined && type !== 'text/csv') throw decimalOfCsvOnly();
    const [brpNo = 0] = tenantValues(viewer);
    const ownTurn = perBrp.getOrInsertComputed(brpNo, () =>
      concurrencyLimiter({ atOnce: CHECKS_AT_ONCE_PER_BRP, waitingAtMost: UNREAD_AT_MOST_PER_BRP }),
    );
    try {
      return await ownTurn(async () => {
        // Read before the common limit applies, so that slow senders delay only checks of their own BRP.
        const file = await readDecoded(request, body, LIMITS.scheduleBytes);
        return inTurn(async () => {
          const checked =
            type === 'text/csv'
              ? await readCsv(file, scheduler, query.decimal)
              : await readXml(file, scheduler);
          const rows = await findCurrentNominations(db, viewer, checked.day);
          return wireCheck(checked, rows.map(ownNomination));
        });
      });
    } finally {
      // Drain the rest of the body so that the client can read our error.
      body.resume();
    }
  };
}

async function readCsv(
  file: Buffer,
  { operatorEic }: Scheduler,
  decimal: CheckCall['query']['decimal'],
): Promise<CheckedSchedule> {
  const read = await runWithPauses(readScheduleCsv(file, operatorEic, decimal ?? null));
  if ('question' in read) throw fieldProblem('decimal', 'required', read.question);
  if ('faults' in read) throw faults(read.faults);
  return read;
}

async function readXml(file: Buffer, { operatorEic, rules }: Scheduler): Promise<CheckedSchedule> {
  const read = await runWithPauses(readDocumentInSteps(file, rules, 'with_unusable_series'));
  if (read.kind === 'unreadable') throw faults([read.fault]);
  const { document } = read;
  if (document.kind !== 'schedule') throw faults([{ key: 'document.check_answer' }]);
  const checked = seriesWithOperator(document, operatorEic);
  if ('faults' in checked) throw faults(checked.faults);
  return checked;
}

const faults = (messages: readonly Message[], code: 'invalid_format' | 'required' = 'invalid_format') =>
  validationProblem(messages.slice(0, LIMITS.fieldErrors).map((message) => ({ code, message })));

const nominationId = ({ id }: { id: string }) => encodeId(ID_PREFIX.nomination, id);

function wireCheck(
  checked: CheckedSchedule,
  nominations: readonly ReturnType<typeof ownNomination>[],
): ScheduleCheck {
  const { compared, missing, unknown } = compareSchedule(checked, nominations);
  return {
    delivery_date: checked.day,
    message_version: checked.version,
    compared: compared.map(({ nomination, slotsEqual, slots }) => ({
      nomination_id: nominationId(nomination),
      eic: nomination.eic,
      tso: nomination.tso,
      direction: nomination.direction,
      slots_equal: slotsEqual,
      slots: slots.map(({ slot, amountKwh, yoursKw }) => ({
        slot_number: slot,
        amount: mwhNumber(amountKwh),
        yours: exactMwh(yoursKw),
        difference: exactMwh(kwFromKwh(amountKwh) - yoursKw),
      })),
    })),
    missing: missing.map(nominationId),
    unknown: unknown.map(({ series: { identification, eic, tso, direction }, opposite }) => ({
      identification,
      eic,
      tso,
      direction,
      opposite_nomination_id: opposite && nominationId(opposite),
    })),
    ignored: checked.ignored,
  };
}
