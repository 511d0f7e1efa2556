import { ASSET_TYPES, LIMITS, type MarketAsset, type MarketDemand, OFFER_PPA_TYPES } from '@saldo/api';
import { dayOf } from '@saldo/core/delivery-day.ts';
import { matching, oneOf, type SearchOf, searchReader, text, wholeNumber } from '../ui/search-parameters.ts';

const country = matching((value) => /^[A-Z]{2}$/.test(value));
const search = text(LIMITS.searchLength);

/** By lowest price, power or start of delivery; descending with a minus. Newest first without one. */
export const OFFER_SORTS = ['price', '-price', 'power', '-power', 'start', '-start'] as const;
type OfferSort = (typeof OFFER_SORTS)[number];

/** Offers that fit side by side. */
export const MAX_COMPARED = 4;
const COMPARED_LENGTH = MAX_COMPARED * 40;

/** Ids in a parameter, separated by commas. */
export const comparedIds = (parameter: string | undefined): string[] =>
  [...new Set(parameter?.split(',') ?? [])].filter((id) => id !== '').slice(0, MAX_COMPARED);

const comparison = { offers: text(COMPARED_LENGTH) };
export const readCompareSearch = searchReader(comparison);

const offers = {
  type: oneOf(ASSET_TYPES),
  ppa: oneOf(OFFER_PPA_TYPES),
  country,
  state: text(LIMITS.nameLength),
  /** Duration of the contract. */
  years: wholeNumber(LIMITS.contractYears.minimum, LIMITS.contractYears.maximum),
  max_price: wholeNumber(LIMITS.priceEurPerMwh.minimum, LIMITS.priceEurPerMwh.maximum),
  min_power: wholeNumber(0, LIMITS.powerMw),
  /** Latest year in which delivery starts. */
  start: wholeNumber(1, 9999),
  search,
  sort: oneOf(OFFER_SORTS),
  watched: oneOf(['true']),
  /** Ids of the offers that are chosen to be compared. */
  compare: text(COMPARED_LENGTH),
};
export type OfferFilters = SearchOf<typeof offers>;
export const readOfferFilters = searchReader(offers);

const demands = { country, search };
export type DemandFilters = SearchOf<typeof demands>;
export const readDemandFilters = searchReader(demands);

/** Case-insensitive substring search in any of the texts. */
const isIn = (part: string | undefined, texts: readonly (string | null)[]): boolean =>
  part === undefined || texts.some((whole) => whole?.toLowerCase().includes(part.trim().toLowerCase()));

const isSame = <T>(wanted: T | undefined, actual: T): boolean => wanted === undefined || wanted === actual;

/** The lowest price, of this duration if one is given; null without such a price. */
export function lowestPrice({ pricing }: Pick<MarketAsset, 'pricing'>, years?: number): number | null {
  const prices = pricing.filter((step) => isSame(years, step.years)).map(({ price }) => price);
  return prices.length === 0 ? null : Math.min(...prices);
}

/** The year in which delivery starts, in German time. */
export const startYear = ({ deliveryStart }: Pick<MarketAsset, 'deliveryStart'>): number =>
  Number(dayOf(Date.parse(deliveryStart)).slice(0, 4));

const hasPrice = (offer: MarketAsset, { years, max_price }: OfferFilters): boolean => {
  if (years === undefined && max_price === undefined) return true;
  const price = lowestPrice(offer, years);
  return price !== null && price <= (max_price ?? Number.POSITIVE_INFINITY);
};

export const isOfferWanted =
  (filters: OfferFilters) =>
  (offer: MarketAsset): boolean =>
    isSame(filters.type, offer.assetType) &&
    isSame(filters.ppa, offer.ppaType) &&
    isSame(filters.country, offer.country) &&
    isSame<string | null>(filters.state, offer.state) &&
    hasPrice(offer, filters) &&
    offer.nominalPower >= (filters.min_power ?? 0) &&
    startYear(offer) <= (filters.start ?? Number.POSITIVE_INFINITY) &&
    isIn(filters.search, [offer.name, offer.state, offer.additionalInfo]);

type SortKey = 'price' | 'power' | 'start';
const SORT_VALUES: Record<SortKey, (offer: MarketAsset, years: number | undefined) => number | null> = {
  price: lowestPrice,
  power: ({ nominalPower }) => nominalPower,
  start: ({ deliveryStart }) => Date.parse(deliveryStart),
};

const parseSort = (sort: OfferSort) => ({
  key: sort.replace('-', '') as SortKey,
  sign: sort.startsWith('-') ? -1 : 1,
});

/** Sorts offers, those without a price last; equal ones keep their order. Without `sort` the order stays. */
export function sortOffers(offers: readonly MarketAsset[], { sort, years }: OfferFilters): MarketAsset[] {
  if (sort === undefined) return [...offers];
  const { key, sign } = parseSort(sort);
  const valueOf = (offer: MarketAsset) => SORT_VALUES[key](offer, years) ?? sign * Number.POSITIVE_INFINITY;
  return offers.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    return a === b ? 0 : sign * (a < b ? -1 : 1);
  });
}

export const isDemandWanted =
  (filters: DemandFilters) =>
  (demand: MarketDemand): boolean =>
    isSame(filters.country, demand.country) && isIn(filters.search, [demand.state, demand.additionalInfo]);
