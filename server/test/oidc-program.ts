/**
 * A real identity provider as a process of its own: `node oidc-program.ts <JSON>`. Its sign-in form takes
 * the claims of the user: `email=anna%40nordwind.example&verified=yes`. Some values make the provider faulty, as a broken
 * or a hostile one would be.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

/** Settings of one provider. */
export type ProgramProvider = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  readonly logoutUris: readonly string[];
  /** Whether the ID token has the email. Otherwise only the user info has it. */
  readonly hasEmailInToken: boolean;
};

type Context = {
  readonly path: string;
  body: { id_token?: string; sub?: string } | undefined;
  readonly oidc: { readonly client: { clientId: string }; readonly session: { accountId: string } };
};
type Grant = { addOIDCScope(scope: string): void; save(): Promise<void> };
type Provider = {
  readonly Grant: new (of: { clientId: string; accountId: string }) => Grant;
  use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
};

// The package has no types.
const require = createRequire(import.meta.url);
const { default: OidcProvider } = require('oidc-provider') as {
  default: new (issuer: string, configuration: object) => Provider;
};

const KEY = { kid: 'test', alg: 'RS256', use: 'sig' };
const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string };

function signToken(claims: object, key: KeyObject): string {
  const content = `${encode({ alg: KEY.alg, kid: KEY.kid })}.${encode(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

/** What was typed at the sign-in. */
const typed = (accountId: string) => new URLSearchParams(accountId);
const subjectOf = (account: URLSearchParams) => account.get('sub') ?? account.get('email') ?? 'nobody';

/** Changes of the ID token, by what was typed. */
function changesOf(account: URLSearchParams): Record<string, unknown> {
  const [amr, audience, nonce] = ['amr', 'aud', 'nonce'].map((name) => account.get(name));
  return {
    ...(amr == null ? {} : { amr: amr.split(' ') }),
    ...(audience == null ? {} : { aud: audience }),
    ...(nonce == null ? {} : { nonce }),
    ...(account.has('edov') ? { xms_edov: true, email: account.get('email') } : {}),
  };
}

/** Starts a provider on any port, and returns the port, to which the parent process forwards connections of the issuer. */
async function start(settings: ProgramProvider): Promise<number> {
  const [key, foreignKey] = [newKey(), newKey()];
  const provider: Provider = new OidcProvider(settings.issuer, {
    clients: [
      {
        client_id: settings.clientId,
        client_secret: settings.clientSecret,
        redirect_uris: settings.redirectUris,
        post_logout_redirect_uris: settings.logoutUris,
      },
    ],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), ...KEY }] },
    cookies: { keys: ['a key of the cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: !settings.hasEmailInToken,
    pkce: { required: () => true },
    async findAccount(_context: unknown, accountId: string) {
      const account = typed(accountId);
      const verified = account.get('verified');
      const isVerified = verified === null ? {} : { email_verified: verified === 'yes' };
      const claims = () => ({ sub: accountId, email: account.get('email'), ...isVerified });
      return { accountId, claims };
    },
    /** Grants without the page that asks the user for a consent. */
    async loadExistingGrant({ oidc }: Context) {
      const { clientId } = oidc.client;
      const grant = new provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    await next();
    const { path, body } = context;
    // The provider knows a person by all that was typed.
    if (path === '/me' && body?.sub !== undefined)
      context.body = { ...body, sub: subjectOf(typed(body.sub)) };
    if (path !== '/token' || body?.id_token === undefined) return;
    const claims = claimsOf(body.id_token);
    const account = typed(claims.sub);
    const changed = { ...claims, sub: subjectOf(account), ...changesOf(account) };
    context.body = { ...body, id_token: signToken(changed, account.has('foreign-key') ? foreignKey : key) };
  });
  const server = createServer(provider.callback());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

const ports: number[] = [];
for (const settings of JSON.parse(process.argv[2] ?? '[]') as ProgramProvider[])
  ports.push(await start(settings));
process.stdout.write(`ports ${JSON.stringify(ports)}\n`);
