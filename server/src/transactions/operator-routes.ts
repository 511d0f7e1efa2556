import { operatorVolumeEndpoints as endpoints, type OperatorTransaction } from '@saldo/api';
import { type AuditEvent, recordAudit } from '../audit/store.ts';
import { type Clock, transactionClock } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { AsOfReads } from '../platform/http/as-of.ts';
import { problem } from '../platform/http/problem.ts';
import { type Call, type Route, replicaRoute, writeRoute } from '../platform/http/routes.ts';
import { invalidateTransaction } from './actions.ts';
import { withOperatorMembers } from './operator-members.ts';
import { answerTransactions, transactionKey, transactionNotFound } from './routes.ts';
import { findTransactions } from './store.ts';
import { transactionBytes } from './wire.ts';

export function operatorTransactionRoutes(clock: Clock, asOfReads: AsOfReads): Route[] {
  return [
    replicaRoute(endpoints.operatorListTransactions, (call, db) => answerTransactions(db, call, asOfReads)),

    writeRoute(endpoints.invalidateTransaction, (call, tx) =>
      invalidateOne(tx, call, transactionClock(clock)),
    ),
  ];
}

async function invalidateOne(
  tx: Tx,
  call: Call<typeof endpoints.invalidateTransaction>,
  clock: Clock,
): Promise<string> {
  const key = transactionKey(call.params.transaction_id);
  const result = key === null ? 'not_found' : await invalidateTransaction(tx, key, call.body.reason, clock);
  const [record] = key === null ? [] : await findTransactions(tx, call.viewer, [key]);
  if (result === 'not_found' || !record) throw transactionNotFound();
  const { status } = record.cell;
  if (result === 'not_valid')
    throw problem('invalid_status_transition', {
      key: 'problem.transaction_transition',
      status: { key: `problem.${status}` },
    });
  const [shown = record] = await withOperatorMembers(tx, call.viewer, [record]);
  const text = transactionBytes(shown).toString();
  const after = JSON.parse(text) as OperatorTransaction;
  const event: AuditEvent = {
    action: 'transaction.invalidated',
    subject: after.id,
    before: { ...after, status: 'valid', invalid_reason: null },
    after: { ...after, reason: call.body.reason },
  };
  await recordAudit(tx, call, event, clock.now());
  return text;
}
