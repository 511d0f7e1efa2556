import type { Message, Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { MessageFormat } from '@saldo/core/enums.ts';
import { type Answer, applyAnswer, type Decision, type Reception } from '@saldo/core/exchange/answer.ts';
import type { ReadResult, Recognised } from '@saldo/core/exchange/documents/document.ts';
import { remarkOn } from '@saldo/core/exchange/remarks.ts';
import { findAreaByParty, type MarketRules, tsoCodes } from '@saldo/core/market-rules.ts';
import type { Message as Text } from '@saldo/core/messages/message.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import { lockDay, lockWaiting } from '../store.ts';
import { recordDelivered } from './deliver.ts';
import { executeDecision, type SentVersions } from './execute-decision.ts';
import { listSentVersions, readSchedule, type ScheduleRow, type Scheduler } from './schedules.ts';
import { answerStatusRequest, findStatusRequest } from './status-requests.ts';

/** The columns of a message that are set after it was parsed. */
type Reading = {
  type: Message['type'];
  format: MessageFormat | null;
  tso: Tso | null;
  day: DeliveryDay | null;
  version: number | null;
  state: 'applied' | 'ignored' | 'failed';
  error: Text | null;
  answers: string | null;
  sender: string | null;
  answerId: string | null;
  changed: readonly string[];
  /** Series that a counterpart nominates with us and that our schedule does not have. */
  unknownSeries: readonly Text[];
  /** Earlier answers that count now. Their state is `stored` again, and they have to be read after this one. */
  revived: readonly string[];
};

type ReadDocument = Extract<ReadResult, { kind: 'ok' }>;

/** Applies a document that was read. */
export async function applyDocument(
  tx: Tx,
  id: string,
  read: ReadResult,
  clock: Clock,
  us: Scheduler,
): Promise<Reading> {
  if (read.kind === 'unreadable')
    return failed(read.recognised, { key: 'exchange.sentence', fault: read.fault });
  const { format, document } = read;
  if (document.kind === 'schedule') {
    const { tso, day, version, messageId } = document.schedule;
    const recognised = { format, type: document.kind, tso, day, version, messageId };
    return failed(recognised, { key: 'exchange.no_answer' });
  }
  const reception: Reception = {
    operatorEic: us.operatorEic,
    isFromTso: findAreaByParty(us.rules, document.sender) !== null,
    isRepeated: await isRepeated(tx, id, document),
  };
  const request =
    document.kind === 'acknowledgement' ? await findStatusRequest(tx, document, us.rules) : null;
  if (document.kind === 'acknowledgement' && request !== null) {
    const decision = await answerStatusRequest(tx, document, reception, request, us, clock);
    return {
      ...readingOf(read, document, decision),
      tso: request.tso,
      day: request.day,
      answers: request.id,
    };
  }
  return applyToSchedule(tx, id, read, document, reception, clock, us);
}

async function applyToSchedule(
  tx: Tx,
  id: string,
  read: ReadDocument,
  answer: Answer,
  reception: Reception,
  clock: Clock,
  us: Scheduler,
): Promise<Reading> {
  const about = await scheduleAnswered(tx, answer, us.rules);
  // No other process sends for the day meanwhile.
  if (about !== null) await lockDay(tx, about.day);
  const sent = about && (await readSent(tx, us, about, answer, clock.now()));
  const decision = applyAnswer(answer, reception, sent?.state ?? null);
  const effect = sent && (await executeDecision(tx, id, answer, decision, sent.versions, clock.now()));
  return {
    ...readingOf(read, answer, decision),
    tso: about?.tso ?? findAreaByParty(us.rules, answer.sender)?.tso ?? null,
    day: about?.day ?? ('day' in answer ? answer.day : null),
    answers: about?.id ?? null,
    ...effect,
  };
}

function failed({ format, type, tso, day, version }: Recognised, error: Text): Reading {
  const nothing = {
    answers: null,
    sender: null,
    answerId: null,
    changed: [],
    unknownSeries: [],
    revived: [],
  };
  return { type, format, tso, day, version, state: 'failed', error, ...nothing };
}

/** What a decision says about the message of the answer. */
function readingOf({ format, unknownElements }: ReadDocument, answer: Answer, decision: Decision) {
  return {
    type: answer.kind,
    format,
    version: answer.answers?.version ?? null,
    ...stateOf(decision, answer, unknownElements),
    sender: answer.sender,
    answerId: answer.id,
    changed: [],
    unknownSeries:
      'foreign' in decision ? decision.foreign.flatMap(({ name, isWithUs }) => (isWithUs ? [name] : [])) : [],
    revived: [],
  };
}

function stateOf(
  decision: Decision,
  answer: Answer,
  unknownElements: readonly string[],
): Pick<Reading, 'state' | 'error'> {
  if (decision.kind === 'ignored') return { state: 'ignored', error: decision.message };
  if (decision.kind === 'unusable') return { state: 'failed', error: decision.message };
  return { state: 'applied', error: remarkOn(answer, decision, unknownElements) };
}

/** The TSO and day of an answered schedule. `id` is null when the answer does not name a message that exists. */
type Answered = { tso: Tso; day: DeliveryDay; id: string | null };

const FIND_ANSWERED = statement(
  'find_answered_schedule',
  `select tso, delivery_day as day, max(case when version = $2 then id::text end) as id from message
   where direction = 'out' and type = 'schedule' and identification = $1
   group by tso, delivery_day`,
);

/** Finds the schedule by the message that the answer names, else by the answer's sender and day. */
async function scheduleAnswered(tx: Tx, answer: Answer, rules: MarketRules): Promise<Answered | null> {
  if (answer.answers !== null) {
    const { messageId, version } = answer.answers;
    const [named] = await tx.query<Answered>(FIND_ANSWERED, [messageId, version]);
    return named ?? null;
  }
  const area = findAreaByParty(rules, answer.sender);
  if (area === null || answer.kind === 'acknowledgement') return null;
  return { tso: area.tso, day: answer.day, id: null };
}

/**
 * Returns the versions of the schedule that were sent. Precondition: the day is locked. An answer proves that the schedule
 * was delivered, even if our process ended before recording that.
 */
async function readSent(tx: Tx, us: Scheduler, about: Answered, answer: Answer, now: number) {
  const { tso, day, id } = about;
  const isFromReceiver = answer.sender === tsoCodes(us.rules, tso, day).party;
  if (id !== null && isFromReceiver && answer.receiver === us.operatorEic) {
    const waiting = await lockWaiting(tx, id);
    if (waiting !== null) await recordDelivered(tx, { id, type: 'schedule', tso, day }, us, now);
  }
  const rows = await listSentVersions(tx, us, about);
  const [newestRow] = rows;
  if (newestRow === undefined) return null;
  const row =
    rows.find(({ version }) => version === answer.answers?.version) ??
    rows.find(({ state }) => state !== 'rejected') ??
    newestRow;
  const answered = await readSchedule(tx, us, day, row);
  const versions: SentVersions = {
    answered,
    newest: row === newestRow ? answered : await readSchedule(tx, us, day, newestRow),
    counts: replacementOf(row, rows) === null,
    countsOtherwise: async () => {
      const older = rows.find(({ version, state }) => version < row.version && state !== 'rejected');
      return older === undefined ? null : readSchedule(tx, us, day, older);
    },
  };
  const state = {
    schedule: answered.schedule,
    newestVersion: newestRow.version,
    replacedBy: replacementOf(row, rows),
    isFinal: row.is_final,
    acknowledgedAt: row.acknowledged_at,
    confirmedAt: row.confirmed_at,
  };
  return { versions, state };
}

/** The later version that replaces this one, newest first: an accepted one, else one without an answer. */
function replacementOf({ version }: ScheduleRow, rows: readonly ScheduleRow[]) {
  const later = rows.filter((one) => one.version > version && one.state !== 'rejected');
  const accepted = later.find(({ state }) => state === 'acknowledged' || state === 'confirmed');
  const found = accepted ?? later[0];
  return found === undefined ? null : { version: found.version, isAnswered: accepted !== undefined };
}

const REPEATED = statement(
  'is_answer_repeated',
  `select exists (
     select from message
     where direction = 'in' and sender = $1 and answer_id = $2 and id <> $3 and state = 'applied'
   ) as is_repeated`,
);

async function isRepeated(tx: Tx, id: string, answer: Answer): Promise<boolean> {
  const [row] = await tx.query<{ is_repeated: boolean }>(REPEATED, [answer.sender, answer.id, id]);
  return row?.is_repeated ?? false;
}
