import { LIMITS, type MfaPolicy, type NewCredential, type UsedCredential } from '@saldo/api';
import { ID_PREFIX } from '@saldo/core/id.ts';
import type { SessionFacts } from '../platform/auth/principal.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import { looksLikeToken } from '../platform/auth/session-credentials.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { fieldProblem, getUuid, problem } from '../platform/http/problem.ts';
import type { IdentityProviders } from './identity-providers.ts';
import {
  creationOptions,
  type RelyingParty,
  requestOptions,
  verifyCreated,
  verifyUsed,
} from './passkey-ceremonies.ts';
import {
  deletePasskey,
  findByCredential,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  recordUse,
  setPasskeyName,
  wirePasskey,
} from './passkey-store.ts';
import { canSignInWithout } from './provider-links.ts';
import {
  type ClientContext,
  completeSession,
  hasSecondFactor,
  type NewSession,
  needsSecondFactor,
  proveSecondFactor,
  recordOwnAction,
  requireFactorless,
  requireRecentSignIn,
  startSession,
  type Times,
} from './session-start.ts';
import { endSessions } from './sessions.ts';
import { recordFailedSignIn, type SignInResult } from './sign-in-record.ts';
import { beginStep, type StepKind, takeStep } from './sign-in-steps.ts';
import { getUser, lockUserById, type UserRow } from './store.ts';

export type PasskeyContext = {
  readonly db: Database;
  readonly sealer: Sealer;
  readonly rp: RelyingParty;
  readonly policy: MfaPolicy;
};

/** A challenge, and the token that the browser has to return with its answer. */
type Started = { readonly options: { readonly challenge: string }; readonly token: string };

/** The answer of a browser to a challenge. */
export type Answer<Credential> = { readonly credential: Credential; readonly token: string | null };

/** `userId` is the user whose answer is expected. Null: of any user. */
type ChallengeData = { readonly challenge: string; readonly userId: string | null };

async function begin(
  { db, sealer }: PasskeyContext,
  kind: StepKind,
  options: Started['options'],
  userId: string | null,
  machineNow: number,
): Promise<Started> {
  const data: ChallengeData = { challenge: options.challenge, userId };
  const token = await db.transaction((tx) => beginStep(tx, sealer, kind, data, machineNow));
  return { options, token };
}

/** Committed before the answer is verified: a challenge works once, also if its answer is wrong. */
async function takeChallenge(
  { db, sealer }: PasskeyContext,
  kind: StepKind,
  token: string | null,
  userId: string | null,
  machineNow: number,
): Promise<string | null> {
  if (token === null || !looksLikeToken(token)) return null;
  const data = await db.transaction((tx) => takeStep(tx, sealer, kind, token, machineNow));
  const step = data as ChallengeData | null;
  return step?.userId === userId ? step.challenge : null;
}

export async function startPasskeySignIn(context: PasskeyContext, machineNow: number): Promise<Started> {
  const options = await requestOptions(context.rp, null);
  return begin(context, 'passkey_sign_in', options, null, machineNow);
}

/** The second step after a password: the passkeys of the user of the pending session. */
export async function startPasskeyStep(
  context: PasskeyContext,
  { userId, pending }: SessionFacts,
  machineNow: number,
): Promise<Started> {
  if (pending !== 'second_factor') throw notAwaited();
  const options = await requestOptions(context.rp, await listPasskeys(context.db, userId));
  return begin(context, 'passkey_sign_in', options, userId, machineNow);
}

const notAwaited = () => problem('invalid_status_transition', { key: 'problem.no_second_step' });

/** All reasons get the same answer, so that it tells nothing about users and their passkeys. */
async function refuse(
  { db }: PasskeyContext,
  userId: string | null,
  result: SignInResult,
  client: ClientContext,
  times: Times,
): Promise<never> {
  await recordFailedSignIn(db, { userId, result, client }, times);
  throw problem('invalid_credentials', { key: 'problem.passkey_refused' });
}

/**
 * Verifies the answer, then lets `open` give the user of the passkey a session. `expectedId` is the user of a pending
 * session; null: any user.
 */
async function usePasskey(
  context: PasskeyContext,
  { credential, token }: Answer<UsedCredential>,
  expectedId: string | null,
  client: ClientContext,
  times: Times,
  open: (tx: Tx, userId: string) => Promise<NewSession>,
): Promise<NewSession> {
  const { db, rp } = context;
  const challenge = await takeChallenge(context, 'passkey_sign_in', token, expectedId, times.machineNow);
  const passkey = await findByCredential(db, Buffer.from(credential.id, 'base64url'));
  const userId = expectedId ?? passkey?.user_id ?? null;
  const refuseAs = (result: SignInResult) => refuse(context, userId, result, client, times);
  if (challenge === null || passkey === null) return refuseAs('passkey_failed');
  const signCount = await verifyUsed(rp, challenge, credential, passkey);
  if (signCount === null || (expectedId !== null && passkey.user_id !== expectedId))
    return refuseAs('passkey_failed');
  const user = await getUser(db, passkey.user_id);
  if (user.disabled_at !== null) return refuseAs('disabled');
  const session = await db.transaction(async (tx) =>
    (await recordUse(tx, passkey.id, signCount, times.now)) ? open(tx, user.id) : null,
  );
  if (session !== null) return session;
  // Removed meanwhile, or the count went back.
  if ((await findByCredential(db, passkey.credential_id)) === null) return refuseAs('passkey_failed');
  await reportClone(db, passkey, user, client, times);
  return refuseAs('passkey_cloned');
}

