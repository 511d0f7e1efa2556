import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarketAsset, MarketDemand } from '@saldo/api';
import { isDemandWanted, isOfferWanted, OFFER_SORTS, readOfferFilters, sortOffers } from './filters.ts';

const OFFER: MarketAsset = {
  id: 'ast_1',
  name: 'Windpark Uckermark',
  assetType: 'WIND',
  nominalPower: 48.3,
  averageAnnualPower: null,
  deliveryStart: '2027-01-01T00:00:00.000Z',
  ppaType: 'PAY_AS_PRODUCED',
  additionalInfo: null,
  state: 'Brandenburg',
  country: 'DE',
  coverUrl: 'https://market.example/covers/x.svg',
  pricing: [{ years: 10, price: 58.5 }],
};

const DEMAND: MarketDemand = {
  id: 'dem_1',
  contractPeriod: 10,
  deliveryVolume: 24_000,
  additionalInfo: 'Baseload for a foundry',
  country: 'DE',
  state: null,
  deliveryStart: null,
};

test('all filters that are set apply together', () => {
  assert.ok(isOfferWanted({})(OFFER));
  assert.ok(isOfferWanted({ type: 'WIND', ppa: 'PAY_AS_PRODUCED', country: 'DE', search: 'ucker' })(OFFER));
  assert.ok(!isOfferWanted({ type: 'SOLAR' })(OFFER));
  assert.ok(!isOfferWanted({ type: 'WIND', country: 'AT' })(OFFER));
  assert.ok(!isOfferWanted({ ppa: 'PAY_AS_NOMINATED' })(OFFER));
});

test('search matches name, region and description, ignoring case', () => {
  assert.ok(isOfferWanted({ search: ' BRANDEN ' })(OFFER));
  assert.ok(!isOfferWanted({ search: 'hessen' })(OFFER));
  assert.ok(isDemandWanted({ search: 'FOUNDRY' })(DEMAND));
  assert.ok(!isDemandWanted({ search: 'foundry', country: 'AT' })(DEMAND));
});

test('a price limit applies to the duration if one is chosen, else to the lowest price', () => {
  const pricing = [
    { years: 5, price: 61 },
    { years: 10, price: 58.5 },
  ];
  const isFound = (filters: Parameters<typeof isOfferWanted>[0]) =>
    isOfferWanted(filters)({ ...OFFER, pricing });
  assert.ok(isFound({ max_price: 59 }));
  assert.ok(!isFound({ max_price: 58 }));
  assert.ok(!isFound({ max_price: 59, years: 5 }));
  assert.ok(isFound({ max_price: 61, years: 5 }));
  assert.ok(!isFound({ years: 7 }));
});

test('power, region and the German year of the start are filters', () => {
  assert.ok(isOfferWanted({ min_power: 48, state: 'Brandenburg', start: 2027 })(OFFER));
  assert.ok(!isOfferWanted({ min_power: 49 })(OFFER));
  assert.ok(!isOfferWanted({ state: 'Hessen' })(OFFER));
  assert.ok(!isOfferWanted({ start: 2026 })(OFFER));
  assert.ok(!isOfferWanted({ start: 2026 })({ ...OFFER, deliveryStart: '2026-12-31T23:00:00.000Z' }));
});

test('offers are sorted in both directions, those without a price last', () => {
  const offer = (id: string, price: number | null, nominalPower: number, year: number) => ({
    ...OFFER,
    id,
    nominalPower,
    deliveryStart: `${year}-01-01T00:00:00.000Z`,
    pricing: price === null ? [] : [{ years: 10, price }],
  });
  const offers = [
    offer('a', 60, 1, 2029),
    offer('b', null, 3, 2027),
    offer('c', 50, 2, 2028),
    offer('d', 60, 2, 2028),
  ];
  const orderOf = (sort?: (typeof OFFER_SORTS)[number]) =>
    sortOffers(offers, { sort })
      .map(({ id }) => id)
      .join('');
  assert.equal(orderOf(), 'abcd');
  assert.deepEqual(OFFER_SORTS.map(orderOf), ['cadb', 'adcb', 'acdb', 'bcda', 'bcda', 'acdb']);
});

test('an invalid filter value is ignored', () => {
  assert.deepEqual(readOfferFilters({ type: 'COAL', ppa: 'x', country: 'germany', search: ' ' }), {});
  assert.deepEqual(readOfferFilters({ max_price: '-1', years: '99', min_power: 'x', sort: 'name' }), {});
});
