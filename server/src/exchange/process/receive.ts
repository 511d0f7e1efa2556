import type { Message, Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { MessageFormat } from '@saldo/core/enums.ts';
import {
  type Answer,
  applyAnswer,
  type Decision,
  type Mismatch,
  reasonText,
  rejectionReasons,
} from '@saldo/core/exchange/answer.ts';
import type { ReadResult } from '@saldo/core/exchange/documents/document.ts';
import { readDocumentInSteps } from '@saldo/core/exchange/documents/read-document.ts';
import { remarkOn } from '@saldo/core/exchange/remarks.ts';
import { findAreaByParty, type MarketRules, tsoCodes } from '@saldo/core/market-rules.ts';
import { appendEvents, type NewEvent } from '../../events/store.ts';
import { recordConfirmations } from '../../nominations/actions.ts';
import { nominationData, readCurrentIdentities } from '../../nominations/events.ts';
import { collectInto, combineFailures } from '../../platform/db/connection.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import { timestampOrNull } from '../../platform/db/wire-types.ts';
import { type Incoming, insertIncoming, listWaiting, lockDay, lockWaiting } from '../store.ts';
import { type Inbox, type InboxFile, Unreachable } from '../transport/transport.ts';
import { recordDelivered } from './deliver.ts';
import { runWithPauses } from './run-with-pauses.ts';
import { type MadeSchedule, readNewestSchedules, type Scheduler, type StoredSeries } from './schedules.ts';

export type Receiving = Scheduler & { readonly messageLimitBytes: number };

/** The columns of a message that are set after it was parsed. */
type Reading = {
  type: Message['type'];
  format: MessageFormat | null;
  tso: Tso | null;
  day: DeliveryDay | null;
  version: number | null;
  state: 'applied' | 'ignored' | 'failed';
  error: string | null;
  answers: string | null;
  sender: string | null;
  answerId: string | null;
  changed: readonly string[];
  /** Series that a counterpart nominates with us and that our schedule does not have. */
  unknownSeries: readonly string[];
};

/** Stores a message unchanged, then parses and applies it. Returns its id, or null for a duplicate inbox file. */
export async function receiveMessage(
  db: Database,
  now: number,
  receiving: Receiving,
  incoming: Incoming,
): Promise<string | null> {
  const id = await db.transaction((tx) => insertIncoming(tx, incoming, now));
  if (id !== null) await db.transaction((tx) => readMessage(tx, id, now, receiving));
  return id;
}

/** Entries of an inbox that were stored, and those that could not be read, each reported once. */
export type InboxRun = { received: number; unreadable: { file: string; error: string }[] };

/** Processes messages that an earlier run stored but did not parse, then the files of the inbox. */
export async function receiveDue(
  db: Database,
  now: number,
  receiving: Receiving,
  inbox: Inbox,
): Promise<InboxRun> {
  const failures: unknown[] = [];
  for (const { id } of await listWaiting(db, 'in', { day: null, tso: null })) {
    const reading = db.transaction((tx) => readMessage(tx, id, now, receiving));
    // A failing message must not block the others. It stays stored, and the error is thrown at the end.
    await reading.catch(collectInto(failures));
  }
  const run = await receiveFiles(db, now, receiving, inbox).catch(collectInto(failures));
  if (!run || failures.length > 0) throw combineFailures(failures, 'messages could not be read');
  return run;
}

/** Stores, parses and applies the files of an inbox, oldest first. A failing file does not block the others. */
export async function receiveFiles(
  db: Database,
  now: number,
  receiving: Receiving,
  inbox: Inbox,
): Promise<InboxRun> {
  const run: InboxRun = { received: 0, unreadable: [] };
  const failures: unknown[] = [];
  for (const file of await inbox.files()) {
    try {
      const id = await storeFile(db, now, receiving, file, run);
      if (id === null) continue;
      run.received++;
      await db.transaction((tx) => readMessage(tx, id, now, receiving));
    } catch (error) {
      // An inbox that cannot be reached would fail every file.
      if (error instanceof Unreachable) throw error;
      collectInto(failures)(error);
    }
  }
  if (failures.length > 0) throw combineFailures(failures, 'messages could not be read');
  return run;
}

/**
 * Stores a file, then removes it from the inbox. If the process ends in between, the fingerprint prevents storing the
 * file a second time. Returns the id of the new message, or null without one.
 */
async function storeFile(
  db: Database,
  now: number,
  { messageLimitBytes }: Receiving,
  file: InboxFile,
  run: InboxRun,
): Promise<string | null> {
  const tooLarge = `The file has ${file.bytes} bytes; at most ${messageLimitBytes} are accepted. It was not read.`;
  const read = file.bytes > messageLimitBytes ? { document: null, error: tooLarge } : await file.read();
  if (read === null) return null;
  const { document, error } = read;
  const incoming = { document, error, fileName: file.name, inboxFingerprint: file.fingerprint(document) };
  const id = await db.transaction((tx) => insertIncoming(tx, incoming, now));
  if (id !== null && error !== null) run.unreadable.push({ file: file.name, error });
  await file.finish(document !== null);
  return id;
}

/** Parses and applies a stored message in one transaction, so that it is applied exactly once or not at all. */
async function readMessage(tx: Tx, id: string, now: number, us: Scheduler): Promise<void> {
  const found = await lockWaiting(tx, id);
  if (found === null) return;
  const read = await runWithPauses(readDocumentInSteps(found.document, us.rules));
  const reading = read.kind === 'unreadable' ? failed(read) : await applyDocument(tx, id, read, now, us);
  await tx.query(RECORD_READING, [
    id,
    reading.type,
    reading.format,
    reading.tso,
    reading.day,
    reading.version,
    reading.state,
    reading.error,
    reading.answers,
    reading.sender,
    reading.answerId,
    reading.changed,
    reading.unknownSeries,
  ]);
}

const RECORD_READING = statement(
  'record_message_reading',
  `update message set type = $2, format = $3, tso = $4, delivery_day = $5, version = $6, state = $7, error = $8,
     answers = $9, sender = $10, answer_id = $11, changed_nominations = $12, unknown_series = $13
   where id = $1`,
);

function failed({ reason, recognised }: Extract<ReadResult, { kind: 'unreadable' }>): Reading {
  const { format, type, tso, day, version } = recognised;
  const nothing = { answers: null, sender: null, answerId: null, changed: [], unknownSeries: [] };
  return { type, format, tso, day, version, state: 'failed', error: reason, ...nothing };
}

async function applyDocument(
  tx: Tx,
  id: string,
  { format, document }: Extract<ReadResult, { kind: 'ok' }>,
  now: number,
  us: Scheduler,
): Promise<Reading> {
  if (document.kind === 'schedule') {
    const { tso, day, version, messageId } = document.schedule;
    const recognised = { format, type: document.kind, tso, day, version, messageId };
    return failed({ kind: 'unreadable', reason: 'This is a schedule, not an answer to one.', recognised });
  }
  const about = await scheduleAnswered(tx, document, us.rules);
  const sent = about && (await readSent(tx, us, about, document, now));
  const decision = applyAnswer(
    document,
    {
      operatorEic: us.operatorEic,
      isFromTso: findAreaByParty(us.rules, document.sender) !== null,
      isRepeated: await isRepeated(tx, id, document),
    },
    sent && {
      newest: sent.schedule,
      isFinal: sent.message.isFinal,
      acknowledgedAt: sent.message.acknowledgedAt,
      confirmedAt: sent.message.confirmedAt,
    },
  );
  return {
    type: document.kind,
    format,
    tso: about?.tso ?? findAreaByParty(us.rules, document.sender)?.tso ?? null,
    day: about?.day ?? ('day' in document ? document.day : null),
    version: document.answers?.version ?? null,
    ...stateOf(decision, document),
    answers: about?.id ?? null,
    sender: document.sender,
    answerId: document.id,
    changed: sent === null ? [] : await executeDecision(tx, id, document, decision, sent, now),
    unknownSeries:
      'foreign' in decision ? decision.foreign.flatMap(({ name, isWithUs }) => (isWithUs ? [name] : [])) : [],
  };
}

function stateOf(decision: Decision, document: Answer): Pick<Reading, 'state' | 'error'> {
  if (decision.kind === 'ignored') return { state: 'ignored', error: decision.message };
  if (decision.kind === 'unusable') return { state: 'failed', error: decision.message };
  return { state: 'applied', error: remarkOn(document, decision) };
}

/** The TSO and day of an answered schedule. `id` is null when the answer does not name a message that exists. */
type Answered = { tso: Tso; day: DeliveryDay; id: string | null };

const FIND_ANSWERED = statement(
  'find_answered_schedule',
  `select tso, delivery_day as day, max(case when version = $2 then id::text end) as id from message
   where direction = 'out' and identification = $1
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
 * Returns the newest schedule that was sent. Locks the day, so that no other process sends for it meanwhile. An answer
 * proves that the schedule was delivered, even if our process ended before recording that.
 */
async function readSent(
  tx: Tx,
  us: Scheduler,
  { tso, day, id }: Answered,
  { sender, receiver }: Answer,
  now: number,
): Promise<MadeSchedule | null> {
  await lockDay(tx, day);
  if (id !== null && sender === tsoCodes(us.rules, tso, day).party && receiver === us.operatorEic) {
    const waiting = await lockWaiting(tx, id);
    if (waiting !== null) await recordDelivered(tx, { id, type: 'schedule', tso, day }, us, now);
  }
  const [sent] = await readNewestSchedules(tx, us, day, { tso, isSent: true });
  return sent ?? null;
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

const RECORD_ANSWER = statement(
  'record_schedule_answer',
  `update message set state = $2, error = $3, acknowledged_at = coalesce($4, acknowledged_at),
     confirmed_at = coalesce($5, confirmed_at), is_final = is_final or $6
   where id = $1`,
);

/** Stores the effects of an answer and returns the ids of the nominations that it changed. */
async function executeDecision(
  tx: Tx,
  id: string,
  answer: Answer,
  decision: Decision,
  sent: MadeSchedule,
  now: number,
): Promise<string[]> {
  // A final confirmation is replaced by a newer one only. Any other answer dated in the future counts as of now, so
  // that it does not block the answers after it.
  const answeredAt =
    decision.kind === 'confirmed' && decision.isFinal ? answer.createdAt : Math.min(answer.createdAt, now);
  const record = (state: Message['state'], error: string | null, isFinal = false) =>
    tx.query(RECORD_ANSWER, [
      sent.message.id,
      state,
      error,
      timestampOrNull(answer.kind === 'acknowledgement' ? answeredAt : null),
      timestampOrNull(answer.kind === 'confirmation' ? answeredAt : null),
      isFinal,
    ]);
  switch (decision.kind) {
    case 'ignored':
    case 'unusable':
      return [];
    case 'acknowledged':
      await record('acknowledged', null);
      return [];
    case 'rejected':
      await record('rejected', decision.message);
      await appendRejections(tx, answer, sent, now);
      return [];
    case 'confirmed':
      await record(...stateAfter(answer, decision.isFinal), decision.isFinal);
      if (isWhollyRejected(answer)) await appendRejections(tx, answer, sent, now);
      return recordConfirmations(tx, matchedNominations(decision, sent), decision.isFinal, now);
    case 'anomaly':
      await recordAnomalies(tx, id, decision.mismatches, sent);
      return [];
  }
}

/** A rejected schedule rejects every nomination in it. */
async function appendRejections(
  tx: Tx,
  answer: Answer,
  { series }: MadeSchedule,
  now: number,
): Promise<void> {
  const seriesOf = new Map(series.map(({ identification, nominationId }) => [nominationId, identification]));
  const ids = [...seriesOf.keys()].filter((id) => id !== null);
  const events = (await readCurrentIdentities(tx, ids)).map((row): NewEvent => {
    const reasons = rejectionReasons(answer, seriesOf.get(row.id) ?? '');
    const data = { ...nominationData(row), reasons };
    return { type: 'nomination.rejected', tenants: [`brp/${row.brp_no}`, 'operator'], data };
  });
  await appendEvents(tx, events, now);
}

const isWhollyRejected = (answer: Answer): boolean =>
  answer.kind === 'confirmation' && answer.outcome === 'rejected';

/**
 * An intermediate confirmation implies that the TSO accepted the schedule. A confirmation can also reject all of it.
 */
function stateAfter(answer: Answer, isFinal: boolean): [Message['state'], string | null] {
  if (answer.kind === 'confirmation' && answer.outcome === 'rejected') {
    return ['rejected', `The TSO rejected the whole schedule: ${answer.reasons.map(reasonText).join('; ')}.`];
  }
  return [isFinal ? 'confirmed' : 'acknowledged', null];
}

function matchedNominations(decision: Extract<Decision, { kind: 'confirmed' }>, { series }: MadeSchedule) {
  const nominationOf = new Map(
    series.map(({ identification, nominationId }) => [identification, nominationId]),
  );
  return decision.matched.flatMap(({ series: { identification }, matchedKw }) => {
    const id = nominationOf.get(identification) ?? null;
    return id === null || matchedKw === null ? [] : [{ id, matchedKw }];
  });
}

const RECORD_ANOMALIES = statement(
  'record_anomalies',
  `insert into anomaly (nomination_id, message_id, ours, theirs)
   select a.nomination_id, $1, a.ours::bigint[], a.theirs::bigint[]
   from unnest($2::uuid[], $3::text[], $4::text[]) as a (nomination_id, ours, theirs)
   on conflict (nomination_id)
     do update set message_id = excluded.message_id, ours = excluded.ours, theirs = excluded.theirs`,
);

async function recordAnomalies(
  tx: Tx,
  id: string,
  mismatches: readonly Mismatch[],
  { series }: MadeSchedule,
): Promise<void> {
  const found = new Map<string, Mismatch>();
  for (const mismatch of mismatches) {
    const nominationId = series.find((one) => isSameFlow(one, mismatch))?.nominationId ?? null;
    if (nominationId !== null) found.set(nominationId, mismatch);
  }
  const text = (powersKw: readonly number[] | null) => powersKw && `{${powersKw.join(',')}}`;
  const values = [...found.values()];
  await tx.query(RECORD_ANOMALIES, [
    id,
    [...found.keys()],
    values.map(({ oursKw }) => text(oursKw)),
    values.map(({ theirsKw }) => text(theirsKw)),
  ]);
}

/** Identifications of series differ between the counterparts, so series are compared by parties and areas. */
function isSameFlow(series: StoredSeries, mismatch: Mismatch): boolean {
  const parts = ['outParty', 'outArea', 'inParty', 'inArea'] as const;
  if (parts.every((part) => mismatch[part] === null))
    return series.identification === mismatch.identification;
  return parts.every((part) => mismatch[part] === null || mismatch[part] === series[part]);
}
