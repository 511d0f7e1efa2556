import type { CustomerStatus } from '../enums.ts';

const ALLOWED_CHANGES: Record<CustomerStatus, readonly CustomerStatus[]> = {
  pending: ['active', 'deactivated'],
  active: ['deactivated'],
  deactivated: ['active'],
};

export function changeCustomerStatus(
  from: CustomerStatus,
  to: CustomerStatus,
): 'changed' | 'already_active' | 'invalid_status_transition' {
  if (ALLOWED_CHANGES[from].includes(to)) return 'changed';
  return from === 'active' && to === 'active' ? 'already_active' : 'invalid_status_transition';
}

/** Null removes a key. A map keeps `__proto__` an ordinary key. */
export function mergeMetadata(
  existing: Record<string, string>,
  patch: Record<string, string | null>,
): Record<string, string> {
  const merged = new Map(Object.entries(existing));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}
