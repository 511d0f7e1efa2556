import type { MfaPolicy } from '@saldo/api';
import type { Message } from '@saldo/core/messages/message.ts';
import { normalizeEmail } from '@saldo/core/users/email.ts';
import { hashSecret } from '../platform/auth/api-key.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import { looksLikeToken, newToken } from '../platform/auth/session-credentials.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { type ProblemError, problem } from '../platform/http/problem.ts';
import {
  type AuthorizationChecks,
  type Identity,
  type IdentityProvider,
  ProviderError,
} from './identity-provider.ts';
import { domainOf } from './identity-providers.ts';
import { deleteProviderLink, findLinkedUserId, insertProviderLink } from './provider-links.ts';
import {
  type ClientContext,
  type NewSession,
  recordOwnAction,
  startSession,
  type Times,
} from './session-start.ts';
import { endSessions } from './sessions.ts';
import { recordFailedSignIn } from './sign-in-record.ts';
import { beginStep, takeStep } from './sign-in-steps.ts';
import { findInvited, findUserByEmail, getUser, lockUserById, type UserRow } from './store.ts';

/** What a sign-in remembers while the browser is at the provider. */
type ProviderStep = {
  readonly providerId: string;
  /** Hash of the cookie of the browser that started the sign-in, in hexadecimal. */
  readonly browser: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  /** Token of the invitation that the sign-in accepts. */
  readonly invitation: string | null;
};

export type ProviderSignInContext = {
  readonly db: Database;
  readonly sealer: Sealer;
  readonly policy: MfaPolicy;
  readonly provider: IdentityProvider;
  /** Token of the cookie that binds the sign-in to the browser. */
  readonly browser: string | null;
  /** Each provider has its own, so that the answer of one cannot be taken for that of another. */
  readonly redirectUri: string;
  /** Receives the reason of a failure, which the user does not see. */
  readonly log: (reason: string) => void;
};

/** Why a sign-in was refused: a sentence for the user, and a reason for the operator's log. */
class Refusal extends Error {
  readonly sentence: Message;
  readonly userId: string | null;
  constructor(sentence: Message, reason: string, userId: string | null = null) {
    super(reason);
    this.sentence = sentence;
    this.userId = userId;
  }
}

const browserHash = (token: string): string => hashSecret(token).toString('hex');

/** Returns the address of the provider to go to. */
export async function beginProviderSignIn(
  { db, sealer, provider, browser, redirectUri, log }: ProviderSignInContext & { readonly browser: string },
  { returnTo, invitation }: { readonly returnTo: string; readonly invitation: string | null },
  machineNow: number,
): Promise<string> {
  const [nonce, verifier] = [newToken(), newToken()];
  const step: ProviderStep = {
    ...{ providerId: provider.id, browser: browserHash(browser), nonce, verifier, returnTo, invitation },
  };
  try {
    // Before the step is stored: while the provider is down, nothing is.
    await provider.authorizationUrl({ redirectUri, state: '', nonce, verifier });
    const state = await db.transaction((tx) => beginStep(tx, sealer, 'provider', step, machineNow));
    return await provider.authorizationUrl({ redirectUri, state, nonce, verifier });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    log(error.message);
    throw refused(sentenceOf(error, provider));
  }
}

/** Completes the sign-in with the parameters that the provider has sent. Every refusal is logged and audited. */
export async function completeProviderSignIn(
  context: ProviderSignInContext,
  query: string,
  client: ClientContext,
  times: Times,
): Promise<{ session: NewSession; returnTo: string }> {
  try {
    return await complete(context, query, client, times);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    context.log(error.message);
    const { userId, sentence } = error;
    await recordFailedSignIn(context.db, { userId, result: 'provider_failed', client }, times);
    throw refused(sentence);
  }
}

const refused = (sentence: Message): ProblemError => problem('sign_in_refused', sentence);

