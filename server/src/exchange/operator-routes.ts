import { operatorAlarmEndpoints as alarmEndpoints, operatorExchangeEndpoints as endpoints } from '@saldo/api';
import { ID_PREFIX } from '@saldo/core/id.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { formatMessage } from '@saldo/core/messages/message.ts';
import { type AuditEvent, recordAudit } from '../audit/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { languageOf } from '../platform/http/accept.ts';
import { attachment } from '../platform/http/answer-headers.ts';
import type { LongOperation } from '../platform/http/idempotency.ts';
import { FIRST_ID, type PageRequest, pageById, pageInOrder, paginate } from '../platform/http/paging.ts';
import { getUuid, problem } from '../platform/http/problem.ts';
import { type Call, longRoute, type Route, route, writeRoute } from '../platform/http/routes.ts';
import { acknowledgeAlarm, listAlarms, wireAlarm } from './alarms.ts';
import { readBoard } from './board.ts';
import { listMismatches, listUnsent, wireMismatch, wireUnsent } from './overview.ts';
import { deliverStored } from './process/deliver.ts';
import type { Exchange, SendFault, SendRun } from './process/exchange.ts';
import type { Receiving } from './process/receive.ts';
import { sendRequested } from './process/send.ts';
import { storeStatusRequest } from './process/status-requests.ts';
import { answerReceive } from './receive-request.ts';
import { findDocument, findMessages, listMessages, type MessageRow } from './store.ts';
import { wireMessage } from './wire.ts';

/** Content security policy: a document from outside must not run scripts in the operator's browser. */
const DOCUMENT_POLICY = "default-src 'none'; sandbox";

export function operatorExchangeRoutes(
  db: Database,
  clock: Clock,
  exchange: Exchange & Receiving,
  importSilenceS: number,
): Route[] {
  return [
    ...exchangeRoutes(db, clock, exchange, importSilenceS * 1000),
    ...alarmRoutes(db, clock),
    ...messageRoutes(db),
  ];
}

function exchangeRoutes(
  db: Database,
  clock: Clock,
  exchange: Exchange & Receiving,
  silenceMs: number,
): Route[] {
  return [
    longRoute(endpoints.sendSchedules, (call) => sendOperation(db, call, exchange, clock)),

    longRoute(endpoints.requestStatus, (call) => statusOperation(db, call, exchange, clock)),

    route(endpoints.receiveMessage, (call) => answerReceive(db, call, exchange, clock, silenceMs)),

    route(endpoints.getExchangeBoard, (call) =>
      readBoard(db, exchange.rules, clock.now(), {
        hasSlots: call.query.include_slots === 'true',
        language: languageOf(call),
      }),
    ),

    route(endpoints.listMismatches, async ({ query, page }) => {
      const day = query.delivery_date;
      const rows = await listMismatches(db, { day, tso: query.tso ?? null }, pageById(page));
      const { records, pagination } = paginate(page, rows, ({ id }) => [id]);
      return { mismatches: records.map((row) => wireMismatch(row, day)), pagination };
    }),

    route(endpoints.listUnsent, async (call) => {
      const { query, page } = call;
      const filter = { day: query.delivery_date ?? null, tso: query.tso ?? null };
      const rows = await listUnsent(db, filter, pageByGate(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.gate_closure, row.id]);
      const now = clock.now();
      const language = languageOf(call);
      return { unsent: records.map((row) => wireUnsent(row, exchange, now, language)), pagination };
    }),
  ];
}

type Sent = { messages: ReturnType<typeof wireMessage>[]; faults: ReturnType<typeof wireFault>[] };

const wireFault = ({ day, tso, error }: SendFault, language: Language) => ({
  delivery_date: day,
  tso,
  error: formatMessage(error, language),
});

function sendOperation(
  db: Database,
  call: Call<typeof endpoints.sendSchedules>,
  exchange: Exchange,
  clock: Clock,
): LongOperation<Sent> {
  // The audit trail is in English, whatever the language of the answer is.
  let faults: readonly SendFault[] = [];
  return {
    async work() {
      const { delivery_date: day = null, tso = null } = call.body;
      const run = await sendRequested(db, clock, exchange, { day, tso });
      ({ faults } = run);
      const language = languageOf(call);
      const messages = await findMessages(db, run.messageIds);
      return {
        messages: messages.map((row) => wireMessage(row, language)),
        faults: faults.map((fault) => wireFault(fault, language)),
      };
    },
    record(tx, { messages }) {
      const inEnglish = faults.map((fault) => wireFault(fault, 'en'));
      const after = { messages: messages.map(({ id }) => id), faults: inEnglish };
      const event: AuditEvent = { action: 'schedules.sent', subject: call.request.id, after };
      return recordAudit(tx, call, event, clock.now());
    },
  };
}

