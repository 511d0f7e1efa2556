import type { Readable } from 'node:stream';
import { LIMITS, ownScheduleEndpoints, type ScheduleCheck, type scheduleEndpoints } from '@saldo/api';
import { exactMwh, kwFromKwh, mwhNumber } from '@saldo/core/energy.ts';
import { readDocumentInSteps } from '@saldo/core/exchange/documents/read-document.ts';
import { readScheduleCsv } from '@saldo/core/exchange/documents/read-schedule-csv.ts';
import {
  type CheckedCsv,
  type CheckedSchedule,
  compareSchedule,
  type ReadSchedule,
  type ScheduleComparison,
  seriesWithOperator,
} from '@saldo/core/exchange/schedule-check.ts';
import { type Finding, findingsOf } from '@saldo/core/exchange/schedule-rules.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { formatMessage, type Message } from '@saldo/core/messages/message.ts';
import { findCurrentNominations } from '../nominations/store.ts';
import { tenantValues } from '../platform/auth/viewer.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { languageOf } from '../platform/http/accept.ts';
import { concurrencyLimiter } from '../platform/http/concurrency-limiter.ts';
import { refuseMissingScopes } from '../platform/http/guard.ts';
import { decimalOfCsvOnly, fieldProblem, validationProblem } from '../platform/http/problem.ts';
import type { Call } from '../platform/http/routes.ts';
import { mediaTypeOf, readDecoded } from '../platform/http/streams.ts';
import { ownNomination } from './own-nomination.ts';
import { runWithPauses } from './process/run-with-pauses.ts';
import type { Scheduler } from './process/schedules.ts';
import { findSubmitted, rememberSubmitted, submissionProblem } from './submitted-schedules.ts';

type CheckCall = Call<typeof scheduleEndpoints.checkSchedule>;

/** Each check that runs or waits for its turn holds a whole file in memory. */
const CHECKS_AT_ONCE = 8;
const CHECKS_WAITING_AT_MOST = 16;
/** A BRP's other files wait unread. */
const CHECKS_AT_ONCE_PER_BRP = 2;
const UNREAD_AT_MOST_PER_BRP = 64;

/** Compares uploaded schedules with current nominations, and checks them for what a TSO would reject. */
export function scheduleChecker(db: Database, clock: Clock, scheduler: Scheduler) {
  const inTurn = concurrencyLimiter({ atOnce: CHECKS_AT_ONCE, waitingAtMost: CHECKS_WAITING_AT_MOST });
  const perBrp = new Map<number, typeof inTurn>();

  return async function answerCheck(call: CheckCall): Promise<ScheduleCheck> {
    const { viewer, query, request } = call;
    const body = request.body as Readable | undefined;
    if (body === undefined) throw faults([{ key: 'document.check_required' }], 'required');
    const { type } = mediaTypeOf(request.headers['content-type']);
    if (query.decimal !== undefined && type !== 'text/csv') throw decimalOfCsvOnly();
    const isSubmitted = query.submitted === 'true';
    if (isSubmitted) refuseMissingScopes(ownScheduleEndpoints.markSchedules, request.principal!);
    if (isSubmitted && type === 'text/csv') throw submissionProblem({ key: 'exchange.submitted_of_csv' });
    const language = languageOf(call);
    const [brpNo = 0] = tenantValues(viewer);
    const ownTurn = perBrp.getOrInsertComputed(brpNo, () =>
      concurrencyLimiter({ atOnce: CHECKS_AT_ONCE_PER_BRP, waitingAtMost: UNREAD_AT_MOST_PER_BRP }),
    );
    try {
      return await ownTurn(async () => {
        // Read before the common limit applies, so that slow senders delay only checks of their own BRP.
        const file = await readDecoded(request, body, LIMITS.scheduleBytes);
        return inTurn(async () => {
          const nominationsOf = async ({ day }: CheckedSchedule) =>
            (await findCurrentNominations(db, viewer, day)).map(ownNomination);
          if (type === 'text/csv') {
            const checked = await readCsv(file, scheduler, query.decimal);
            return wireCheck(
              checked,
              compareSchedule(checked, await nominationsOf(checked)),
              checked.findings,
              language,
            );
          }
          const { document, checked } = await readXml(file, scheduler);
          const { operatorEic: eic, day, tso } = document.schedule;
          const submitted = await findSubmitted(db, viewer, day, eic);
          const findings = findingsOf({
            ...document,
            rules: scheduler.rules,
            exportedAgainst: scheduler.operatorEic,
            previous: submitted.find((one) => one.tso === tso) ?? null,
            elsewhere: submitted.filter((one) => one.tso !== tso),
          });
          const comparison = compareSchedule(checked, await nominationsOf(checked));
          if (isSubmitted)
            await rememberSubmitted(db, call, document, equalNominations(comparison), clock.now());
          return wireCheck(checked, comparison, findings, language);
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
): Promise<CheckedCsv> {
  const read = await runWithPauses(readScheduleCsv(file, operatorEic, decimal ?? null));
  if ('question' in read) throw fieldProblem('decimal', 'required', read.question);
  if ('faults' in read) throw faults(read.faults);
  return read;
}

async function readXml(
  file: Buffer,
  { operatorEic, rules }: Scheduler,
): Promise<{ document: ReadSchedule; checked: CheckedSchedule }> {
  const read = await runWithPauses(readDocumentInSteps(file, rules, 'to_check'));
  if (read.kind === 'unreadable') throw faults([read.fault]);
  const { document } = read;
  if (document.kind !== 'schedule') throw faults([{ key: 'document.check_answer' }]);
  const checked = seriesWithOperator(document, operatorEic);
  if ('faults' in checked) throw faults(checked.faults);
  return { document, checked };
}

const faults = (messages: readonly Message[], code: 'invalid_format' | 'required' = 'invalid_format') =>
  validationProblem(messages.slice(0, LIMITS.fieldErrors).map((message) => ({ code, message })));

const nominationId = ({ id }: { id: string }) => encodeId(ID_PREFIX.nomination, id);

type Comparison = ScheduleComparison<ReturnType<typeof ownNomination>>;

/** The versions that a file has. A file with other values was not made for the current version. */
const equalNominations = ({ compared }: Comparison): string[] =>
  compared.filter(({ slots }) => slots.length === 0).map(({ nomination }) => nomination.id);

function wireCheck(
  checked: CheckedSchedule,
  { compared, missing, unknown }: Comparison,
  findings: readonly Finding[],
  language: Language,
): ScheduleCheck {
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
    rules: findings.slice(0, LIMITS.scheduleFindings).map(({ code, series, slots, text }) => ({
      code,
      series,
      slots: [...slots],
      text: formatMessage(text, language),
    })),
  };
}