async function complete(
  { db, sealer, policy, provider, browser, redirectUri }: ProviderSignInContext,
  query: string,
  client: ClientContext,
  times: Times,
): Promise<{ session: NewSession; returnTo: string }> {
  const state = new URLSearchParams(query).get('state') ?? '';
  // A transaction of its own: whatever happens next, the state has been used.
  const step = looksLikeToken(state)
    ? ((await db.transaction((tx) =>
        takeStep(tx, sealer, 'provider', state, times.machineNow),
      )) as ProviderStep | null)
    : null;
  const outdated = (reason: string) => new Refusal({ key: 'problem.sign_in_outdated' }, reason);
  if (step === null) throw outdated('the state is unknown, expired or was used before');
  if (browser === null || browserHash(browser) !== step.browser)
    throw outdated('another browser has started the sign-in');
  if (step.providerId !== provider.id)
    throw outdated('the sign-in was started with another identity provider');
  const { nonce, verifier, returnTo, invitation } = step;
  const identity = await identify(provider, query, { redirectUri, state, nonce, verifier }, times);
  const session = await db.transaction(async (tx) => {
    const { user, isFirst } = await findOrLink(tx, identity, { provider, invitation, client, times });
    const signIn = { method: 'provider', issuer: identity.issuer, policy } as const;
    const { hasSecondFactor } = identity;
    return startSession(tx, { id: user.id }, { ...signIn, hasSecondFactor, isFirst }, client, times);
  });
  return { session, returnTo };
}

async function identify(
  provider: IdentityProvider,
  query: string,
  checks: AuthorizationChecks,
  { machineNow }: Times,
): Promise<Identity> {
  try {
    return await provider.identify(query, checks, machineNow);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new Refusal(sentenceOf(error, provider), error.message);
  }
}

const SENTENCES = {
  unavailable: 'problem.provider_unavailable',
  cancelled: 'problem.sign_in_cancelled',
  invalid: 'problem.sign_in_refused',
} as const satisfies Record<ProviderError['kind'], string>;

const sentenceOf = ({ kind }: ProviderError, { label }: IdentityProvider): Message => ({
  key: SENTENCES[kind],
  provider: label,
});

type Linking = {
  readonly provider: IdentityProvider;
  readonly invitation: string | null;
  readonly client: ClientContext;
  readonly times: Times;
};

/**
 * The user of this identity: by its subject, or at the first sign-in by its verified email address. All refusals have the
 * same sentence, so that the answer does not tell which users exist.
 */
async function findOrLink(
  tx: Tx,
  identity: Identity,
  linking: Linking,
): Promise<{ user: UserRow; isFirst: boolean }> {
  const { issuer, subject } = identity;
  const linkedId = await findLinkedUserId(tx, issuer, subject);
  const user = linkedId === null ? await link(tx, identity, linking) : await getUser(tx, linkedId);
  if (user.disabled_at !== null) throw refusalOf(linking, 'the user is disabled', user.id);
  return { user, isFirst: linkedId === null };
}

const refusalOf = ({ provider }: Linking, reason: string, userId: string | null = null) =>
  new Refusal({ key: 'problem.sign_in_refused', provider: provider.label }, reason, userId);

const END_INVITATION = statement(
  'end_invitation',
  'update app_user set invitation_hash = null, invitation_expires_at = null where id = $1',
);

async function link(tx: Tx, identity: Identity, linking: Linking): Promise<UserRow> {
  const { provider, client, times } = linking;
  const { issuer, subject, verifiedEmail: email } = identity;
  if (email === null) throw refusalOf(linking, 'the provider has sent no verified email address');
  // Users are found by the compatible form of an address, which another mailbox may have.
  const isAmbiguous = normalizeEmail(email) !== email.toLowerCase();
  if (isAmbiguous || !provider.emailDomains.includes(domainOf(email)))
    throw refusalOf(linking, 'the email address is not of a domain of the provider');
  const found = await findUserByEmail(tx, email);
  if (found === null) throw refusalOf(linking, 'no user has the email address');
  const user = await lockUserById(tx, found.id);
  if (user.disabled_at !== null) throw refusalOf(linking, 'the user is disabled', user.id);
  const isRenewed = await acceptsInvitation(tx, user, linking);
  if (isRenewed && (await deleteProviderLink(tx, user.id, issuer))) await endSessions(tx, user.id);
  // An account that was created anew at the provider must not get the user of its predecessor without a new invitation.
  if (!(await insertProviderLink(tx, { issuer, subject, userId: user.id }, times.now)))
    throw refusalOf(linking, 'the user is linked with another subject of the provider', user.id);
  await tx.query(END_INVITATION, [user.id]);
  await recordOwnAction(tx, 'user.provider_linked', user, client, times.now);
  return user;
}

async function acceptsInvitation(tx: Tx, user: UserRow, { invitation, times }: Linking): Promise<boolean> {
  if (invitation === null) return false;
  const invited = await findInvited(tx, hashSecret(invitation), times.machineNow);
  return invited?.id === user.id;
}
