import { LIMITS, Strict } from '@saldo/api';
import { formatMessage } from '@saldo/core/messages/message.ts';
import Type, { type Static } from 'typebox';
import { isLoopback } from '../platform/http/client-address.ts';
import { compile } from '../platform/http/validation.ts';
import type { ProviderSettings } from '../users/identity-provider.ts';
import { ConfigError, fileOf } from './config-error.ts';

const NAME = 'OIDC_FILE';
const MAX_PROVIDERS = 50;

const Domains = Type.Array(Type.String({ pattern: '^[^\\s@/]+$' }));
const File = Strict({
  providers: Type.Array(
    Strict({
      id: Type.String({ pattern: '^[a-z0-9-]{1,40}$' }),
      issuer: Type.String({ minLength: 1, maxLength: LIMITS.urlLength }),
      client_id: Type.String({ minLength: 1, maxLength: LIMITS.nameLength }),
      client_secret_file: Type.String({ minLength: 1 }),
      label: Type.String({ minLength: 1, maxLength: 60, format: 'name' }),
      email_domains: Type.Array(Domains.items, { minItems: 1 }),
      required_for: Type.Optional(Domains),
      scopes: Type.Optional(Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }))),
    }),
    { maxItems: MAX_PROVIDERS },
  ),
});
const validate = compile(File);

type Entry = Static<typeof File>['providers'][number];

const DEFAULT_SCOPES = ['openid', 'email'];

/** The identity providers of the file, checked. */
export function readProviders(file: string): readonly ProviderSettings[] {
  const wrong = (fault: string): never => {
    throw new ConfigError(`${NAME} must be a file with identity providers, but in "${file}" ${fault}.`);
  };
  const { providers } = parse(fileOf(NAME, file).toString(), wrong);
  for (const [at, entry] of providers.entries()) checkEntry(entry, `providers[${at}]`, wrong);
  const repeatedId = repeatedOf(providers.map(({ id }) => id));
  if (repeatedId !== undefined) wrong(`two providers have the id "${repeatedId}"`);
  const repeatedIssuer = repeatedOf(providers.map(({ issuer }) => new URL(issuer).href));
  if (repeatedIssuer !== undefined) wrong(`two providers have the issuer "${repeatedIssuer}"`);
  return providers.map((entry) => ({
    id: entry.id,
    issuer: entry.issuer,
    clientId: entry.client_id,
    clientSecret: readSecret(entry),
    label: entry.label,
    emailDomains: entry.email_domains.map(lowerCase),
    requiredFor: (entry.required_for ?? []).map(lowerCase),
    scopes: Array.from(new Set([...DEFAULT_SCOPES, ...(entry.scopes ?? [])])),
  }));
}

const repeatedOf = (values: readonly string[]) => values.find((value, at) => values.indexOf(value) !== at);

const lowerCase = (domain: string) => domain.toLowerCase();

function parse(text: string, wrong: (fault: string) => never): Static<typeof File> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return wrong('the text is not JSON');
  }
  const [first] = validate(json);
  // The value is not printed: a secret may be in it by mistake.
  if (first !== undefined) wrong(`${first.field ?? 'the file'}: ${formatMessage(first.message, 'en')}`);
  return json as Static<typeof File>;
}

function checkEntry(entry: Entry, place: string, wrong: (fault: string) => never): void {
  const issuer = URL.canParse(entry.issuer) ? new URL(entry.issuer) : null;
  const isProtected =
    issuer?.protocol === 'https:' || (issuer?.protocol === 'http:' && isLoopback(issuer.hostname));
  if (issuer === null || !isProtected)
    return wrong(
      `${place}.issuer is not an https:// address (http:// is for addresses of this machine only)`,
    );
  if (issuer.username !== '' || issuer.password !== '' || issuer.search !== '' || issuer.hash !== '')
    wrong(`${place}.issuer has a user, a query or a fragment`);
  const domains = entry.email_domains.map(lowerCase);
  const foreign = entry.required_for?.find((domain) => !domains.includes(lowerCase(domain)));
  if (foreign !== undefined)
    wrong(`${place}.required_for has "${foreign}", which is not in its email_domains`);
}

function readSecret({ id, client_secret_file: file }: Entry): string {
  const name = `client_secret_file of "${id}" in ${NAME}`;
  const secret = fileOf(name, file).toString().trim();
  if (secret !== '') return secret;
  throw new ConfigError(`${name} must be a file with a secret, but "${file}" is empty.`);
}
