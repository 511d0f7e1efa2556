import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorEndpoints } from '@saldo/api';
import { eventually, until } from '../../../server/test/until.ts';
import {
  type Answers,
  fill,
  find,
  findText,
  hasParameter,
  listOf,
  press,
  problem,
  show,
} from '../../test/components.ts';

const DAY = '2026-01-15';
const ASSET = 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c';
const [FORECAST, METER] = ['ser_01k9x3w8v5e2ntq0v9bgr4kx7c', 'ser_01k9x3w8v5e2ntq0v9bgr4kx7d'];
const forecast = { id: FORECAST, kind: 'forecast', name: 'Nord, forecast', market_location: null };
const meter = { id: METER, kind: 'meter', name: 'Nord, meter', market_location: '51238696781' };
const listed = (...series: object[]) => listOf(operatorEndpoints.listSeries, 'series', series);
const day = (count: number, energy_wh: number) =>
  Array.from({ length: count }, (_, at) => ({ slot_number: at + 1, energy_wh, version: 1 }));

/** The forecast has all quarter-hours but the third, the meter the first two, of which one was corrected. */
const answers: Answers = {
  'GET /operator/v1/series': listed(forecast, meter),
  [`GET /operator/v1/series/${FORECAST}/values`]: { values: day(96, 1_250_500).toSpliced(2, 1) },
  [`GET /operator/v1/series/${METER}/values`]: {
    values: [
      { slot_number: 1, energy_wh: 1_000_000, version: 2 },
      { slot_number: 2, energy_wh: 1_300_000, version: 1 },
    ],
  },
};

/** The cells of the table's row of a quarter-hour. On the page of a plant the table is below that of prices. */
const cellsOf = async (slot: number) => {
  const rowOf = () =>
    Array.from(document.querySelectorAll('main table')).at(-1)?.querySelectorAll('tbody tr')[slot - 1];
  const row = await until(rowOf, () => `row ${slot}`);
  return Array.from(row.querySelectorAll('td'), ({ textContent }) => textContent);
};

const TEXTS = {
  en: {
    title: 'Quarter-hours of Thursday, 15 January 2026',
    complete: ['Forecast: 1 quarter-hour without a value', 'Meter: 94 quarter-hours without a value'],
    first: ['00:00#1', '23:00', '1,250.500', 'v21,000.000', '−250.500'],
    third: ['00:30#3', '23:30', 'no value', 'no value', '–'],
    chart: /^Slot 3, 00:30 · Forecast no value · Meter no value$/,
    chartName: 'Forecast and meter of Thursday, 15 January 2026 by quarter-hour',
  },
  de: {
    title: 'Viertelstunden am Donnerstag, 15. Januar 2026',
    complete: ['Prognose: 1 Viertelstunde ohne Wert', 'Lastgang: 94 Viertelstunden ohne Wert'],
    first: ['00:00#1', '23:00', '1.250,500', 'v21.000,000', '−250,500'],
    third: ['00:30#3', '23:30', 'kein Wert', 'kein Wert', '–'],
    chart: /^Slot 3, 00:30 · Prognose kein Wert · Lastgang kein Wert$/,
    chartName: 'Prognose und Lastgang am Donnerstag, 15. Januar 2026 je Viertelstunde',
  },
} as const;

for (const language of ['en', 'de'] as const)
  test(`a plant shows forecast, meter and their difference, with gaps as gaps: ${language}`, () =>
    show(
      `/operator/assets/${ASSET}?day=${DAY}&slot=3`,
      { role: 'operator', language, answers },
      async ({ requests }) => {
        const texts = TEXTS[language];
        await find('h2', texts.title);
        for (const text of [...texts.complete, 'Nord, forecast', 'Nord, meter', '51238696781'])
          await findText(text);
        assert.deepEqual(await cellsOf(1), texts.first);
        assert.deepEqual(await cellsOf(3), texts.third);
        const chart = await find('[role=slider]', texts.chartName);
        assert.match(chart.getAttribute('aria-valuetext') ?? '', texts.chart);
        const asked = requests.find(({ url }) => url.pathname === '/operator/v1/series');
        assert.equal(asked?.url.searchParams.get('owner_id'), ASSET);
      },
    ));

test('the series of a customer are on its page for the operator only', async () => {
  const path = '/customers/cust_01jhm3vz1he1tr8kc5g7w2m0qp';
  await show(`/operator${path}`, { role: 'operator', answers }, async () => {
    await find('main a', 'Nord, meter');
  });
  await show(path, { role: 'brp' }, async ({ requests }) => {
    await find('h2', 'Metadata');
    assert.ok(requests.every(({ url }) => !url.pathname.includes('series')));
    assert.ok(!document.body.textContent.includes('Series'));
  });
});

