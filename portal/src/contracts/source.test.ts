import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorEndpoints } from '@saldo/api';
import { eventually, until } from '../../../server/test/until.ts';
import {
  type Answers,
  fill,
  find,
  findText,
  listOf,
  press,
  type Shown,
  show,
} from '../../test/components.ts';
import { isFaulty, parseShare, readSource, sourceInput } from './source.ts';

const [FORECAST, METER] = ['ser_01k9x3w8v5e2ntq0v9bgr4kx7c', 'ser_01k9x3w8v5e2ntq0v9bgr4kx7d'];
const seriesExample = operatorEndpoints.getSeries.example.response as never as { id: string; kind: 'meter' };
const offered = [
  { ...seriesExample, id: FORECAST, kind: 'forecast', name: 'Nord, forecast' },
  { ...seriesExample, id: METER, name: 'Nord, meter' },
] as never[];

test('a typed percentage is an exact share with at most six decimals', () => {
  const typed = ['100', '50', '33,3333', '0.0001', ' 12.5 ', '0', '100.0001', '33.33333', '-5', 'half', ''];
  const shares = [1, 0.5, 0.333333, 0.000001, 0.125, null, null, null, null, null, null];
  assert.deepEqual(typed.map(parseShare), shares);
  for (const share of [1, 0.5, 0.333333, 0.07, 0.000001]) {
    const input = sourceInput({ forecast: FORECAST, meter: null, share, max_power_mw: null });
    assert.equal(parseShare(input.share), share);
  }
});

test('a source takes only series that fit the contract, and all faults are known at once', () => {
  const input = { forecast: FORECAST, meter: METER, share: '50', maxPower: '20,5' };
  const expected = { forecast: FORECAST, meter: METER, share: 0.5, max_power_mw: 20.5 };
  assert.deepEqual(readSource(input, 'produced', offered), expected);
  assert.deepEqual(readSource(input, 'forecasted', offered), { ...expected, meter: null });
  const faults = readSource({ ...input, share: '0', maxPower: 'much' }, 'produced', []);
  assert.ok(isFaulty(faults));
  assert.deepEqual([...faults].toSorted(), ['power', 'series', 'share']);
});

const CONTRACT = 'con_01jhm3wa2fe5h8x2z6tdq9vn4m';
const contract = operatorEndpoints.operatorGetContract.example.response as object;
const source = { forecast: FORECAST, meter: METER, share: 0.333333, max_power_mw: 20 };
const transactions = listOf(operatorEndpoints.operatorListTransactions, 'transactions', [
  { id: 'txn_1', source: 'meter', slot_number: 1 },
  { id: 'txn_2', source: 'forecast', slot_number: 2, delivery_start: '2026-01-14T23:15:00Z' },
]);
const answers = (of: object | null): Answers => ({
  [`GET /operator/v1/contracts/${CONTRACT}`]: { ...contract, source: of },
  'GET /operator/v1/series': listOf(operatorEndpoints.listSeries, 'series', offered),
  [`GET /operator/v1/series/${FORECAST}`]: offered[0] as object,
  [`GET /operator/v1/series/${METER}`]: offered[1] as object,
  'GET /operator/v1/transactions': transactions,
});
const PAGE = `/operator/contracts/${CONTRACT}?day=2026-01-15`;
const sentBy = ({ requests }: Shown) =>
  until(
    () => requests.find(({ method }) => method === 'PATCH'),
    () => 'the change is sent',
  );

for (const [language, texts, meter, forecast] of [
  ['en', ['33.3333 %', 'Meter: 1', 'Forecast: 1'], 'Meter', 'Forecast'],
  ['de', ['33,3333 %', 'Messwert: 1', 'Prognose: 1'], 'Messwert', 'Prognose'],
] as const)
  test(`a contract shows its source, and each volume the series that it comes from: ${language}`, () =>
    show(PAGE, { role: 'operator', language, answers: answers(source) }, async () => {
      for (const text of texts) await findText(text);
      for (const [name, id, slot] of [
        [meter, METER, 1],
        [forecast, FORECAST, 2],
      ] as const) {
        const link = await find('main table a', name);
        assert.equal(link.getAttribute('href'), `/operator/series/${id}?day=2026-01-15&slot=${slot}`);
      }
      const buttons = Array.from(document.querySelectorAll('main button'), (button) => button.textContent);
      assert.ok(
        !buttons.some((text) => /Correct the day|Tag korrigieren/.test(text)),
        'no correction by hand',
      );
    }));

test('a source is changed, with its faults at their fields first', () =>
  show(PAGE, { role: 'operator', language: 'de', answers: answers(source) }, async (shown) => {
    await press('main button', 'Quelle ändern');
    await findText('Gilt ab dem nächsten Liefertag, der sich noch ändern lässt.');
    await find('dialog option', /Nord, meter/);
    await fill('dialog input', 'Anteil in %', '120');
    await press('dialog button', 'Speichern');
    await findText('Eine Zahl über 0 bis 100, mit höchstens vier Nachkommastellen.');
    assert.ok(shown.requests.every(({ method }) => method === 'GET'));
    await fill('dialog input', 'Anteil in %', '12,5');
    await fill('dialog input', 'Höchstleistung in MW', '');
    await fill('dialog select', 'Prognose', '');
    await press('dialog button', 'Speichern');
    const { body } = await sentBy(shown);
    assert.deepEqual(body, { source: { forecast: null, meter: METER, share: 0.125, max_power_mw: null } });
  }));

test('a source is ended after a question', () =>
  show(PAGE, { role: 'operator', answers: answers(source) }, async (shown) => {
    await press('main button', 'End source');
    await findText('What is stored stays, and volumes can be imported again.');
    await press('dialog button', 'End source');
    assert.deepEqual((await sentBy(shown)).body, { source: null });
  }));

test('a contract without a source can get one, and its volumes can be corrected', () =>
  show(PAGE, { role: 'operator', answers: answers(null) }, async () => {
    await find('main button', 'Take volumes from series');
    await find('main button', 'Correct the day');
  }));

test('a BRP sees nothing of sources', () =>
  show(`/contracts/${CONTRACT}?day=2026-01-15`, { role: 'brp' }, async ({ requests }) => {
    await find('h2', 'Transactions');
    await eventually(async () =>
      assert.ok(!/series|Source/i.test(document.querySelector('main')?.textContent ?? '')),
    );
    assert.ok(requests.every(({ url }) => !url.pathname.includes('series')));
  }));

test('the form of a new contract offers the series of the chosen plant', () =>
  show('/operator/contracts/new', { role: 'operator', answers: answers(null) }, async ({ requests }) => {
    await findText('The volumes follow forecast and meter');
    await press('main [name=has_source]', /^$/);
    await findText('Choose the plant first: its series are offered here.');
    await find('main option', /^Windpark Uckermark Nord/);
    await fill('main select', 'Asset', 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c');
    await find('main option', /Nord, meter/);
    await press('main button', 'Create');
    await findText('Please choose a forecast or a meter.');
    await fill('main select', 'Meter', METER);
    await fill('main input', 'Share in %', '40');
    await press('main button', 'Create');
    const { body } = await until(
      () => requests.find(({ method }) => method === 'POST'),
      () => 'the contract is sent',
    );
    assert.deepEqual((body as { source: object }).source, {
      forecast: null,
      meter: METER,
      share: 0.4,
      max_power_mw: null,
    });
  }));
