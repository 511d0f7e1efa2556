import type { Tso } from '@saldo/api';
import { type Database, statement, type Tx } from '../../db/database.ts';
import { newId } from '../../db/new-id.ts';
import { timestamp, timestampOrNull } from '../../db/wire-types.ts';
import { type DeliveryDay, slotCount } from '../../domain/delivery-day.ts';
import type { GateRules } from '../../domain/gates.ts';
import { matchStatus } from '../../domain/matching.ts';
import { type Contribution, net } from '../../domain/netting.ts';
import { type CurrentNomination, type NominationVersion, nextNominations } from '../../domain/nomination.ts';

/** A position-day that is to be netted again. */
type Mark = { position_no: number; delivery_day: DeliveryDay; brp_no: number; eic: string; tso: Tso };

/** Marks that another process works on are left to it. */
const TAKE_MARK = statement(
  'take_mark',
  `delete from changed_position
   where (position_no, delivery_day) = (
     select position_no, delivery_day from changed_position
     order by delivery_day, position_no
     limit 1
     for update skip locked)
   returning position_no, delivery_day,
     (select brp_no from position where no = position_no),
     (select eic from position where no = position_no),
     (select tso from position where no = position_no)`,
);

const SHEETS_OF_POSITION = statement(
  'sheets_of_position',
  `select true, volumes, statuses
   from sheet
   where sender_brp = $1 and sender_position = $2 and delivery_day = $3 and receiver_position <> $2
   union all
   select false, volumes, statuses
   from sheet
   where receiver_brp = $1 and receiver_position = $2 and delivery_day = $3 and sender_position <> $2`,
);

type ContributionColumns = [sends: boolean, volumes: (number | null)[], statuses: number[] | null];

const CURRENT_NOMINATIONS = statement(
  'current_nominations',
  `select id, direction, version, amounts from nomination
   where position_no = $1 and delivery_day = $2 and status <> 'superseded'`,
);

export type NominationRun = { positions: number; created: number; unchanged: number; tooLate: number };

/**
 * Nets every position-day that has changed and makes the versions that follow, each position-day in a transaction of
 * its own. Several processes may run it at once; run again, it finds nothing to do.
 */
export async function nominateDue(db: Database, now: number, rules: GateRules): Promise<NominationRun> {
  const run: NominationRun = { positions: 0, created: 0, unchanged: 0, tooLate: 0 };
  for (;;) {
    const outcome = await db.transaction((tx) => nominateNext(tx, now, rules));
    if (outcome === null) return run;
    run.positions++;
    if (outcome === 'unchanged') run.unchanged++;
    else if (outcome === 'too_late') run.tooLate++;
    else run.created += outcome;
  }
}

/** The number of versions made for the next mark, or why there were none; null when no mark is left. */
async function nominateNext(
  tx: Tx,
  now: number,
  rules: GateRules,
): Promise<number | 'unchanged' | 'too_late' | null> {
  const [mark] = await tx.query<Mark>(TAKE_MARK);
  if (!mark) return null;
  const day = mark.delivery_day;
  const columns = await tx.arrays<ContributionColumns>(SHEETS_OF_POSITION, [
    mark.brp_no,
    mark.position_no,
    day,
  ]);
  const saldo = net(slotCount(day), columns.map(contributionOf));
  const previous = await tx.query<CurrentNomination>(CURRENT_NOMINATIONS, [mark.position_no, day]);
  const next = nextNominations({ day, saldo, previous, now, rules });
  if (next.kind !== 'versions') return next.kind;
  for (const version of next.versions) await insertVersion(tx, mark, version, now);
  return next.versions.length;
}

/** Sheets are summed one by one: every cell that counts is valid in exactly one of them. */
const contributionOf = ([sends, volumes, statuses]: ContributionColumns): Contribution => ({
  sends,
  receives: !sends,
  sheets: [{ volumes, statuses }],
});

const SUPERSEDE = statement(
  'supersede_nomination',
  "update nomination set status = 'superseded' where id = $1",
);

const INSERT = statement(
  'insert_nomination',
  `insert into nomination (id, position_no, brp_no, eic, tso, delivery_day, direction, version, previous_id, status,
     amounts, gate_closure, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'pending', $10, $11, $12)`,
);

async function insertVersion(tx: Tx, mark: Mark, next: NominationVersion, now: number): Promise<void> {
  if (next.previousId !== null) await tx.query(SUPERSEDE, [next.previousId]);
  await tx.query(INSERT, [
    newId(),
    mark.position_no,
    mark.brp_no,
    mark.eic,
    mark.tso,
    mark.delivery_day,
    next.direction,
    next.version,
    next.previousId,
    next.amounts,
    timestamp(next.gateClosure),
    timestamp(now),
  ]);
}

const MARK_SENT = statement(
  'mark_nomination_sent',
  'update nomination set sent_at = $2 where id = $1 and sent_at is null',
);

/** The version has left for the TSO. */
export async function recordSent(tx: Tx, id: string, now: number): Promise<void> {
  await tx.query(MARK_SENT, [id, timestamp(now)]);
}

const LOCK = statement(
  'lock_nomination',
  'select amounts, status, confirmed_at from nomination where id = $1 for update',
);
const CONFIRM = statement(
  'confirm_nomination',
  'update nomination set matched = $2, status = $3, confirmed_at = $4 where id = $1',
);

/**
 * The TSO has told what it matched, in kW per slot. A version that is superseded meanwhile keeps its status, and
 * nothing follows a final confirmation.
 */
export async function recordConfirmation(
  tx: Tx,
  id: string,
  confirmation: { matchedKw: readonly number[]; isFinal: boolean },
  now: number,
): Promise<void> {
  const [row] = await tx.query<{ amounts: number[]; status: string; confirmed_at: number | null }>(LOCK, [
    id,
  ]);
  if (!row) throw new Error('a confirmation is for a nomination that exists');
  if (row.confirmed_at !== null) return;
  const status = row.status === 'superseded' ? row.status : matchStatus(row.amounts, confirmation.matchedKw);
  await tx.query(CONFIRM, [
    id,
    confirmation.matchedKw,
    status,
    timestampOrNull(confirmation.isFinal ? now : null),
  ]);
}
