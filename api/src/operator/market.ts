import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  LIMITS,
  Name,
  Nullable,
  Page,
  pageQuery,
  paginationExample,
  Search,
  Sort,
  Strict,
  TsoSchema,
} from '../common.ts';
import { Asset, assetExample, TECHNOLOGIES } from '../contracts.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { OFFER_PPA_TYPES } from '../market.ts';
import { AdditionalInfo, AnnualMwh, CountryCode, State, Years } from './market-members.ts';

/** The operator's side of the market: assets and their offers. */

/** The URL of a cover, as the response of its upload contains it. */
const COVER_URL = 'https://market.example/covers/8yd7bGL1ZqAkcXoHhHcC1Z3sM7oV0aVx6xJm5wqQd2E.png';

const offerMembers = {
  ppa_type: Choice(OFFER_PPA_TYPES, {
    description: 'The volumes that are paid for.',
    examples: ['PAY_AS_PRODUCED'],
  }),
  average_annual_power: Nullable(AnnualMwh('MWh a year, at most 3 decimals.', 126_500)),
  delivery_start: DateTime('When delivery begins.', '2027-01-01T00:00:00Z'),
  additional_info: AdditionalInfo,
  state: State,
  country: CountryCode,
  cover_url: Nullable(
    Type.String({
      maxLength: LIMITS.urlLength,
      description: 'The `cover_url` of an uploaded cover, or any other https address.',
      examples: ['https://pictures.example/uckermark.jpg'],
    }),
  ),
  pricing: Type.Array(
    Strict(
      {
        years: Years('Duration of the contract in years; must not be repeated.'),
        price: Type.Number({
          ...LIMITS.priceEurPerMwh,
          'x-decimals': 2,
          description: 'EUR/MWh, at most 2 decimals.',
          examples: [58.5],
        }),
      },
      { title: 'OfferPrice' },
    ),
    {
      minItems: 1,
      maxItems: LIMITS.contractYears.maximum,
      description: 'The price for each duration.',
      examples: [[{ years: 10, price: 58.5 }]],
    },
  ),
};

const READ_ONLY = { 'x-read-only': ['published_at'] };

/** Required members of a new offer; all others are optional. */
export const OfferCreate = Strict(
  {
    ...offerMembers,
    average_annual_power: Type.Optional(offerMembers.average_annual_power),
    additional_info: Type.Optional(offerMembers.additional_info),
    state: Type.Optional(offerMembers.state),
    cover_url: Type.Optional(offerMembers.cover_url),
  },
  { title: 'OfferCreate', ...READ_ONLY },
);
export type OfferCreate = Static<typeof OfferCreate>;

export const OfferUpdate = Strict(
  {
    ...OfferCreate.properties,
    ppa_type: Type.Optional(offerMembers.ppa_type),
    delivery_start: Type.Optional(offerMembers.delivery_start),
    country: Type.Optional(offerMembers.country),
    pricing: Type.Optional(offerMembers.pricing),
  },
  { title: 'OfferUpdate', ...READ_ONLY },
);
export type OfferUpdate = Static<typeof OfferUpdate>;

export const Offer = Type.Object(
  { ...offerMembers, published_at: DateTime('When it was published.') },
  { title: 'Offer' },
);
export type Offer = Static<typeof Offer>;

/** An asset with its offer. */
export const OperatorAsset = Type.Object(
  {
    ...Asset.properties,
    offer: Type.Union([Offer, Type.Null()], { description: 'Null if it is not on offer.' }),
  },
  { title: 'OperatorAsset' },
);
export type OperatorAsset = Static<typeof OperatorAsset>;

export const AssetCreate = Strict(
  {
    name: Name('Display name.', assetExample.name),
    technology: Choice(TECHNOLOGIES, { description: 'Energy source.', examples: ['wind_onshore'] }),
    nominal_power: Type.Number({
      exclusiveMinimum: 0,
      maximum: LIMITS.powerMw,
      'x-decimals': 3,
      description: 'MW, at most 3 decimals.',
      examples: [48.3],
    }),
    tso: TsoSchema,
    offer: Type.Optional(Nullable(OfferCreate)),
  },
  { title: 'AssetCreate', 'x-read-only': ['id'] },
);

export const AssetUpdate = Strict(
  {
    name: Type.Optional(AssetCreate.properties.name),
    technology: Type.Optional(AssetCreate.properties.technology),
    nominal_power: Type.Optional(AssetCreate.properties.nominal_power),
    tso: Type.Optional(AssetCreate.properties.tso),
    offer: Type.Optional(Nullable(OfferUpdate)),
  },
  { title: 'AssetUpdate', 'x-read-only': ['id'] },
);

