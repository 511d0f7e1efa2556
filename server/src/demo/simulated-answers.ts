import { type SimulatedAnswer, simulationEndpoints } from '@saldo/api';
import { answerFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { nominationOf, type Schedule } from '@saldo/core/exchange/schedule.ts';
import { ID_PREFIX } from '@saldo/core/id.ts';
import { answersTo, type Behaviour, CONFORMING, finalTypeOf } from '@saldo/simulator/tso.ts';
import { type AuditEvent, recordAudit } from '../audit/store.ts';
import { type Receiving, receiveMessage } from '../exchange/process/receive.ts';
import { findDocument, findMessages, type MessageRow } from '../exchange/store.ts';
import { wireMessage } from '../exchange/wire.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { languageOf } from '../platform/http/accept.ts';
import { fieldProblem, getUuid, problem } from '../platform/http/problem.ts';
import { longRoute, type Route } from '../platform/http/routes.ts';

/** How much less the counterpart has in its slots with energy. */
const MISMATCH_KW = -40;

type Asked = { readonly answer: SimulatedAnswer; readonly eic?: string };

function behaviourOf({ answer, eic: asked }: Asked, { tso, series, operatorEic }: Schedule): Behaviour {
  if (asked !== undefined && answer !== 'mismatch')
    throw fieldProblem('eic', 'validation_failed', { key: 'field.for_mismatch' });
  if (answer === 'rejection') return { ...CONFORMING, rejections: [{ tso, day: null }] };
  const counterparts = series.flatMap((one) =>
    one.powersKw.some((kw) => kw > 0) ? (nominationOf(one, operatorEic) ?? []) : [],
  );
  if (asked !== undefined && !counterparts.some(({ eic }) => eic === asked))
    throw fieldProblem('eic', 'validation_failed', { key: 'field.not_in_schedule' });
  const eic = asked ?? counterparts[0]?.eic;
  if (answer === 'match' || eic === undefined) return CONFORMING;
  return { ...CONFORMING, deviations: [{ eic, tso, day: null, slots: null, differenceKw: MISMATCH_KW }] };
}

type Simulated = { messages: ReturnType<typeof wireMessage>[] };

const notFound = () => problem('message_not_found', { key: 'problem.schedule_not_found' });

/** Lets the simulated TSO answer a schedule on request. Mounted only with a demo world or in a sandbox. */
export function simulationRoutes(db: Database, clock: Clock, receiving: Receiving): Route[] {
  async function findSchedule(messageId: string) {
    const uuid = getUuid(ID_PREFIX.message, messageId, notFound);
    const [message] = await findMessages(db, [uuid]);
    const document = await findDocument(db, uuid);
    if (!message || document === null || message.direction !== 'out') throw notFound();
    const read = readDocument(document, receiving.rules);
    if (read.kind !== 'ok' || read.document.kind !== 'schedule') throw notFound();
    return { schedule: read.document.schedule, format: message.format ?? 'ess' };
  }

  return [
    longRoute(simulationEndpoints.simulateAnswer, (call) => {
      const now = clock.now();
      let rows: MessageRow[] = [];
      return {
        async work(): Promise<Simulated> {
          const { schedule, format } = await findSchedule(call.params.message_id);
          const given = answersTo(schedule, behaviourOf(call.body, schedule), now);
          const { acknowledgement, anomaly, intermediate, final } = given;
          const ids: string[] = [];
          for (const answer of [acknowledgement, anomaly, intermediate, final]) {
            if (answer === null) continue;
            const text = writeAnswer(answer, format, receiving.rules, finalTypeOf(schedule.tso));
            const id = await receiveMessage(db, clock, receiving, {
              document: Buffer.from(text),
              error: null,
              fileName: answerFileName(schedule, answer),
              inboxFingerprint: null,
            });
            if (id !== null) ids.push(id);
          }
          rows = await findMessages(db, ids);
          const language = languageOf(call);
          return { messages: rows.map((row) => wireMessage(row, language)) };
        },
        async record(tx) {
          for (const after of rows.map((row) => wireMessage(row, 'en'))) {
            const event: AuditEvent = { action: 'message.received', subject: after.id, after };
            await recordAudit(tx, call, event, clock.now());
          }
        },
      };
    }),
  ];
}
