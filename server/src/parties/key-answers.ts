import type { NewApiKey, Scope } from '@saldo/api';
import { parseInstant } from '@saldo/core/delivery-day.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { type Actor, recordAudit } from '../audit/store.ts';
import { type Owner, SCOPES_OF } from '../platform/auth/principal.ts';
import type { Tx } from '../platform/db/database.ts';
import { requireRightsOfKey } from '../platform/http/grants.ts';
import type { FieldError } from '../platform/http/problem.ts';
import { createApiKey, type NewKey, revokeApiKey, rotateApiKey } from './actions.ts';
import { getKey, type KeysOf } from './store.ts';
import { wireKey } from './wire.ts';

/** The settings of a new key, without its owner. */
type KeySettings = {
  readonly name: string;
  readonly scopes?: readonly Scope[] | undefined;
  readonly allowed_addresses?: readonly string[] | null | undefined;
  readonly expires_at?: string | null | undefined;
};

/** Upper bound, because not every part of the platform can format later times. */
const LAST_EXPIRY = Date.UTC(9998, 11, 31);

/** Validates the settings of a new key. `allowed` are the scopes that its creator may grant. */
export function keyFaults(
  owner: Owner['type'],
  allowed: readonly Scope[],
  settings: KeySettings,
  now: number,
): FieldError[] {
  const faults: FieldError[] = [];
  const fault = (field: string, message: Message) =>
    faults.push({ field, code: 'validation_failed', message });
  const { scopes = [] } = settings;
  const foreign = scopes.filter((scope) => !SCOPES_OF[owner].includes(scope));
  const surplus = scopes.filter((scope) => !allowed.includes(scope));
  if (owner === 'account' && scopes.length > 0) fault('scopes', { key: 'field.scopes_of_account' });
  else if (foreign.length > 0) fault('scopes', { key: 'field.scopes_of_other_api', scopes: foreign });
  else if (surplus.length > 0) fault('scopes', { key: 'field.scopes_beyond_own', scopes: surplus });
  const expiresAt = expiryOf(settings);
  if (expiresAt !== null && expiresAt <= now) fault('expires_at', { key: 'field.in_future' });
  if (expiresAt !== null && expiresAt > LAST_EXPIRY) fault('expires_at', { key: 'field.before_9999' });
  return faults;
}

/** Scopes default to all allowed ones, which for the key of an account are none. */
export const keyOf = (owner: Owner, allowed: readonly Scope[], settings: KeySettings): NewKey => ({
  owner,
  name: settings.name,
  scopes: settings.scopes ?? allowed,
  allowedAddresses: settings.allowed_addresses ?? null,
  expiresAt: expiryOf(settings),
});

const expiryOf = ({ expires_at }: KeySettings) =>
  typeof expires_at === 'string' ? parseInstant(expires_at) : null;

/** Create, revoke and rotate keys for both APIs, the operator's and the owners'. Each writes an audit event. */
export async function answerCreate(tx: Tx, by: Actor, key: NewKey, now: number): Promise<NewApiKey> {
  const { id, secret } = await createApiKey(tx, key, now);
  return { ...(await recordCreated(tx, by, id, now)), secret };
}

async function recordCreated(tx: Tx, by: Actor, id: string, now: number) {
  const after = wireKey(await getKey(tx, id));
  await recordAudit(tx, by, { action: 'api_key.created', subject: after.id, after }, now);
  return after;
}

export async function answerRevoke(
  tx: Tx,
  by: Actor,
  of: KeysOf,
  keyId: string,
  now: number,
): Promise<object> {
  const change = await revokeApiKey(tx, of, keyId, now);
  if (change === null) return {};
  const [before, after] = [wireKey(change.before), wireKey(change.after)];
  await recordAudit(tx, by, { action: 'api_key.revoked', subject: after.id, before, after }, now);
  return {};
}

export async function answerRotate(
  tx: Tx,
  by: Actor & { readonly request: Parameters<typeof requireRightsOfKey>[0] },
  of: KeysOf,
  keyId: string,
  rotation: { readonly grace_s?: number | undefined },
  now: number,
): Promise<NewApiKey> {
  const { old, id, secret } = await rotateApiKey(tx, of, keyId, (rotation.grace_s ?? 0) * 1000, now);
  // The transaction of a refused request is rolled back.
  requireRightsOfKey(by.request, old.before.owner, old.before.scopes);
  const [before, after] = [wireKey(old.before), wireKey(old.after)];
  await recordAudit(tx, by, { action: 'api_key.rotated', subject: after.id, before, after }, now);
  return { ...(await recordCreated(tx, by, id, now)), secret };
}
