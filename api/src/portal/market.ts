import Type from 'typebox';
import { endpoint, endpoints } from '../endpoint.ts';
import { MarketAsset, marketEndpoints } from '../market.ts';

const problems = ['invalid_session', 'insufficient_permissions'] as const;

/** Contracts of the portal have assets too: those of the BRP API, which are another record. */
const BrowsedAsset = Type.Object(MarketAsset.properties, { title: 'MarketAsset' });

/** The lists of the customer API for users of an account: a page can only call the server that it was loaded from. */
export const portalMarketEndpoints = endpoints('Market', {
  browseAssets: endpoint({
    ...marketEndpoints.listMarketAssets,
    path: '/portal/v1/assets',
    response: Type.Object({ assets: Type.Array(BrowsedAsset) }, { title: 'MarketAssetList' }),
    problems,
  }),
  browseDemands: endpoint({
    ...marketEndpoints.listMarketDemands,
    path: '/portal/v1/demands',
    problems,
  }),
});
