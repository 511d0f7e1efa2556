import { type CustomerUpdate, LIMITS, type OperatorCustomer, type OperatorCustomerUpdate } from '@saldo/api';
import { changeCustomerStatus, mergeMetadata } from '@saldo/core/customers/customer.ts';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { appendEvents } from '../events/store.ts';
import { findBrp } from '../parties/store.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { type FieldError, problem, validationProblem } from '../platform/http/problem.ts';
import { assignedEvent } from './events.ts';
import { type CustomerRow, findCustomer, insertCustomer, lockOwnPosition } from './store.ts';

export type NewCustomer = {
  brp_id: OperatorCustomer['brp_id'];
  name: string;
  balance_group?: NonNullable<CustomerUpdate['balance_group']> | undefined;
  metadata?: Record<string, string> | undefined;
  status?: 'pending' | 'active' | undefined;
};

/** Creates a customer. Unless it is active from the start, its BRP activates it. */
export async function createCustomer(
  tx: Tx,
  viewer: Viewer,
  input: NewCustomer,
  now: number,
): Promise<CustomerRow> {
  const errors: FieldError[] = [];
  const brp = await findBrp(tx, input.brp_id);
  if (brp === null) errors.push(UNKNOWN_BRP);
  const metadata = input.metadata ?? {};
  errors.push(...tooManyKeys(metadata));
  const place =
    brp === null || input.balance_group === undefined
      ? null
      : await placeCustomer(tx, viewer, brp.no, input.balance_group, errors);
  if (brp === null || errors.length > 0) throw validationProblem(errors);
  const { name, status } = input;
  const customer = { brp_no: brp.no, name, status, position_no: place?.position_no ?? null, metadata };
  const id = await insertCustomer(tx, customer, now);
  const row = await findCustomer(tx, viewer, id);
  if (row === null) throw new Error('a customer that was just made is there');
  await appendEvents(tx, [assignedEvent(row)], now);
  return row;
}

const UNKNOWN_BRP: FieldError = {
  field: 'brp_id',
  code: 'validation_failed',
  message: { key: 'field.unknown_brp' },
};

/** What an update depends on beside the record: the time, and the first delivery day that it applies to. */
export type UpdateTime = { now: number; effectiveDay: DeliveryDay };

/**
 * Decides what an update makes of a customer, all changes or none; `{}` succeeds without a change. Only the operator may
 * change name and BRP, which the schema of the BRP API does not contain. Locks the balance group.
 */
export async function decideUpdate(
  tx: Tx,
  viewer: Viewer,
  before: CustomerRow,
  update: OperatorCustomerUpdate,
  { now, effectiveDay }: UpdateTime,
): Promise<CustomerRow> {
  const next: CustomerRow = { ...before, name: update.name ?? before.name };
  const errors: FieldError[] = [];
  if (update.brp_id !== undefined) Object.assign(next, await assign(tx, before, update.brp_id, errors, now));
  if (update.metadata) {
    next.metadata = mergeMetadata(next.metadata, update.metadata);
    errors.push(...tooManyKeys(next.metadata));
  }
  if (update.balance_group)
    Object.assign(next, await placeCustomer(tx, viewer, next.brp_no, update.balance_group, errors));
  if (errors.length > 0) throw validationProblem(errors);
  if (update.status) Object.assign(next, changeStatus(before, update.status, now, effectiveDay));
  return next;
}

/** Columns that change with the BRP. Balance group and metadata belong to the old BRP, so they are cleared. */
async function assign(
  db: Db,
  current: CustomerRow,
  brpId: string,
  errors: FieldError[],
  now: number,
): Promise<Partial<CustomerRow>> {
  const brp = await findBrp(db, brpId);
  if (brp === null) {
    errors.push(UNKNOWN_BRP);
    return {};
  }
  if (brp.no === current.brp_no) return {};
  const left = { position_no: null, eic: null, tso: null, metadata: {} };
  return { brp_no: brp.no, brp_id: brp.id, assigned_at: now, ...left };
}

export const customerNotFound = () => problem('customer_not_found');

function tooManyKeys(metadata: Record<string, string>): FieldError[] {
  const count = Object.keys(metadata).length;
  if (count <= LIMITS.metadata.keys) return [];
  const message = { key: 'field.too_many_keys', count, max: LIMITS.metadata.keys } as const;
  return [{ field: 'metadata', code: 'value_too_large', message }];
}

type Place = Pick<CustomerRow, 'position_no' | 'eic' | 'tso'>;

async function placeCustomer(
  tx: Tx,
  viewer: Viewer,
  brpNo: number,
  { eic, tso }: NonNullable<CustomerUpdate['balance_group']>,
  errors: FieldError[],
): Promise<Place | null> {
  const position = await lockOwnPosition(tx, { brpNo }, eic, tso);
  if (position === null) {
    const key = viewer.kind === 'operator' ? 'field.not_group_of_brp' : 'field.not_your_group';
    errors.push({ field: 'balance_group.eic', code: 'validation_failed', message: { key, eic } });
    return null;
  }
  // Field errors take precedence over other problems of the same request.
  if (errors.length > 0) return null;
  if (position.no === null || position.enabled !== true) {
    const key = 'problem.balance_group_tso_not_enabled';
    throw problem('balance_group_tso_not_enabled', { key, tso, eic });
  }
  return { position_no: position.no, eic, tso };
}

function changeStatus(
  current: CustomerRow,
  to: NonNullable<CustomerUpdate['status']>,
  now: number,
  effectiveDay: DeliveryDay,
): Pick<CustomerRow, 'status' | 'activated_at' | 'deactivated_from'> {
  switch (changeCustomerStatus(current.status, to)) {
    case 'already_active':
      throw problem('already_active');
    case 'invalid_status_transition':
      throw problem('invalid_status_transition', {
        key: 'problem.customer_transition',
        from: { key: `problem.${current.status}` },
        to: { key: `problem.${to}` },
      });
    case 'changed': {
      const isActive = to === 'active';
      return {
        status: to,
        activated_at: isActive ? now : current.activated_at,
        deactivated_from: isActive ? null : effectiveDay,
      };
    }
  }
}
