import type { Message } from '@saldo/api';
import { type Answer, type Decision, type Mismatch, quotedReason } from '@saldo/core/exchange/answer.ts';
import { rejectionReasons } from '@saldo/core/exchange/reasons.ts';
import type { Message as Text } from '@saldo/core/messages/message.ts';
import { storeMessage } from '@saldo/core/messages/stored.ts';
import { appendEvents, type NewEvent } from '../../events/store.ts';
import { recordConfirmations } from '../../nominations/actions.ts';
import { nominationData, readCurrentIdentities } from '../../nominations/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../../platform/db/wire-types.ts';
import { matchedNominations, nominationFinder, restoreConfirmations } from './confirmations.ts';
import type { MadeSchedule, StoredSeries } from './schedules.ts';

/** The version that an answer is about, among all versions of its schedule that were sent. */
export type SentVersions = {
  readonly answered: MadeSchedule;
  readonly newest: MadeSchedule;
  /** Whether the answered version counts: the TSO has rejected all later ones, or there are none. */
  readonly counts: boolean;
  /** Reads the version that counts if the answered one is rejected too. */
  countsOtherwise(): Promise<MadeSchedule | null>;
};

/** The nominations that an answer changed, and the earlier answers that count because of it. */
type Effect = { changed: readonly string[]; revived: readonly string[] };

const RECORD_ANSWER = statement(
  'record_schedule_answer',
  `update message set state = $2, error = $3, acknowledged_at = coalesce($4, acknowledged_at),
     confirmed_at = coalesce($5, confirmed_at), is_final = is_final or $6
   where id = $1`,
);

/** Stores the effects of an answer to a schedule. */
export async function executeDecision(
  tx: Tx,
  id: string,
  answer: Answer,
  decision: Decision,
  sent: SentVersions,
  now: number,
): Promise<Effect> {
  const { answered, newest } = sent;
  // A final confirmation is replaced by a newer one only. Any other answer dated in the future counts as of now, so
  // that it does not block the answers after it.
  const answeredAt =
    decision.kind === 'confirmed' && decision.isFinal ? answer.createdAt : Math.min(answer.createdAt, now);
  const record = (state: Message['state'], error: Text | null, isFinal = false) =>
    tx.query(RECORD_ANSWER, [
      answered.message.id,
      state,
      error && storeMessage(error),
      timestampOrNull(answer.kind === 'acknowledgement' ? answeredAt : null),
      timestampOrNull(answer.kind === 'confirmation' ? answeredAt : null),
      isFinal,
    ]);
  const nothing: Effect = { changed: [], revived: [] };
  switch (decision.kind) {
    case 'ignored':
    case 'unusable':
      return nothing;
    case 'acknowledged':
      await record('acknowledged', null);
      return nothing;
    case 'rejected':
      await record('rejected', decision.message);
      // Nominations of an older version wait for the answer to the later one.
      if (!sent.counts) return nothing;
      await appendRejections(tx, answer, answered, now);
      return restoreEarlier(tx, sent, now);
    case 'confirmed': {
      await record(...stateAfter(answer, decision.isFinal), decision.isFinal);
      if (isWhollyRejected(answer)) await appendRejections(tx, answer, answered, now);
      const matched = matchedNominations(decision, answered, newest);
      return { ...nothing, changed: await recordConfirmations(tx, matched, decision.isFinal, now) };
    }
    case 'anomaly':
      await recordAnomalies(tx, id, decision.mismatches, sent);
      return nothing;
  }
}

/** $1 the schedule that counts now, $2 its day, $3 when it was sent. */
const REVIVE = statement(
  'revive_confirmations',
  `update message set state = 'stored'
   where delivery_day = $2 and direction = 'in' and type = 'confirmation' and state = 'ignored' and answers = $1
     and created_at >= $3
   returning id`,
);

/**
 * After a rejection an older version counts: what the TSO has confirmed of it fills the current nominations, and
 * confirmations that were ignored because of the rejected versions are read again.
 */
async function restoreEarlier(tx: Tx, sent: SentVersions, now: number): Promise<Effect> {
  const counting = await sent.countsOtherwise();
  if (counting === null) return { changed: [], revived: [] };
  const changed = await restoreConfirmations(tx, counting, sent.newest, now);
  const { id, sentAt } = counting.message;
  const revived = await tx.query<{ id: string }>(REVIVE, [id, counting.schedule.day, timestamp(sentAt ?? 0)]);
  return { changed, revived: revived.map((row) => row.id).toSorted() };
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
    const reasons = rejectionReasons(answer, seriesOf.get(row.id) ?? '', new Set([row.eic]));
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
function stateAfter(answer: Answer, isFinal: boolean): [Message['state'], Text | null] {
  if (answer.kind === 'confirmation' && answer.outcome === 'rejected') {
    const reasons = answer.reasons.map(quotedReason);
    return ['rejected', { key: 'exchange.whole_schedule_rejected', reasons }];
  }
  return [isFinal ? 'confirmed' : 'acknowledged', null];
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
  { answered, newest }: SentVersions,
): Promise<void> {
  const idsOf = nominationFinder(answered, newest);
  const found = new Map<string, Mismatch>();
  for (const mismatch of mismatches) {
    const series = answered.series.find((one) => isSameFlow(one, mismatch));
    if (series === undefined) continue;
    for (const nominationId of idsOf(series.identification)) found.set(nominationId, mismatch);
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