/** Two authenticators have the same key: one of them is a copy, possibly a stolen one. */
const reportClone = (db: Database, passkey: PasskeyRow, user: UserRow, client: ClientContext, times: Times) =>
  db.transaction((tx) =>
    recordOwnAction(tx, 'user.passkey_cloned', user, client, times.now, { after: wirePasskey(passkey) }),
  );

export const signInWithPasskey = (
  context: PasskeyContext,
  answer: Answer<UsedCredential>,
  client: ClientContext,
  times: Times,
): Promise<NewSession> =>
  usePasskey(context, answer, null, client, times, (tx, id) => {
    // The authenticator has verified the user, so that the passkey is two factors.
    const signIn = { method: 'passkey', hasSecondFactor: true, policy: context.policy } as const;
    return startSession(tx, { id }, signIn, client, times);
  });

export async function completeWithPasskey(
  context: PasskeyContext,
  { id, userId, pending }: SessionFacts,
  answer: Answer<UsedCredential>,
  client: ClientContext,
  times: Times,
): Promise<NewSession> {
  if (pending !== 'second_factor') throw notAwaited();
  return usePasskey(context, answer, userId, client, times, (tx) => completeSession(tx, id, client, times));
}

function requirePlace(passkeys: readonly PasskeyRow[]): void {
  if (passkeys.length < LIMITS.passkeys) return;
  throw problem('too_many_passkeys', { key: 'problem.too_many_passkeys', count: LIMITS.passkeys });
}

export async function startPasskeyRegistration(
  context: PasskeyContext,
  session: SessionFacts,
  machineNow: number,
): Promise<Started> {
  const { db, rp } = context;
  await requireFactorless(db, session);
  await requireRecentSignIn(db, session, machineNow);
  const passkeys = await listPasskeys(db, session.userId);
  requirePlace(passkeys);
  const options = await creationOptions(rp, await getUser(db, session.userId), passkeys);
  return begin(context, 'passkey_registration', options, session.userId, machineNow);
}

/** Adds a passkey. It completes a session that lacked a second factor. */
export async function addPasskey(
  context: PasskeyContext,
  { session, client }: { session: SessionFacts; client: ClientContext },
  name: string,
  { credential, token }: Answer<NewCredential>,
  times: Times,
): Promise<{ passkey: PasskeyRow; completed: NewSession | null }> {
  const { userId } = session;
  const challenge = await takeChallenge(context, 'passkey_registration', token, userId, times.machineNow);
  const verified = challenge === null ? null : await verifyCreated(context.rp, challenge, credential);
  const { transports = [] } = credential.response;
  return context.db.transaction(async (tx) => {
    const user = await lockUserById(tx, userId);
    await requireFactorless(tx, session);
    requirePlace(await listPasskeys(tx, userId));
    const passkey =
      verified && (await insertPasskey(tx, { userId, name, transports, ...verified }, times.now));
    if (passkey === null) throw fieldProblem('credential', 'validation_failed', { key: 'field.passkey' });
    await recordOwnAction(tx, 'user.passkey_added', user, client, times.now, { after: wirePasskey(passkey) });
    // As with one-time codes: other sessions have not proved the factor.
    await endSessions(tx, userId, session.id);
    if (session.pending !== null)
      return { passkey, completed: await completeSession(tx, session.id, client, times) };
    await proveSecondFactor(tx, session.id);
    return { passkey, completed: null };
  });
}

async function getPasskey(tx: Tx, userId: string, publicId: string): Promise<PasskeyRow> {
  const notFound = () => problem('passkey_not_found');
  const id = getUuid(ID_PREFIX.passkey, publicId, notFound);
  const passkey = (await listPasskeys(tx, userId)).find((own) => own.id === id);
  if (!passkey) throw notFound();
  return passkey;
}

export async function renamePasskey(
  tx: Tx,
  { userId }: SessionFacts,
  client: ClientContext,
  { id, name }: { id: string; name: string },
  now: number,
): Promise<PasskeyRow> {
  const user = await lockUserById(tx, userId);
  const before = await getPasskey(tx, userId, id);
  const after = await setPasskeyName(tx, before, name);
  const records = { before: wirePasskey(before), after: wirePasskey(after) };
  await recordOwnAction(tx, 'user.passkey_renamed', user, client, now, records);
  return after;
}

export async function removePasskey(
  tx: Tx,
  session: SessionFacts,
  client: ClientContext,
  id: string,
  { mfa: policy, providers }: { readonly mfa: MfaPolicy; readonly providers: IdentityProviders },
  { now, machineNow }: Times,
): Promise<void> {
  await requireRecentSignIn(tx, session, machineNow);
  const user = await lockUserById(tx, session.userId);
  const passkey = await getPasskey(tx, user.id, id);
  await deletePasskey(tx, passkey);
  if (needsSecondFactor(policy, user.role) && !(await hasSecondFactor(tx, user.id)))
    throw problem('invalid_status_transition', { key: 'problem.last_factor' });
  if (!(await canSignInWithout(tx, user.id, null, providers)))
    throw problem('invalid_status_transition', { key: 'problem.last_sign_in_way' });
  await recordOwnAction(tx, 'user.passkey_removed', user, client, now, { before: wirePasskey(passkey) });
}
