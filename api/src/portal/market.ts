import { endpoint } from '../endpoint.ts';
import { marketEndpoints } from '../market.ts';

const tag = 'Market';
const problems = ['invalid_session', 'insufficient_permissions'] as const;

/** The lists of the customer API for users of an account: a page can only call the server that it was loaded from. */
export const portalMarketEndpoints = {
  browseAssets: endpoint({
    ...marketEndpoints.listMarketAssets,
    id: 'browseAssets',
    path: '/portal/v1/assets',
    tag,
    problems,
  }),
  browseDemands: endpoint({
    ...marketEndpoints.listMarketDemands,
    id: 'browseDemands',
    path: '/portal/v1/demands',
    tag,
    problems,
  }),
};
