import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarketAsset, MarketDemand } from '@saldo/api';
import { isDemandWanted, isOfferWanted, readOfferFilters } from './filters.ts';

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

test('an invalid filter value is ignored', () => {
  assert.deepEqual(readOfferFilters({ type: 'COAL', ppa: 'x', country: 'germany', search: ' ' }), {});
});
