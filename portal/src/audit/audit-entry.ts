import { AUDIT_ACTIONS, type AuditAction, type AuditEntry } from '@saldo/api';
import { differencesOf } from './difference.ts';

/** Changes with a sentence of their own, recognised by the values that differ. */
type SpecialChange =
  | 'asset.published'
  | 'asset.withdrawn'
  | 'customer.activated'
  | 'customer.deactivated'
  | 'user.disabled';
export type AuditSentence = AuditAction | SpecialChange;

/** The record of an entry: after the change, or before it if it was deleted. */
export const recordOf = ({ before, after }: AuditEntry): Readonly<Record<string, unknown>> =>
  (after ?? before ?? {}) as Record<string, unknown>;

/** Times that follow from another change of the same entry. */
const FOLLOWING = ['activated_at', 'assigned_at', 'published_at'];

/** The members of the record that changed, without those that follow from another one. */
export function changedMembers({ before, after }: AuditEntry): string[] {
  const members = differencesOf(before, after).map(({ path }) => path.split('.', 1)[0] ?? path);
  return Array.from(new Set(members)).filter((name) => !FOLLOWING.includes(name));
}

/** The sentence that describes an entry; null for an action of another version of the server. */
export function sentenceOf(entry: AuditEntry): AuditSentence | null {
  const action = AUDIT_ACTIONS.find((known) => known === entry.action);
  if (action === undefined) return null;
  const changed = changedMembers(entry);
  const [only] = changed.length === 1 ? changed : [];
  const { status, offer } = recordOf(entry);
  if (action === 'customer.updated' && only === 'status')
    return status === 'active' ? 'customer.activated' : 'customer.deactivated';
  if (action === 'user.updated' && changed.includes('status') && status === 'disabled')
    return 'user.disabled';
  const hadOffer = entry.before !== null && (entry.before as { offer?: unknown }).offer !== null;
  if (action === 'asset.updated' && only === 'offer' && hadOffer !== (offer !== null))
    return offer === null ? 'asset.withdrawn' : 'asset.published';
  return action;
}

/** Splits a sentence at its placeholders, which stay whole. */
export const partsOf = (sentence: string): string[] =>
  sentence.split(/(\{[a-z]+\})/).filter((part) => part !== '');
