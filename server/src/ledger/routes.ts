import { type Endpoint, ledgerEndpoints, operatorLedgerEndpoints, type Proof } from '@saldo/api';
import type { LedgerEntry } from '@saldo/core/ledger/entries.ts';
import type { Primary } from '../platform/db/database.ts';
import { paginate } from '../platform/http/paging.ts';
import { fieldProblem, problem } from '../platform/http/problem.ts';
import { type Call, type Route, route } from '../platform/http/routes.ts';
import { SEAL_EVERY_MS } from './seal.ts';
import { findSeal, listSeals, proveEntry, readConsistencyPath, readLedgerKeys, wireSeal } from './store.ts';

type AnyPath<E extends Endpoint> = Omit<E, 'path'> & { readonly path: string };
type LedgerTable = {
  readonly key: AnyPath<typeof ledgerEndpoints.getLedgerKey>;
  readonly seals: AnyPath<typeof ledgerEndpoints.listSeals>;
  readonly consistency: AnyPath<typeof ledgerEndpoints.getConsistency>;
};

/** Seals and keys are the same for all callers. They come from the primary: a replica may lack the seal of a proof. */
const routesOf = (db: Primary, { key, seals, consistency }: LedgerTable): Route[] => [
  route(key, () => readLedgerKeys(db)),
  route(seals, async ({ query, page }) => {
    if (query.tree_size !== undefined) {
      const seal = await findSeal(db, query.tree_size);
      const rows = seal === null ? [] : [wireSeal(seal)];
      return { seals: rows, pagination: { limit: page.limit, has_more: false, next_cursor: null } };
    }
    const before = page.after === null ? Number.MAX_SAFE_INTEGER : Number(page.after[0]);
    const rows = await listSeals(db, before, page.limit + 1);
    const { records, pagination } = paginate(page, rows, (row) => [row.tree_size]);
    return { seals: records.map(wireSeal), pagination };
  }),
  route(consistency, async ({ query: { from, to } }) => {
    if (to < from) throw fieldProblem('to', 'value_too_small', { key: 'field.to_before_from' });
    for (const size of [from, to]) if ((await findSeal(db, size)) === null) throw problem('seal_not_found');
    return { from, to, consistency_path: await readConsistencyPath(db, from, to) };
  }),
];

export const ledgerRoutes = (db: Primary): Route[] => {
  const { getLedgerKey: key, listSeals: seals, getConsistency: consistency } = ledgerEndpoints;
  return routesOf(db, { key, seals, consistency });
};

export const operatorLedgerRoutes = (db: Primary): Route[] => {
  const { operatorGetLedgerKey, operatorListSeals, operatorGetConsistency } = operatorLedgerEndpoints;
  const table = { key: operatorGetLedgerKey, seals: operatorListSeals, consistency: operatorGetConsistency };
  return routesOf(db, table);
};

/** The newest entry about a record, as it follows from what is stored. */
export type NewestEntry = { readonly entry: LedgerEntry; readonly committedAt: number };

/** Answers with the proof of an entry, or throws why there is none. */
export async function answerProof(
  db: Primary,
  { request }: Pick<Call<Endpoint>, 'request'>,
  { entry, committedAt }: NewestEntry,
): Promise<Proof> {
  const proof = await proveEntry(db, entry, committedAt);
  if (proof === 'not_sealed') {
    const seconds = SEAL_EVERY_MS / 1000;
    throw problem('not_sealed', { key: 'problem.not_sealed', seconds }, { 'retry-after': String(seconds) });
  }
  if (proof === 'differs') {
    const { kind, uuid, number } = entry;
    const fields = { kind, record: uuid, number, request_id: request.id };
    request.log.error(fields, 'ledger: a stored record differs from its entry. Run: saldo verify');
    throw problem('ledger_mismatch');
  }
  return proof;
}