test('day, view and period are kept in the URL, and a day of the period opens it', () =>
  show(`/operator/series/${METER}?day=${DAY}`, { role: 'operator', answers }, async ({ requests }) => {
    await press('main button', 'Next day');
    await hasParameter('day', '2026-01-16');
    await press('main button', 'Period');
    await hasParameter('view', 'period');
    await fill('main input', 'First day', '15/01/2026');
    await hasParameter('from', DAY);
    await fill('main input', 'Last day', '16/01/2026');
    await hasParameter('to', '2026-01-16');
    await find('h2', 'Deviation by day');
    await findText('−20.250');
    await findText('100 %');
    const asked = requests.findLast(({ url }) => url.pathname.endsWith('/deviation'))?.url.searchParams;
    assert.deepEqual([asked?.get('from'), asked?.get('to')], [DAY, '2026-01-16']);
    await press('main table button', 'Thu, 15/01/2026');
    await hasParameter('day', DAY);
    await hasParameter('view', null);
  }));

test('a period that ends before it begins, or is too long, is explained and not asked for', () =>
  show(
    `/operator/series/${METER}?view=period&from=2026-01-15&to=2026-01-14`,
    { role: 'operator', answers },
    async ({ requests }) => {
      await findText('The last day must not come before the first.');
      await fill('main input', 'Last day', '15/01/2028');
      await findText('At most 366 days at once.');
      assert.ok(requests.every(({ url }) => !url.pathname.endsWith('/deviation')));
    },
  ));

test('one series alone is shown, and its deviation says what is missing', () =>
  show(
    `/operator/series/${METER}?day=${DAY}`,
    { role: 'operator', language: 'de', answers: { ...answers, 'GET /operator/v1/series': listed(meter) } },
    async () => {
      await findText('Lastgang: 94 Viertelstunden ohne Wert');
      assert.deepEqual(await cellsOf(1), ['00:00#1', '23:00', 'v21.000,000']);
      await press('main button', 'Zeitraum');
      await findText('Ein Vergleich braucht Prognose und Lastgang.');
    },
  ));

test('a day without values says so, and a failure can be retried', async () => {
  const empty = { ...answers, [`GET /operator/v1/series/${METER}/values`]: { values: [] } };
  const none = { ...empty, [`GET /operator/v1/series/${FORECAST}/values`]: { values: [] } };
  await show(`/operator/series/${METER}`, { role: 'operator', answers: none }, async () => {
    await findText('No values for this day');
  });
  const failing = {
    ...answers,
    [`GET /operator/v1/series/${METER}/values`]: () => problem(400, 'validation'),
  };
  await show(`/operator/series/${METER}`, { role: 'operator', answers: failing }, async () => {
    await find('main button', 'Try again');
  });
});

for (const [language, create, name, location, submit] of [
  ['en', 'New meter', 'Windpark Uckermark Nord, meter', 'Market location', 'Create'],
  ['de', 'Lastgang anlegen', 'Windpark Uckermark Nord, Lastgang', 'Marktlokation', 'Anlegen'],
] as const)
  test(`a plant without a meter gets one, and a wrong market location is shown at its field: ${language}`, () => {
    const fault = { field: 'market_location', code: 'invalid_format', message: 'The check digit is 1.' };
    const bodies: unknown[] = [];
    const refusing: Answers = {
      ...answers,
      'GET /operator/v1/series': listed(forecast),
      'POST /operator/v1/series': ({ body }: { body: unknown }) => {
        bodies.push(body);
        return bodies.length === 1 ? problem(400, 'validation', [fault]) : undefined;
      },
    };
    return show(`/operator/assets/${ASSET}`, { role: 'operator', language, answers: refusing }, async () => {
      await press('main button', create);
      await fill('dialog input', location, ' 51238696780 ');
      await press('dialog button', submit);
      await findText(fault.message);
      const field = await find('dialog input', location);
      assert.equal(field.getAttribute('aria-invalid'), 'true');
      await fill('dialog input', location, '51238696781');
      await press('dialog button', submit);
      await eventually(async () =>
        assert.ok(document.querySelector('dialog') === null, 'the dialog is closed'),
      );
      const owner = { type: 'asset', id: ASSET };
      assert.deepEqual(bodies, [
        { kind: 'meter', owner, name, market_location: '51238696780' },
        { kind: 'meter', owner, name, market_location: '51238696781' },
      ]);
    });
  });

test('the name and the market location of a series are changed', () =>
  show(`/operator/series/${METER}`, { role: 'operator', answers }, async ({ requests }) => {
    await press('main button', 'Change');
    await fill('dialog input', 'Name', 'Nord, Lastgang');
    await fill('dialog input', 'Market location', '');
    await press('dialog button', 'Save');
    const sent = await until(
      () => requests.find(({ method }) => method === 'PATCH'),
      () => 'the change is sent',
    );
    assert.deepEqual(sent.body, { name: 'Nord, Lastgang', market_location: null });
  }));

test('readers see series and cannot change them', () =>
  show(`/operator/assets/${ASSET}`, { role: 'operator', permissions: 'viewer', answers }, async () => {
    await find('main a', 'Nord, meter');
    const buttons = Array.from(document.querySelectorAll('main button'), (button) => button.ariaLabel ?? '');
    assert.ok(buttons.every((label) => !label.startsWith('Change')));
  }));

