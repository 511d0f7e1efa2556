import { ASSET_TYPES, LIMITS, type MarketAsset, type MarketDemand, OFFER_PPA_TYPES } from '@saldo/api';
import { matching, oneOf, type SearchOf, searchReader, text } from '../domain/search.ts';

const country = matching((value) => /^[A-Z]{2}$/.test(value));
const search = text(LIMITS.searchLength);

const offers = { type: oneOf(ASSET_TYPES), ppa: oneOf(OFFER_PPA_TYPES), country, search };
export type OfferFilters = SearchOf<typeof offers>;
export const readOfferFilters = searchReader(offers);

const demands = { country, search };
export type DemandFilters = SearchOf<typeof demands>;
export const readDemandFilters = searchReader(demands);

/** Case-insensitive substring search in any of the texts. */
const isIn = (part: string | undefined, texts: readonly (string | null)[]): boolean =>
  part === undefined || texts.some((whole) => whole?.toLowerCase().includes(part.trim().toLowerCase()));

export const isOfferWanted =
  (filters: OfferFilters) =>
  (offer: MarketAsset): boolean =>
    (filters.type === undefined || offer.assetType === filters.type) &&
    (filters.ppa === undefined || offer.ppaType === filters.ppa) &&
    (filters.country === undefined || offer.country === filters.country) &&
    isIn(filters.search, [offer.name, offer.state, offer.additionalInfo]);

export const isDemandWanted =
  (filters: DemandFilters) =>
  (demand: MarketDemand): boolean =>
    (filters.country === undefined || demand.country === filters.country) &&
    isIn(filters.search, [demand.state, demand.additionalInfo]);
