import { type CustomerUpdate, LIMITS, type ProblemFieldError } from '@saldo/api';
import type { Viewer } from '../../auth/principal.ts';
import type { Database, Tx } from '../../db/database.ts';
import { mergeMetadata, moveCustomer } from '../../domain/customer.ts';
import { problem, validationProblem } from '../../http/problem.ts';
import { type CustomerRow, findOwnPosition, lockCustomer, saveCustomer } from './store.ts';

/** What must still hold of the record for a change to be made. */
export type Precondition = (current: CustomerRow) => boolean;

/** Changes a customer, all or nothing. `{}` changes nothing and succeeds. */
export function updateCustomer(
  db: Database,
  viewer: Viewer,
  id: string,
  update: CustomerUpdate,
  holds: Precondition,
  now: number,
): Promise<CustomerRow> {
  return db.transaction(async (tx) => {
    const current = await lockCustomer(tx, viewer, id);
    if (current === null) throw customerNotFound();
    if (!holds(current))
      throw problem('precondition_failed', 'The customer has changed since the version in If-Match.');

    const next: CustomerRow = { ...current };
    const errors: ProblemFieldError[] = [];
    if (update.metadata) {
      next.metadata = mergeMetadata(current.metadata, update.metadata);
      errors.push(...tooManyKeys(next.metadata));
    }
    if (update.balance_group)
      Object.assign(next, await placeCustomer(tx, viewer, update.balance_group, errors));
    if (errors.length > 0) throw validationProblem(errors);
    if (update.status) Object.assign(next, move(current, update.status, now));
    return saveCustomer(tx, viewer, next);
  });
}

export const customerNotFound = () => problem('customer_not_found', 'There is no such customer.');

function tooManyKeys(metadata: Record<string, string>): ProblemFieldError[] {
  const count = Object.keys(metadata).length;
  if (count <= LIMITS.metadata.keys) return [];
  const message = `would hold ${count} keys; at most ${LIMITS.metadata.keys} are allowed`;
  return [{ field: 'metadata', code: 'value_too_large', message }];
}

type Placement = Pick<CustomerRow, 'position_no' | 'eic' | 'tso'>;

async function placeCustomer(
  tx: Tx,
  viewer: Viewer,
  { eic, tso }: NonNullable<CustomerUpdate['balance_group']>,
  errors: ProblemFieldError[],
): Promise<Placement | null> {
  const position = await findOwnPosition(tx, viewer, eic, tso);
  if (position === null) {
    const message = `${eic} is not one of your balance groups`;
    errors.push({ field: 'balance_group.eic', code: 'validation_failed', message });
    return null;
  }
  // Among several things wrong with one request, the fields come first.
  if (errors.length > 0) return null;
  if (position.no === null || position.enabled !== true) {
    throw problem(
      'balance_group_tso_not_enabled',
      `${tso} is not enabled for balance group ${eic}. It must be enabled in the balance group settings first.`,
    );
  }
  return { position_no: position.no, eic, tso };
}

function move(
  current: CustomerRow,
  to: NonNullable<CustomerUpdate['status']>,
  now: number,
): Pick<CustomerRow, 'status' | 'activated_at'> {
  switch (moveCustomer(current.status, to)) {
    case 'already_active':
      throw problem('already_active', 'The customer is active already.');
    case 'invalid_status_transition':
      throw problem('invalid_status_transition', `A customer that is ${current.status} cannot become ${to}.`);
    case 'moved':
      return { status: to, activated_at: to === 'active' ? now : current.activated_at };
  }
}