test('the list of series is filtered by the URL', () =>
  show('/operator/series', { role: 'operator', answers }, async ({ requests }) => {
    await find('main table a', 'Nord, meter');
    await find('main table a', 'Windpark Uckermark Nord');
    await fill('main select', 'Kind', 'meter');
    await hasParameter('kind', 'meter');
    await fill('main input', 'Market location', '51238696781');
    await hasParameter('market_location', '51238696781');
    await eventually(async () => {
      const asked = requests.findLast(({ url }) => url.pathname === '/operator/v1/series')?.url.searchParams;
      assert.deepEqual([asked?.get('kind'), asked?.get('market_location')], ['meter', '51238696781']);
    });
  }));

const INTERCHANGE = {
  id: 'icg_01k9x41m8qf4t9v6q3w7x1y0zk',
  messages: 3,
  rejected: [{ message: 2, segment: 12, reason: 'More than three decimals.' }],
  rejected_messages: 1,
  unknown: ['51238696798'],
  unknown_locations: 1,
  remarks: [{ message: 3, segment: null, text: 'The product 1.29.0 is left out.' }],
};

for (const [language, partly, rejected, unknown, download] of [
  ['en', 'partly applied', 'Rejected messages', 'Unknown market locations', 'Download the text'],
  [
    'de',
    'teilweise übernommen',
    'Abgelehnte Nachrichten',
    'Unbekannte Marktlokationen',
    'Text herunterladen',
  ],
] as const)
  test(`interchanges show their state, what was rejected and what is unknown: ${language}`, () => {
    const example = operatorEndpoints.getInterchange.example.response as object;
    const one = { ...example, ...INTERCHANGE };
    const shown: Answers = {
      'GET /operator/v1/series/interchanges': listOf(operatorEndpoints.listInterchanges, 'interchanges', [
        INTERCHANGE,
        { id: 'icg_2', state: 'rejected', sender: null, reference: null, reason: 'UNZ counts 2 messages.' },
      ]),
      [`GET /operator/v1/series/interchanges/${INTERCHANGE.id}`]: one,
    };
    return show('/operator/series/interchanges', { role: 'operator', language, answers: shown }, async () => {
      await findText(partly);
      await press('main table a', /16/);
      await find('h2', rejected);
      await findText('More than three decimals.');
      await find('h2', unknown);
      await findText('51238696798');
      await findText('The product 1.29.0 is left out.');
      const link = await find('main a', download);
      assert.equal(link.getAttribute('href'), `/operator/v1/series/interchanges/${INTERCHANGE.id}/raw`);
    });
  });

test('an interchange counts what its lists leave out', () => {
  const example = operatorEndpoints.getInterchange.example.response as object;
  const counts = { messages: 4000, rejected_messages: 4000, unknown_locations: 2000 };
  const one = { ...example, ...INTERCHANGE, ...counts };
  const shown: Answers = {
    'GET /operator/v1/series/interchanges': listOf(operatorEndpoints.listInterchanges, 'interchanges', [one]),
    [`GET /operator/v1/series/interchanges/${INTERCHANGE.id}`]: one,
  };
  return show('/operator/series/interchanges', { role: 'operator', answers: shown }, async () => {
    const row = await find('main table tbody tr', /9900000000018/);
    const cells = Array.from(row.querySelectorAll('td'), ({ textContent }) => textContent);
    assert.deepEqual(
      [cells[1], ...cells.slice(4)],
      ['rejected', '4,000', '4,000', '2,000'],
      'state, messages, rejected, unknown',
    );
    await press('main table a', /16/);
    await findText('The first 1 of 4,000 rejected messages.');
    await findText('The first 1 of 2,000 market locations.');
  });
});

test('an interchange of which nothing is applied does not say that the rest is', () => {
  const example = operatorEndpoints.getInterchange.example.response as object;
  const one = { ...example, ...INTERCHANGE, messages: 1 };
  const path = `/series/interchanges/${INTERCHANGE.id}`;
  const shown: Answers = { [`GET /operator/v1${path}`]: one };
  return show(`/operator${path}`, { role: 'operator', answers: shown }, async () => {
    const text = await findText('More than three decimals.');
    assert.doesNotMatch(text, /The other messages/);
  });
});

for (const [language, text] of [
  ['en', 'being read'],
  ['de', 'wird gelesen'],
] as const)
  test(`an interchange that is still being read is not called applied: ${language}`, () => {
    const shown: Answers = {
      'GET /operator/v1/series/interchanges': listOf(operatorEndpoints.listInterchanges, 'interchanges', [
        { state: 'stored', messages: 0 },
      ]),
    };
    return show('/operator/series/interchanges', { role: 'operator', language, answers: shown }, async () => {
      await find('main table td', text);
    });
  });

test('new values are shown without a reload', () => {
  let energy_wh = 1_000_000;
  const changing = {
    ...answers,
    'GET /operator/v1/series': listed(meter),
    [`GET /operator/v1/series/${METER}/values`]: () => ({ values: day(1, energy_wh) }),
  };
  return show(
    `/operator/series/${METER}?day=${DAY}`,
    { role: 'operator', answers: changing },
    async ({ change }) => {
      await findText('1,000.000');
      energy_wh = 2_000_000;
      change('series.updated');
      await findText('2,000.000');
    },
  );
});