function statusOperation(
  db: Database,
  call: Call<typeof endpoints.requestStatus>,
  exchange: Exchange,
  clock: Clock,
): LongOperation<ReturnType<typeof wireMessage>> {
  // The audit trail is in English, whatever the language of the answer is.
  let row: MessageRow | undefined;
  return {
    async work() {
      const { delivery_date: day, tso } = call.body;
      const id = await db.transaction((tx) => storeStatusRequest(tx, { day, tso }, exchange, clock.now()));
      const run: SendRun = { messageIds: [], faults: [] };
      await deliverStored(db, clock, exchange, { day, tso }, run);
      [row] = await findMessages(db, [id]);
      if (!row) throw new Error('a stored message exists');
      return wireMessage(row, languageOf(call));
    },
    record(tx, { id: subject }) {
      const after = row === undefined ? null : wireMessage(row, 'en');
      return recordAudit(tx, call, { action: 'status.requested', subject, after }, clock.now());
    },
  };
}

function alarmRoutes(db: Database, clock: Clock): Route[] {
  return [
    route(alarmEndpoints.listAlarms, async (call) => {
      const { query, page } = call;
      const { state = 'open', kind = null, tso = null, delivery_date: day = null } = query;
      const rows = await listAlarms(db, state, { kind, tso, day }, pageInOrder(page, query.order));
      const { records, pagination } = paginate(page, rows, ({ id }) => [id]);
      const language = languageOf(call);
      return { alarms: records.map((row) => wireAlarm(row, language)), pagination };
    }),

    writeRoute(alarmEndpoints.acknowledgeAlarm, async (call, tx) => {
      const now = clock.now();
      const { actor, body, params, request } = call;
      const change = await acknowledgeAlarm(tx, params.alarm_id, { actor, note: body.note, now });
      const [before, after] = [wireAlarm(change.before, 'en'), wireAlarm(change.after, 'en')];
      const event: AuditEvent = { action: 'alarm.acknowledged', subject: after.id, before, after };
      await recordAudit(tx, call, event, now);
      request.log.warn({ alarm: after }, `alarm acknowledged: ${after.text}`);
      return wireAlarm(change.after, languageOf(call));
    }),
  ];
}

function messageRoutes(db: Database): Route[] {
  return [
    route(endpoints.listMessages, async (call) => {
      const { query, page } = call;
      const filter = {
        day: query.delivery_date ?? null,
        tso: query.tso ?? null,
        direction: query.direction ?? null,
        type: query.type ?? null,
        state: query.state ?? null,
      };
      const rows = await listMessages(db, filter, pageInOrder(page, query.order));
      const { records, pagination } = paginate(page, rows, ({ id }) => [id]);
      const language = languageOf(call);
      return { messages: records.map((row) => wireMessage(row, language)), pagination };
    }),

    route(endpoints.getMessage, async (call) => {
      const [row] = await findMessages(db, [messageUuid(call.params.message_id)]);
      if (!row) throw messageNotFound();
      return wireMessage(row, languageOf(call));
    }),

    route(endpoints.getMessageRaw, async ({ params, reply }) => {
      const document = await findDocument(db, messageUuid(params.message_id));
      if (document === null) throw messageNotFound();
      reply.headers({
        'content-type': 'application/xml',
        ...attachment(`${params.message_id}.xml`),
        'content-security-policy': DOCUMENT_POLICY,
      });
      return document;
    }),
  ];
}

const pageByGate = (page: PageRequest) => ({
  after: { gate: Number(page.after?.[0] ?? 0), id: String(page.after?.[1] ?? FIRST_ID) },
  count: page.limit + 1,
});

const messageUuid = (id: string) => getUuid(ID_PREFIX.message, id, messageNotFound);

const messageNotFound = () => problem('message_not_found', { key: 'exchange.message_not_found' });
