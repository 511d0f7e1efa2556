import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperatorAsset } from '@saldo/api';
import fc from 'fast-check';
import {
  demandBody,
  demandFaults,
  NEW_DEMAND,
  NEW_OFFER,
  offerBody,
  offerFaults,
  offerInputs,
  offerPreview,
} from './offer-input.ts';

const asset = (pricing: { years: number; price: number }[], annual: number | null = 126_500) =>
  ({
    id: 'ast_1',
    name: 'Park',
    technology: 'wind_offshore',
    nominal_power: 48.3,
    tso: 'DE_TENNET',
    offer: {
      ppa_type: 'PAY_AS_NOMINATED',
      average_annual_power: annual,
      delivery_start: '2027-01-01T00:00:00Z',
      additional_info: null,
      state: 'Hessen',
      country: 'DE',
      cover_url: null,
      pricing,
      published_at: '2026-10-20T08:00:00Z',
    },
  }) satisfies OperatorAsset;

test('an offer without edits is sent unchanged', () => {
  const cents = fc.integer({ min: 0, max: 10_000_000 }).map((count) => count / 100);
  const kwh = fc.integer({ min: 0, max: 9_000_000_000 }).map((count) => count / 1000);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), cents, fc.option(kwh), (years, price, annual) => {
      const { offer, ...rest } = asset([{ years, price }], annual);
      const { published_at: _, ...stored } = offer;
      assert.deepEqual(offerBody(offerInputs({ ...rest, offer }), offer), stored);
    }),
  );
});

test('a new start day begins at its local midnight', () => {
  const { offer } = asset([{ years: 5, price: 61 }]);
  const body = offerBody({ ...offerInputs({ offer }), start: '2027-07-01' }, offer);
  assert.equal(body.delivery_start, '2027-06-30T22:00:00Z');
});

test('an invalid number or day is reported at its field before anything is sent', () => {
  const pricing = [
    { id: 0, years: '5', price: '61,50' },
    { id: 1, years: '', price: 'x' },
  ];
  const inputs = { ...NEW_OFFER, annualMwh: '12e3', pricing };
  assert.deepEqual(
    [...offerFaults(inputs)],
    [
      ['offer.delivery_start', 'noDay'],
      ['offer.average_annual_power', 'noNumber'],
      ['offer.pricing[1].years', 'noNumber'],
      ['offer.pricing[1].price', 'noNumber'],
    ],
  );
  assert.equal(offerBody(inputs, null).pricing[0]?.price, 61.5);
  assert.deepEqual([...demandFaults(NEW_DEMAND)], [['delivery_volume', 'noNumber']]);
});

test('the preview has the prices that are filled in, shortest duration first', () => {
  const pricing = ['10', '', '5'].map((years, id) => ({ id, years, price: '60' }));
  const preview = offerPreview(asset([]), { ...NEW_OFFER, pricing }, 'https://market.example');
  assert.deepEqual(
    preview.pricing.map(({ years }) => years),
    [5, 10],
  );
  assert.equal(preview.assetType, 'WIND');
});

test('the preview without an image has the drawing of the customer API', () => {
  const coverOf = (inputs: Partial<typeof NEW_OFFER>) =>
    offerPreview(asset([]), { ...NEW_OFFER, ...inputs }, 'https://market.example').coverUrl;
  assert.equal(coverOf({}), 'https://market.example/covers/wind_offshore-unknown-ast_1.svg');
  assert.equal(
    coverOf({ annualMwh: '198030' }),
    'https://market.example/covers/wind_offshore-4100-ast_1.svg',
  );
  assert.equal(coverOf({ coverUrl: 'https://pictures.example/x.jpg' }), 'https://pictures.example/x.jpg');
});

test('an empty field of a demand is sent as null', () => {
  const body = demandBody({ ...NEW_DEMAND, annualMwh: '24000', country: 'de' }, null);
  assert.deepEqual(body, {
    contract_period: 10,
    delivery_volume: 24_000,
    delivery_start: null,
    state: null,
    country: 'DE',
    additional_info: null,
  });
});
