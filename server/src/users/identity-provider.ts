import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';

/** An entry of the settings file. */
export type ProviderSettings = {
  readonly id: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The text of its button. */
  readonly label: string;
  /** In lower case. Only addresses of these domains link a user. */
  readonly emailDomains: readonly string[];
  /** The part of these domains whose users cannot sign in with a password. */
  readonly requiredFor: readonly string[];
  readonly scopes: readonly string[];
};

/** The values of one sign-in, which its callback has to match. */
export type AuthorizationChecks = {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
};

/** What the provider says about the person who signed in there. */
export type Identity = {
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider has verified it. */
  readonly verifiedEmail: string | null;
  readonly hasSecondFactor: boolean;
};

/** Why a sign-in with the provider failed. `message` is for the log and contains no token and no personal data. */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly kind: 'unavailable' | 'cancelled' | 'invalid';
  constructor(kind: ProviderError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export type IdentityProvider = ProviderSettings & {
  /** The address at which the person signs in. */
  authorizationUrl(checks: AuthorizationChecks): Promise<string>;
  /** Exchanges the parameters of the callback, and verifies what comes back. `now` is the time of the machine. */
  identify(query: string, checks: AuthorizationChecks, now: number): Promise<Identity>;
  /** The address that ends the session at the provider; null if it offers none. */
  endSessionUrl(returnTo: string): Promise<string | null>;
};

/** Of each request to the provider: a page waits for it. */
const TIMEOUT_S = 5;
/** By how much the clocks of provider and platform may differ. */
const MAX_SKEW_S = 120;
/** How long the provider's addresses are used before they are read again. */
const METADATA_MS = 3600 * 1000;

/**
 * Authentication methods (RFC 8176) that prove a possession. Not `sms` and `tel`, which can be redirected, and not what
 * a person knows. Biometrics come with one of these keys.
 */
const SECOND_FACTORS = ['mfa', 'otp', 'hwk', 'swk', 'sc'];

/** Loaded when a provider is used first: most platforms have none. */
const library = () => import('openid-client');

export function createIdentityProvider(
  settings: ProviderSettings,
  monotonicNow: () => number,
): IdentityProvider {
  let known: { readonly configuration: Promise<Configuration>; readonly readAt: number } | null = null;
  /** Concurrent callers share one request. A failed one is not kept, so that the next caller tries again. */
  const configuration = (): Promise<Configuration> => {
    if (known !== null && monotonicNow() - known.readAt < METADATA_MS) return known.configuration;
    const reading = { configuration: discover(settings), readAt: monotonicNow() };
    known = reading;
    reading.configuration.catch(() => {
      if (known === reading) known = null;
    });
    return reading.configuration;
  };
  return {
    ...settings,
    async authorizationUrl({ redirectUri, state, nonce, verifier }) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
      const url = buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: settings.scopes.join(' '),
        ...{ state, nonce },
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    },
    async identify(query, checks, now) {
      try {
        return await identify(settings, await configuration(), { query, checks, now });
      } catch (error) {
        const failure = await providerError(error);
        // The provider may have new addresses or keys, which are read again for the next sign-in.
        if (failure.kind !== 'cancelled') known = null;
        throw failure;
      }
    },
    async endSessionUrl(returnTo) {
      const { buildEndSessionUrl } = await library();
      const found = await configuration();
      if (found.serverMetadata().end_session_endpoint === undefined) return null;
      return buildEndSessionUrl(found, { post_logout_redirect_uri: returnTo }).href;
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<Configuration> {
  const openid = await library();
  const execute = [openid.enableNonRepudiationChecks];
  // The settings allow http for addresses of this machine only.
  if (issuer.startsWith('http:')) execute.push(openid.allowInsecureRequests);
  try {
    const found = await openid.discovery(
      new URL(issuer),
      clientId,
      { client_secret: clientSecret, [openid.clockTolerance]: MAX_SKEW_S },
      (server, ...request) => {
        const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
        const authenticate = methods.includes('client_secret_basic')
          ? openid.ClientSecretBasic(clientSecret)
          : openid.ClientSecretPost(clientSecret);
        return authenticate(server, ...request);
      },
      { execute, timeout: TIMEOUT_S },
    );
    // The library accepts the template of all tenants of Entra ID, whose users must not be mixed up.
    if (new URL(found.serverMetadata().issuer).href !== new URL(issuer).href)
      throw new ProviderError('invalid', 'the provider has another issuer than the settings');
    return found;
  } catch (error) {
    // A provider with wrong addresses is unavailable, whatever is wrong with them.
    throw new ProviderError('unavailable', `discovery of ${issuer} failed: ${describe(error)}`);
  }
}

type Callback = {
  readonly query: string;
  readonly checks: AuthorizationChecks;
  readonly now: number;
};

async function identify(
  settings: ProviderSettings,
  configuration: Configuration,
  { query, checks, now }: Callback,
): Promise<Identity> {
  const { authorizationCodeGrant, fetchUserInfo } = await library();
  const url = new URL(checks.redirectUri);
  url.search = query;
  const tokens = await authorizationCodeGrant(configuration, url, {
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    pkceCodeVerifier: checks.verifier,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new ProviderError('invalid', 'the provider has sent no ID token');
  // The library checks the expiry only. A token of this moment shows how much the clocks differ.
  const skewS = Math.abs(claims.iat - now / 1000);
  if (skewS > MAX_SKEW_S)
    throw new ProviderError('invalid', `the clock of the provider differs by ${Math.round(skewS)} s`);
  // Providers need not repeat in the ID token what they tell by this request.
  const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
  const profile =
    claims['email'] === undefined && hasUserInfo
      ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : claims;
  return {
    issuer: settings.issuer,
    subject: claims.sub,
    verifiedEmail: verifiedEmailOf(profile),
    hasSecondFactor: namesSecondFactor(claims),
  };
}

/** Entra ID says by `xms_edov`, in several forms, that the domain of the address belongs to the user's tenant. */
function verifiedEmailOf(profile: IDToken | UserInfoResponse): string | null {
  const { email, email_verified: isVerified, xms_edov: isDomainVerified } = profile;
  if (typeof email !== 'string') return null;
  const isTrusted = isVerified === true || [true, 1, '1', 'true'].some((yes) => yes === isDomainVerified);
  return isTrusted ? email : null;
}

const namesSecondFactor = ({ amr }: IDToken): boolean =>
  Array.isArray(amr) && amr.some((method) => SECOND_FACTORS.some((factor) => factor === method));

/** Errors of the library by the part of the provider that caused them. */
const UNAVAILABLE = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];

async function providerError(error: unknown): Promise<ProviderError> {
  if (error instanceof ProviderError) return error;
  const { AuthorizationResponseError, ClientError } = await library();
  const reason = describe(error);
  if (error instanceof AuthorizationResponseError) {
    const isDown = error.error === 'temporarily_unavailable' || error.error === 'server_error';
    if (isDown) return new ProviderError('unavailable', reason);
    return new ProviderError(error.error === 'access_denied' ? 'cancelled' : 'invalid', reason);
  }
  // `fetch` reports a failed connection as a TypeError with a cause.
  const isUnreachable = error instanceof TypeError && error.cause !== undefined;
  const isDown = error instanceof ClientError && UNAVAILABLE.some((code) => code === error.code);
  return new ProviderError(isUnreachable || isDown ? 'unavailable' : 'invalid', reason);
}

/** Code and message only: the cause of a rejected token contains its claims. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code, error: oauthError, cause } = error as Error & { code?: unknown; error?: unknown };
  const connection = error instanceof TypeError && cause instanceof Error ? cause.message : '';
  return [error.message, code, oauthError, connection]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(', ');
}