export const Cover = Type.Object(
  {
    cover_url: Type.String({
      format: 'uri',
      description: 'Where the image is served, without a key. Name it in an offer.',
      examples: [COVER_URL],
    }),
    media_type: Type.String({ description: 'Type of the image, by its content.', examples: ['image/png'] }),
    width: Type.Integer({ description: 'Pixels.', examples: [1600] }),
    height: Type.Integer({ description: 'Pixels.', examples: [900] }),
  },
  { title: 'Cover' },
);
export type Cover = Static<typeof Cover>;

export const COVER_MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type CoverMediaType = (typeof COVER_MEDIA_TYPES)[number];

const offerExample = {
  ppa_type: 'PAY_AS_PRODUCED',
  average_annual_power: 126_500,
  delivery_start: '2027-01-01T00:00:00Z',
  additional_info: 'Eleven turbines, in operation since 2019.',
  state: 'Brandenburg',
  country: 'DE',
  cover_url: COVER_URL,
  pricing: [
    { years: 5, price: 61 },
    { years: 10, price: 58.5 },
  ],
} as const;
const offeredExample = {
  ...assetExample,
  offer: { ...offerExample, published_at: '2026-10-20T08:00:00Z' },
};
export const ASSET_SORTS = ['name', '-name', 'nominal_power', '-nominal_power'] as const;
export type AssetSort = (typeof ASSET_SORTS)[number];
export const operatorMarketEndpoints = endpoints('Assets', {
  createAsset: endpoint({
    method: 'POST',
    path: '/operator/v1/assets',
    summary: 'Register an asset',
    description: 'A plant that contracts can refer to. With an `offer` it is listed in the customer API.',
    scopes: ['market:write'],
    status: 201,
    body: AssetCreate,
    response: OperatorAsset,
    example: {
      request: {
        name: assetExample.name,
        technology: 'wind_onshore',
        nominal_power: 48.3,
        tso: 'DE_50HERTZ',
        offer: offerExample,
      },
      response: offeredExample,
    },
  }),
  listAssets: endpoint({
    method: 'GET',
    path: '/operator/v1/assets',
    summary: 'List assets',
    description: 'All assets with their offers, oldest first unless sorted.',
    scopes: ['read'],
    query: Strict({
      technology: Type.Optional(Choice(TECHNOLOGIES, { description: 'Only these.', examples: ['solar'] })),
      tso: Type.Optional(TsoSchema),
      offered: Type.Optional(
        Choice(['true', 'false'], {
          description: 'Only those with an offer, or without.',
          examples: ['true'],
        }),
      ),
      search: Search('Part of the name, in upper or lower case.', 'uckermark'),
      sort: Sort(ASSET_SORTS),
      ...pageQuery,
    }),
    response: Page('assets', OperatorAsset, 'OperatorAssetList'),
    example: { response: { assets: [offeredExample], pagination: paginationExample } },
  }),
  getAsset: endpoint({
    method: 'GET',
    path: '/operator/v1/assets/{asset_id}',
    summary: 'Read an asset',
    description:
      'One asset with its offer, by its id. The answer has an `ETag`; `If-None-Match` is supported.',
    scopes: ['read'],
    response: OperatorAsset,
    problems: ['asset_not_found'],
    conditional: true,
    example: { response: offeredExample },
  }),
  updateAsset: endpoint({
    method: 'PATCH',
    path: '/operator/v1/assets/{asset_id}',
    summary: 'Change an asset, offer it, or withdraw its offer',
    description:
      'Changes name, technology, power or TSO. `offer` publishes an offer, or changes the given members of the existing one, which keeps its place in the list; `null` withdraws it. `If-Match` is supported.',
    scopes: ['market:write'],
    body: AssetUpdate,
    response: OperatorAsset,
    problems: ['asset_not_found', 'precondition_failed'],
    conditional: true,
    example: {
      request: { nominal_power: 48.3, offer: { pricing: [{ years: 10, price: 58.5 }] } },
      response: offeredExample,
    },
  }),
  uploadCover: endpoint({
    method: 'POST',
    path: '/operator/v1/covers',
    summary: 'Upload a cover image',
    description:
      'A PNG, JPEG or WebP of at most 5 MB, recognised by its content. The answer has its address, for the `cover_url` of offers; equal images have the same address.',
    scopes: ['market:write'],
    status: 201,
    stream: COVER_MEDIA_TYPES,
    maxBytes: LIMITS.cover.bytes,
    response: Cover,
    example: {
      request: '(bytes of the image)',
      response: {
        cover_url: offerExample.cover_url,
        media_type: 'image/png',
        width: 1600,
        height: 900,
      },
    },
  }),
});
