import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { type Actor, recordAudit } from '../audit/store.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { insertRow } from '../platform/db/rows.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { problem } from '../platform/http/problem.ts';
import { domainOf, type IdentityProviders } from './identity-providers.ts';
import { hasPasskey } from './passkey-store.ts';
import { getUser, lockUserById } from './store.ts';

export type ProviderLinkRow = { readonly issuer: string; readonly linked_at: number };

const FIND_USER_ID = statement(
  'find_provider_subject',
  'select user_id from provider_subject where issuer = $1 and subject = $2',
);
const LIST_LINKS = statement(
  'list_provider_links',
  'select issuer, linked_at from provider_subject where user_id = $1 order by issuer',
);
const DELETE_LINK = statement(
  'delete_provider_link',
  'delete from provider_subject where user_id = $1 and issuer = $2 returning issuer',
);

/** The id of the user whom the provider knows under this subject. */
export async function findLinkedUserId(db: Db, issuer: string, subject: string): Promise<string | null> {
  const [row] = await db.query<{ user_id: string }>(FIND_USER_ID, [issuer, subject]);
  return row?.user_id ?? null;
}

export const listProviderLinks = (db: Db, userId: string): Promise<ProviderLinkRow[]> =>
  db.query<ProviderLinkRow>(LIST_LINKS, [userId]);

/** Returns false, and changes nothing, if the user or the subject has another link with this issuer. */
export async function insertProviderLink(
  tx: Tx,
  link: { readonly issuer: string; readonly subject: string; readonly userId: string },
  now: number,
): Promise<boolean> {
  const { issuer, subject, userId } = link;
  const row = { issuer, subject, user_id: userId, linked_at: timestamp(now) };
  const made = await insertRow(tx, 'provider_subject', row, 'on conflict do nothing returning issuer');
  return made.length > 0;
}

export async function deleteProviderLink(tx: Tx, userId: string, issuer: string): Promise<boolean> {
  return (await tx.query(DELETE_LINK, [userId, issuer])).length > 0;
}

/** Whether the user can still sign in without the link with this issuer. Null: with all links. */
export async function canSignInWithout(
  db: Db,
  userId: string,
  issuer: string | null,
  providers: IdentityProviders,
): Promise<boolean> {
  const user = await getUser(db, userId);
  if (user.password_hash !== null && providers.requiredFor(domainOf(user.email)).length === 0) return true;
  const links = await listProviderLinks(db, userId);
  if (links.some((link) => link.issuer !== issuer && providers.findByIssuer(link.issuer) !== null))
    return true;
  return hasPasskey(db, userId);
}

/** Removes the user's link. The user is locked, so that two requests cannot remove the last two ways to sign in. */
export async function unlinkProvider(
  tx: Tx,
  by: Actor,
  { userId, issuer }: { readonly userId: string; readonly issuer: string },
  providers: IdentityProviders,
  now: number,
): Promise<void> {
  const id = encodeId(ID_PREFIX.user, userId);
  await lockUserById(tx, userId);
  if (!(await canSignInWithout(tx, userId, issuer, providers)))
    throw problem('invalid_status_transition', { key: 'problem.last_sign_in_way' });
  if (!(await deleteProviderLink(tx, userId, issuer))) return;
  await recordAudit(tx, by, { action: 'user.provider_unlinked', subject: id, before: { issuer } }, now);
}
