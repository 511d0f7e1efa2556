import {
  brpEndpoints,
  demoEndpoints,
  MARKET_TAGS,
  marketEndpoints,
  OPERATOR_TAGS,
  operatorEndpoints,
  PORTAL_TAGS,
  portalEndpoints,
  sandboxEndpoints,
  simulationEndpoints,
  TAGS,
} from '@saldo/api';
import type { OpenApi } from '../docs/reference.ts';
import type { SampledApi } from '../docs/samples/call.ts';
import { createSite, type Site } from '../docs/site.ts';
import { KEY_ACCESS, openApiDocument, sessionAccess } from '../platform/http/openapi.ts';
import type { SessionCookie } from '../platform/http/session-cookie.ts';
import type { Config } from './config.ts';
import { hasDemoSignIn, isTrial } from './first-start.ts';
import { ensurePackages } from './packages-build.ts';

/** The public URL of a listener, and the public URL below which its error pages are served. */
export type Addresses = { base: string; errors: string };

/** The operator's endpoints. The clock exists only in a sandbox, simulated answers also with a demo world. */
export const operatorTable = (config: Config) => [
  ...Object.values(operatorEndpoints),
  ...(config.sandbox ? Object.values(sandboxEndpoints) : []),
  ...(isTrial(config) ? Object.values(simulationEndpoints) : []),
];

/** The portal's endpoints. The sign-in as a demo user exists only where a start has loaded the demo. */
export const portalTable = (config: Config) => [
  ...Object.values(portalEndpoints),
  ...(hasDemoSignIn(config) ? Object.values(demoEndpoints) : []),
];

/** Of the APIs, not of the product. */
const VERSION = '1.0.0';

const BRP_API = {
  title: 'Saldo BRP API',
  description:
    'Contracts, transactions, nominations, customers and balance groups of a balancing responsible party.',
  tags: TAGS,
  access: KEY_ACCESS,
};
const OPERATOR_API = {
  title: 'Saldo Operator API',
  description: 'Master data, volumes, nominations and exchange with TSOs, for the platform operator.',
  tags: OPERATOR_TAGS,
  access: KEY_ACCESS,
};
const CUSTOMER_API = {
  title: 'Saldo Customer API',
  description: 'Green energy assets on offer and demands, for account holders.',
  tags: MARKET_TAGS,
  access: KEY_ACCESS,
};
const PORTAL_API = {
  title: 'Saldo Portal API',
  description:
    'Operations that only the pages of the portal need. The pages call the other APIs too, with their session instead of a key.',
  tags: PORTAL_TAGS,
};

/** What the base path of an API answers, with links to the pages of its listener. */
const apiIndex = (
  { title: name }: { readonly title: string },
  base: string,
  paths: { readonly documentation: string; readonly openapi: string; readonly keys: string },
) => ({
  name,
  version: VERSION,
  documentation: base + paths.documentation,
  openapi: base + paths.openapi,
  keys: base + paths.keys,
});

export const brpIndex = ({ base }: Addresses) =>
  apiIndex(BRP_API, base, {
    documentation: '/docs/reference/brp',
    openapi: '/openapi.json',
    keys: '/docs/guides/getting-started#address-and-key',
  });
export const operatorIndex = ({ base }: Addresses) =>
  apiIndex(OPERATOR_API, base, {
    documentation: '/docs/reference/operator',
    openapi: '/operator/openapi.json',
    keys: '/docs/operations#the-first-key',
  });
export const customerIndex = ({ base }: Addresses) =>
  apiIndex(CUSTOMER_API, base, {
    documentation: '/docs/reference/customer',
    openapi: '/openapi.json',
    keys: '/docs/guides/market',
  });

const published = ({ operator }: Config, { base, errors }: Addresses) => ({
  version: VERSION,
  baseUrl: base,
  errorBase: errors,
  contact: operator.name,
});

export const brpDocument = (config: Config, addresses: Addresses) =>
  openApiDocument({ ...BRP_API, ...published(config, addresses) }, Object.values(brpEndpoints));
export const operatorDocument = (config: Config, addresses: Addresses) =>
  openApiDocument({ ...OPERATOR_API, ...published(config, addresses) }, operatorTable(config));
export const customerDocument = (config: Config, addresses: Addresses) =>
  openApiDocument({ ...CUSTOMER_API, ...published(config, addresses) }, Object.values(marketEndpoints));
export const portalDocument = (config: Config, addresses: Addresses, cookie: SessionCookie) =>
  openApiDocument(
    { ...PORTAL_API, access: sessionAccess(cookie), ...published(config, addresses) },
    portalTable(config),
  );

/** The documentation and the packages of clients, the same on both listeners. Its reference contains no addresses. */
export function createDocumentation(config: Config, say: (message: string) => void): Site {
  const nowhere = { base: '', errors: '' };
  const api = (
    name: string,
    make: () => object,
    client: SampledApi['client'],
    variables = { url: 'SALDO_URL', key: 'SALDO_KEY' },
  ) => ({
    url: `/docs/reference/${name}`,
    document: () => make() as OpenApi,
    sampled: { client, ...variables },
  });
  return createSite(
    [
      api('brp', () => brpDocument(config, nowhere), 'brp'),
      api('operator', () => operatorDocument(config, nowhere), 'operator'),
      api('customer', () => customerDocument(config, nowhere), 'market', {
        url: 'SALDO_MARKET_URL',
        key: 'SALDO_ACCOUNT_KEY',
      }),
    ],
    () => ensurePackages(config.dataDir, say),
  );
}
