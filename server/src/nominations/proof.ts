import { ledgerEndpoints, operatorLedgerEndpoints } from '@saldo/api';
import {
  nominationConfirmedEntry,
  nominationEntry,
  nominationSentEntry,
  nominationSupersededEntry,
} from '@saldo/core/ledger/entries.ts';
import { answerProof, type NewestEntry } from '../ledger/routes.ts';
import type { Primary } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import type { AsOf, AsOfReads } from '../platform/http/as-of.ts';
import { type Call, type Route, route } from '../platform/http/routes.ts';
import { nominationNotFound, nominationUuid } from './routes.ts';
import { findNominations, listConfirmations, type NominationRow } from './store.ts';

const NEXT = statement(
  'next_nomination_version',
  `select next.id, next.version, next.created_at
   from nomination n join nomination next on (next.position_no, next.delivery_day, next.direction, next.version)
     = (n.position_no, n.delivery_day, n.direction, n.version + 1)
   where n.id = $1`,
);

/** All entries about a nomination version. Those of one instant are in the order in which they are written. */
async function entriesOf(db: Primary, row: NominationRow): Promise<NewestEntry[]> {
  const { id, eic, tso, direction, version, sent_at: sentAt, created_at: createdAt } = row;
  const nomination = {
    ...{ uuid: id, eic, tso, day: row.delivery_day, direction, version, previousUuid: row.previous_id },
    ...{ amounts: row.amounts!, gateClosure: row.gate_closure, committedAt: createdAt },
  };
  const entries: NewestEntry[] = [{ entry: nominationEntry(nomination), committedAt: createdAt }];
  if (sentAt !== null) entries.push({ entry: nominationSentEntry(id, sentAt), committedAt: sentAt });
  for (const confirmation of await listConfirmations(db, id)) {
    const { committedAt } = confirmation;
    entries.push({ entry: nominationConfirmedEntry(confirmation), committedAt });
  }
  const [next] = await db.query<{ id: string; version: number; created_at: number }>(NEXT, [id]);
  if (next !== undefined) {
    const committedAt = next.created_at;
    entries.push({ entry: nominationSupersededEntry(id, next.version, next.id, committedAt), committedAt });
  }
  return entries;
}

async function findNewestEntry(db: Primary, row: NominationRow, asOf: AsOf): Promise<NewestEntry | null> {
  const entries = (await entriesOf(db, row)).filter(({ committedAt }) => committedAt <= (asOf ?? Infinity));
  return entries.toSorted((one, other) => one.committedAt - other.committedAt).at(-1) ?? null;
}

type ProofCall = Pick<
  Call<typeof ledgerEndpoints.getNominationProof>,
  'viewer' | 'params' | 'query' | 'request'
>;

export function nominationProofRoutes(db: Primary, reads: AsOfReads): { brp: Route[]; operator: Route[] } {
  const prove = async (call: ProofCall) => {
    const { asOf } = await reads(db, call.query.as_of);
    const [row] = await findNominations(db, call.viewer, [nominationUuid(call.params.nomination_id)]);
    const newest = row === undefined ? null : await findNewestEntry(db, row, asOf);
    if (newest === null) throw nominationNotFound();
    return answerProof(db, call, newest);
  };
  return {
    brp: [route(ledgerEndpoints.getNominationProof, (call) => prove(call))],
    operator: [route(operatorLedgerEndpoints.operatorGetNominationProof, (call) => prove(call))],
  };
}
