import {
  brpEndpoints,
  MARKET_TAGS,
  marketEndpoints,
  OPERATOR_TAGS,
  operatorEndpoints,
  sandboxEndpoints,
  simulationEndpoints,
  TAGS,
} from '@saldo/api';
import type { Config } from './config.ts';
import type { OpenApi } from './docs/reference.ts';
import { createSite, type Site } from './docs/site.ts';
import { isTrial } from './first-start.ts';
import { openApiDocument } from './platform/http/openapi.ts';

/** The public URL of a listener, and the public URL below which its error pages are served. */
export type Addresses = { base: string; errors: string };

/** The operator's endpoints. The clock exists only in a sandbox, simulated answers also with a demo world. */
export const operatorTable = (config: Config) => [
  ...Object.values(operatorEndpoints),
  ...(config.sandbox ? Object.values(sandboxEndpoints) : []),
  ...(isTrial(config) ? Object.values(simulationEndpoints) : []),
];

const BRP_API = {
  title: 'Saldo BRP API',
  description:
    'Contracts, transactions, nominations, customers and balance groups of a balancing responsible party.',
  version: '1.0.0',
  tags: TAGS,
};
const OPERATOR_API = {
  title: 'Saldo Operator API',
  description: 'Master data, volumes, nominations and exchange with TSOs, for the platform operator.',
  version: '1.0.0',
  tags: OPERATOR_TAGS,
};
const CUSTOMER_API = {
  title: 'Saldo Customer API',
  description: 'Green energy assets on offer and demands, for account holders.',
  version: '1.0.0',
  tags: MARKET_TAGS,
};

const addressesIn = ({ base, errors }: Addresses) => ({ baseUrl: base, errorBase: errors });

export const brpDocument = (addresses: Addresses) =>
  openApiDocument({ ...BRP_API, ...addressesIn(addresses) }, Object.values(brpEndpoints));
export const operatorDocument = (config: Config, addresses: Addresses) =>
  openApiDocument({ ...OPERATOR_API, ...addressesIn(addresses) }, operatorTable(config));
export const customerDocument = (addresses: Addresses) =>
  openApiDocument({ ...CUSTOMER_API, ...addressesIn(addresses) }, Object.values(marketEndpoints));

/** The documentation, the same on both listeners. Its reference contains no addresses. */
export function createDocumentation(config: Config): Site {
  const nowhere = { base: '', errors: '' };
  const shell = { url: 'SALDO_URL', key: 'SALDO_KEY' };
  const api = (name: string, make: () => object, variables = shell) => ({
    url: `/docs/reference/${name}`,
    document: () => make() as OpenApi,
    shell: variables,
  });
  return createSite([
    api('brp', () => brpDocument(nowhere)),
    api('operator', () => operatorDocument(config, nowhere)),
    api('customer', () => customerDocument(nowhere), { url: 'SALDO_MARKET_URL', key: 'SALDO_ACCOUNT_KEY' }),
  ]);
}
