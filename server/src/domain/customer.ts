import type { CustomerStatus } from './enums.ts';

const ALLOWED_MOVES: Record<CustomerStatus, readonly CustomerStatus[]> = {
  pending: ['active', 'deactivated'],
  active: ['deactivated'],
  deactivated: ['active'],
};

export function moveCustomer(
  from: CustomerStatus,
  to: CustomerStatus,
): 'moved' | 'already_active' | 'invalid_status_transition' {
  if (ALLOWED_MOVES[from].includes(to)) return 'moved';
  return from === 'active' && to === 'active' ? 'already_active' : 'invalid_status_transition';
}

/** Null removes a key. Entries instead of assignments keep `__proto__` a key like any other. */
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

export function codePointLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    // A code point above 0xFFFF takes two places, and its second one is skipped.
    if (text.codePointAt(at)! > 0xffff) {
      length--;
      at++;
    }
  }
  return length;
}

/** Text that both JSON and Postgres can hold: no NUL, no lone surrogate. */
export function isWellFormedText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
