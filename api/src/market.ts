import Type, { type Static } from 'typebox';
import { Choice, LIMITS, Nullable, Strict } from './common.ts';
import type { Asset } from './contracts.ts';
import { endpoint, endpoints } from './endpoint.ts';
import { marketEventEndpoints } from './events.ts';
import { marketWebhookEndpoints } from './webhooks.ts';

/** The customer API, which account holders use. Its JSON is in camel case, and its times have milliseconds. */

export const ASSET_TYPES = ['WIND', 'SOLAR'] as const;
export type AssetType = (typeof ASSET_TYPES)[number];
/** Maps the technologies of the other APIs to asset types of the customer API. */
export const ASSET_TYPE_OF: Readonly<Record<Asset['technology'], AssetType>> = {
  solar: 'SOLAR',
  wind_onshore: 'WIND',
  wind_offshore: 'WIND',
};
/** The volume that a buyer pays for: produced, forecasted or nominated. */
export const OFFER_PPA_TYPES = ['PAY_AS_PRODUCED', 'PAY_AS_FORECASTED', 'PAY_AS_NOMINATED'] as const;
export type OfferPpaType = (typeof OFFER_PPA_TYPES)[number];

const exact = { examples: ['2027-01-01T00:00:00.000Z'], format: 'date-time' };
const DeliveryStart = Type.String({ ...exact, description: 'When delivery begins, UTC with milliseconds.' });
const AdditionalInfo = Nullable(Type.String({ description: 'Free text.' }));
const State = Nullable(Type.String({ description: 'Name of the region.', examples: ['Brandenburg'] }));
const Country = Type.String({ description: 'Country code of two letters.', examples: ['DE'] });

export const Price = Type.Object(
  {
    years: Type.Number({ description: 'Duration of the contract in years.', examples: [10] }),
    price: Type.Number({ description: 'EUR/MWh.', examples: [58.5] }),
  },
  { title: 'Price' },
);

export const MarketAsset = Type.Object(
  {
    id: Type.String({ examples: ['ast_01jhm3w8v5e2ntq0v9bgr4kx7c'] }),
    name: Type.String({ description: 'Display name.' }),
    assetType: Choice(ASSET_TYPES, { description: 'Energy source of the plant.' }),
    nominalPower: Type.Number({ description: 'MW.', examples: [48.3] }),
    averageAnnualPower: Nullable(Type.Number({ description: 'MWh a year.', examples: [126_500] })),
    deliveryStart: DeliveryStart,
    ppaType: Choice(OFFER_PPA_TYPES, { description: 'The volumes that are paid for.' }),
    additionalInfo: AdditionalInfo,
    state: State,
    country: Country,
    coverUrl: Type.String({
      format: 'uri',
      description:
        'Cover image, readable without a key: the one of the offer, or a drawing (SVG) made by the platform.',
    }),
    pricing: Type.Array(Price, { description: 'The price for each duration, the shortest first.' }),
  },
  { title: 'Asset' },
);
export type MarketAsset = Static<typeof MarketAsset>;

export const MarketDemand = Type.Object(
  {
    id: Type.String({ examples: ['dem_01jhm3wc4re8zs7k1y5vn2dq9f'] }),
    contractPeriod: Type.Number({ description: 'Years.', examples: [10] }),
    deliveryVolume: Type.Number({ description: 'MWh a year.', examples: [24_000] }),
    additionalInfo: AdditionalInfo,
    country: Country,
    state: State,
    deliveryStart: Nullable(DeliveryStart),
  },
  { title: 'Demand' },
);
export type MarketDemand = Static<typeof MarketDemand>;

const numberedPages = (list: string) =>
  Strict({
    page: Type.Optional(
      Type.Integer({ ...LIMITS.pageNumber, description: 'Page number, from 1.', examples: [1] }),
    ),
    limit: Type.Optional(
      Type.Integer({ ...LIMITS.pageSize, description: 'Number of records per page.', examples: [100] }),
    ),
    listVersion: Type.Optional(
      Type.String({
        description:
          'Reads the list as of this version, which the addresses in `Link` carry. A version that is unknown, or older than the last ' +
          `${LIMITS.listVersions.toLocaleString('en')} publications and withdrawals, is rejected: start again without it.`,
        examples: [`${list}-1234`],
      }),
    ),
  });

const assetExample: MarketAsset = {
  id: 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c',
  name: 'Windpark Uckermark Nord',
  assetType: 'WIND',
  nominalPower: 48.3,
  averageAnnualPower: 126_500,
  deliveryStart: '2027-01-01T00:00:00.000Z',
  ppaType: 'PAY_AS_PRODUCED',
  additionalInfo: 'Eleven turbines, in operation since 2019.',
  state: 'Brandenburg',
  country: 'DE',
  coverUrl: 'https://market.example/covers/8yd7bGL1ZqAkcXoHhHcC1Z3sM7oV0aVx6xJm5wqQd2E.png',
  pricing: [
    { years: 5, price: 61 },
    { years: 10, price: 58.5 },
  ],
};

const demandExample: MarketDemand = {
  id: 'dem_01jhm3wc4re8zs7k1y5vn2dq9f',
  contractPeriod: 10,
  deliveryVolume: 24_000,
  additionalInfo: 'Baseload for a foundry; guarantees of origin wanted.',
  country: 'DE',
  state: 'Hessen',
  deliveryStart: '2027-01-01T00:00:00.000Z',
};

const SAFE_WALK =
  'Newest publication first. The list may change while you read it: follow the addresses in `Link`, and all pages are of the ' +
  'version of the first one. Lasting records then occur exactly once; records that were withdrawn meanwhile are omitted ' +
  'from their page. If you number the pages yourself, send the `X-List-Version` of the first page with the others.';

/** Every operation of the customer API. */
export const marketEndpoints = {
  ...endpoints('Assets', {
    listMarketAssets: endpoint({
      method: 'GET',
      path: '/v1/assets',
      summary: 'List offered assets',
      description: SAFE_WALK,
      query: numberedPages('assets'),
      response: Type.Object({ assets: Type.Array(MarketAsset) }, { title: 'AssetList' }),
      example: { response: { assets: [assetExample] } },
      numberedPages: true,
    }),
  }),
  ...endpoints('Demands', {
    listMarketDemands: endpoint({
      method: 'GET',
      path: '/v1/demands',
      summary: 'List demands',
      description: SAFE_WALK,
      query: numberedPages('demands'),
      response: Type.Object({ demands: Type.Array(MarketDemand) }, { title: 'DemandList' }),
      example: { response: { demands: [demandExample] } },
      numberedPages: true,
    }),
  }),
  ...marketEventEndpoints,
  ...marketWebhookEndpoints,
};

export const MARKET_TAGS: Readonly<Record<string, string>> = {
  Assets: 'Green energy assets that are on offer, with a price for each duration.',
  Demands: 'Demands of buyers.',
  Events: 'Publications and withdrawals, and events of your keys.',
  Webhooks: 'Endpoints of yours that events are sent to, and the deliveries.',
};
