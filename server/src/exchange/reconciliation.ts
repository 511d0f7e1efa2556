import type { Message, Reconciliation } from '@saldo/api';
import { formatInstant, formatInstantOrNull, SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { exactMwh, kwFromKwh, mwhNumber } from '@saldo/core/energy.ts';
import { readDocumentInSteps } from '@saldo/core/exchange/documents/read-document.ts';
import {
  distinctReasons,
  headReasonInWords,
  indexReasons,
  type ReasonIndex,
  type ReasonInWords,
  reasonInWords,
  reasonsOfSeries,
  type SeriesReasons,
} from '@saldo/core/exchange/reasons.ts';
import { messageIdentification, nominatedSeries } from '@saldo/core/exchange/schedule.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { type MarketRules, tsoCodes } from '@saldo/core/market-rules.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { formatMessage } from '@saldo/core/messages/message.ts';
import type { NominationRow } from '../nominations/store.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { runWithPauses } from './process/run-with-pauses.ts';
import type { Scheduler } from './process/schedules.ts';
import { findDocument } from './store.ts';

/**
 * Answers whose reasons are kept in memory: those of the four TSOs for two days. Reading the largest realistic
 * confirmation, 15 MB with 1,500 series, takes 0.6 s of CPU time, and 1,500 nominations ask for it.
 */
const CACHED_ANSWERS = 8;

type CarryingMessage = {
  id: string;
  version: number;
  state: Message['state'];
  acknowledged_at: number | null;
};

/**
 * The schedules that were sent with this version of a nomination. A series is stored when it changes, so that a row is
 * valid until the next one.
 */
const CARRYING = statement(
  'schedules_carrying_nomination',
  `select m.id, m.version, m.state, m.acknowledged_at
   from (
     select message_version, nomination_id, lead(message_version) over (order by message_version) as next_version
     from schedule_series where schedule = $1 and identification = $2
   ) as s
   join message m on m.direction = 'out' and m.identification = $1 and m.version >= s.message_version
     and (s.next_version is null or m.version < s.next_version)
   where s.nomination_id = $3 and m.sent_at is not null
   order by m.version desc`,
);

/** The version that counts after the TSO has rejected this and all later ones. */
const COUNTING = statement(
  'schedule_counting_before',
  `select id from message
   where direction = 'out' and identification = $1 and version < $2 and sent_at is not null and state <> 'rejected'
   order by version desc limit 1`,
);

type AnswerRow = { id: string; type: 'acknowledgement' | 'confirmation'; version: number };

const ANSWERS = statement(
  'answers_to_schedules',
  `select id, type, version from message
   where delivery_day = $1 and tso = $2 and direction = 'in' and state = 'applied'
     and type in ('acknowledgement', 'confirmation') and answers = any($3::uuid[])
   order by version desc, id desc`,
);

const ANOMALY = statement('find_anomaly', 'select message_id, theirs from anomaly where nomination_id = $1');
type AnomalyRow = { message_id: string; theirs: number[] | null };

/**
 * Explains what the TSO made of nominations. The reasons are read from the stored answers. Answers never change, and the
 * nominations of a day share theirs, so that the reasons of the last ones are cached.
 */
export function reconciler({ operatorEic, rules }: Scheduler) {
  const cache = new Map<string, Promise<ReasonIndex>>();

  function reasonIndex(db: Db, messageId: string): Promise<ReasonIndex> {
    const known = cache.get(messageId) ?? readReasons(db, messageId, rules);
    cache.delete(messageId);
    cache.set(messageId, known);
    known.catch(() => cache.delete(messageId));
    const [oldest] = cache.keys();
    if (cache.size > CACHED_ANSWERS && oldest !== undefined) cache.delete(oldest);
    return known;
  }

  return async function reconcile(db: Db, row: NominationRow, language: Language): Promise<Reconciliation> {
    const codes = tsoCodes(rules, row.tso, row.delivery_day);
    const schedule = messageIdentification(row.delivery_day, operatorEic, codes);
    const series = nominatedSeries(row, codes.area, operatorEic);
    const [carrying, [anomaly]] = await Promise.all([
      db.query<CarryingMessage>(CARRYING, [schedule, series.identification, row.id]),
      db.query<AnomalyRow>(ANOMALY, [row.id]),
    ]);
    const newest = carrying[0] ?? null;
    const ids = carrying.map(({ id }) => id);
    const oldest = carrying.at(-1);
    // If every schedule with this nomination was rejected, its matched amounts are those of an earlier schedule.
    if (oldest && row.matched !== null && carrying.every(({ state }) => state === 'rejected')) {
      const counting = await db.query<{ id: string }>(COUNTING, [schedule, oldest.version]);
      ids.push(...counting.map(({ id }) => id));
    }
    const answers =
      ids.length === 0 ? [] : await db.query<AnswerRow>(ANSWERS, [row.delivery_day, row.tso, ids]);
    // An older acknowledgement says nothing about the newest schedule; an older confirmation is valid until the next one.
    const acknowledged = answers.find(
      ({ type, version }) => type === 'acknowledgement' && version === newest?.version,
    );
    const confirmed = answers.find(({ type }) => type === 'confirmation');
    const indexOf = async (id: string | undefined) => (id === undefined ? null : reasonIndex(db, id));
    const acknowledgement = await indexOf(acknowledged?.id);
    const given = [
      acknowledgement?.isRejection ? acknowledgement : null,
      await indexOf(confirmed?.id),
      await indexOf(anomaly?.message_id),
    ].filter((index) => index !== null);
    const ownEics = new Set([row.eic, operatorEic, codes.area, codes.party]);
    const isAcknowledged = acknowledgement !== null && !acknowledgement.isRejection;
    return {
      nomination_id: encodeId(ID_PREFIX.nomination, row.id),
      tso: row.tso,
      message_version: newest?.version ?? null,
      sent_at: formatInstantOrNull(row.sent_at),
      acknowledged_at: isAcknowledged ? formatInstantOrNull(newest?.acknowledged_at ?? null) : null,
      confirmed_at: formatInstantOrNull(row.confirmed_at),
      ...reconciled(row, anomaly?.theirs ?? null, {
        head: given.flatMap(({ head }) => head.map((reason) => headReasonInWords(reason, ownEics))),
        series: given.map((index) => reasonsOfSeries(index, series)),
        ownEics,
        language,
      }),
    };
  };
}

async function readReasons(db: Db, messageId: string, rules: MarketRules): Promise<ReasonIndex> {
  const document = await findDocument(db, messageId);
  if (document === null) throw new Error('an applied answer has a document');
  const read = await runWithPauses(readDocumentInSteps(document, rules));
  if (read.kind === 'unreadable' || read.document.kind === 'schedule') {
    throw new Error(`the applied answer ${messageId} can no longer be read`);
  }
  return indexReasons(read.document);
}

type GivenReasons = {
  readonly head: readonly ReasonInWords[];
  readonly series: readonly SeriesReasons[];
  readonly ownEics: ReadonlySet<string>;
  readonly language: Language;
};

/** The reasons of the whole nomination, and every slot with the values of both sides. */
function reconciled(
  { delivery_day: day, amounts = [], matched }: NominationRow,
  theirsKw: readonly number[] | null,
  { head, series, ownEics, language }: GivenReasons,
): Pick<Reconciliation, 'reasons' | 'slots'> {
  const ofSeries = series.flatMap(({ reasons }) => reasons.map((reason) => reasonInWords(reason, ownEics)));
  const sentencesOf = (reasons: readonly ReasonInWords[]) =>
    distinctReasons(reasons).map(({ code, text }) => ({ code, text: formatMessage(text, language) }));
  const ofSlots = Map.groupBy(
    series.flatMap(({ slots }) => slots),
    ({ slot }) => slot,
  );
  const slots = amounts.map((kwh, at) => {
    const start = slotStart(day, at + 1);
    const theirs = theirsKw?.[at] ?? null;
    const matchedKw = matched?.[at] ?? null;
    const reasons = (ofSlots.get(at + 1) ?? []).flatMap((one) => one.reasons);
    return {
      slot_number: at + 1,
      delivery_start: formatInstant(start),
      delivery_end: formatInstant(start + SLOT_MS),
      amount: mwhNumber(kwh),
      matched_amount: matchedKw === null ? null : exactMwh(matchedKw),
      counterpart_amount: theirs === null ? null : exactMwh(theirs),
      difference: theirs === null ? null : exactMwh(kwFromKwh(kwh) - theirs),
      reasons: sentencesOf(reasons.map((reason) => reasonInWords(reason, ownEics))),
    };
  });
  return { reasons: sentencesOf([...head, ...ofSeries]), slots };
}
