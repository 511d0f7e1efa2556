import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Alarm, brpEndpoints, operatorEndpoints } from '@saldo/api';
import { addDays, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import { eventually, until } from '../../../server/test/until.ts';
import { type Answers, fill, find, findText, listOf, press, problem, show } from '../../test/components.ts';

// 14 January, 8:45 in Berlin: the day-ahead gates of the 15th and later are open.
const nominationOn = (day: string, id: string, sent_at: string | null = null) => ({
  id,
  sent_at,
  slots: [{ delivery_start: formatInstant(dayStart(day)), slot_number: 1, amount: 1, matched_amount: null }],
});

const calendar = brpEndpoints.getDeliveryDay.example.response as object;

/** Pending: two days; not matched: the day between them; and a customer that waits. */
const answersOf = (api: '/v1' | '/operator/v1'): Answers => {
  const calendars = ['2026-01-15', '2026-01-16', '2026-01-18'].map((day) => {
    const closes_at = formatInstant(dayStart(addDays(day, -1)) + 14.5 * 3_600_000);
    const gates = [{ phase: 'day_ahead', closes_at, open: true }];
    return [`GET ${api}/delivery-days/${day}`, { ...calendar, gates }];
  });
  const pending = [nominationOn('2026-01-15', 'nom_1'), nominationOn('2026-01-18', 'nom_3')];
  const unmatched = [nominationOn('2026-01-16', 'nom_2', '2026-01-13T10:00:00Z')];
  return {
    ...Object.fromEntries(calendars),
    [`GET ${api}/nominations`]: ({ url }: { url: URL }) =>
      listOf(
        brpEndpoints.listNominations,
        'nominations',
        url.searchParams.get('status') === 'pending' ? pending : unmatched,
      ),
    [`GET ${api}/customers`]: listOf(brpEndpoints.listCustomers, 'customers', [{ status: 'pending' }]),
    'GET /operator/v1/transactions': listOf(brpEndpoints.listTransactions, 'transactions', [{}]),
    'GET /operator/v1/exchange/alarms': listOf(operatorEndpoints.listAlarms, 'alarms'),
  };
};

const rows = () =>
  Array.from(
    document.querySelectorAll('main ol li'),
    (row) => row.textContent?.replaceAll(/\s+/g, ' ') ?? '',
  );

for (const [role, language, api, list, expected] of [
  [
    'brp',
    'en',
    '/v1',
    'Needs attention',
    [
      /^Not sent.*15\/01\/2026.*Check your own schedule.*Gate 14\/01\/2026, 14:30/,
      /^Mismatch.*16\/01\/2026.*Compare both sides.*Gate 15\/01\/2026, 14:30/,
      /^Not sent.*18\/01\/2026.*Gate 17\/01\/2026, 14:30/,
      /^Waiting.*1 customer.*Activate/,
    ],
  ],
  [
    'operator',
    'de',
    '/operator/v1',
    'Braucht Aufmerksamkeit',
    [
      /^Nicht gesendet.*15\.01\.2026.*Der Austausch zeigt.*Frist 14\.01\.2026, 14:30/,
      /^Abweichung.*16\.01\.2026.*Beide Seiten ansehen.*Frist 15\.01\.2026, 14:30/,
      /^Nicht gesendet.*18\.01\.2026.*Frist 17\.01\.2026, 14:30/,
      /1 Kunde.*Der zuständige BKV muss sie aktivieren/,
    ],
  ],
] as const)
  test(`matters of all days with an open gate are shown, most urgent first: ${role}, ${language}`, () =>
    show('/', { role, language, answers: answersOf(api) }, async () => {
      await find('ol', list);
      await eventually(async () => {
        assert.equal(rows().length, expected.length, rows().join('\n'));
        for (const [at, pattern] of expected.entries()) assert.match(rows()[at] ?? '', pattern);
      });
      const [link] = document.querySelectorAll<HTMLElement>('main ol li:nth-child(2) a');
      assert.match(link?.getAttribute('href') ?? '', /\/nominations\/nom_2$/);
    }));

for (const [language, text] of [
  ['en', 'more than 500 customers'],
  ['de', 'mehr als 500 Kunden'],
] as const)
  test(`a count says when there are more than were read: ${language}`, () => {
    const customers = Array.from({ length: 501 }, (_, at) => ({ id: `cus_${at}`, status: 'pending' }));
    const answers = {
      ...answersOf('/v1'),
      'GET /v1/customers': listOf(brpEndpoints.listCustomers, 'customers', customers),
    };
    return show('/', { role: 'brp', language, answers }, () => findText(new RegExp(text)));
  });

for (const [role, language, headline] of [
  ['brp', 'en', /Net position for tomorrow, Thu, 15\/01\/2026 ?\+118,518\.432 ?MWh ?1 of 2 nominations sent/],
  ['brp', 'de', /Saldo für morgen[^]*\+118\.518,432 ?MWh ?1 von 2 Nominierungen vom Betreiber gesendet/],
  ['operator', 'en', /Not sent to the TSOs yet ?1 ?nomination/],
] as const)
  test(`the headline is the net position for tomorrow, or what is not sent: ${role}, ${language}`, () => {
    const slots = [
      { delivery_start: '2026-01-15T10:00:00Z', slot_number: 45, amount: 59_259.216, matched_amount: null },
    ];
    const sent = [
      { id: 'nom_1', slots, sent_at: null },
      { id: 'nom_2', slots },
    ];
    const list = listOf(brpEndpoints.listNominations, 'nominations', sent);
    const answers = { 'GET /v1/nominations': list, 'GET /operator/v1/nominations': list };
    return show('/', { role, language, answers }, () => findText(headline));
  });

const { alarms: examples } = operatorEndpoints.listAlarms.example.response as { alarms: Alarm[] };
const [alarm] = examples;

test('a read-only operator sees alarms in German without a button, until their cause has gone', async () => {
  let open: object[] = examples;
  const answers: Answers = {
    ...answersOf('/operator/v1'),
    'GET /operator/v1/exchange/alarms': () => listOf(operatorEndpoints.listAlarms, 'alarms', open),
  };
  const visit = { role: 'operator', permissions: 'viewer', language: 'de', answers } as const;
  await show('/', visit, async ({ change }) => {
    await findText(/kritischFahrplan abgelehnt.*vor der Frist erneut senden/);
    assert.equal(document.querySelectorAll('main ol button').length, 0);
    open = [];
    change('exchange.alarm');
    await until(() => !document.body.textContent?.includes('Fahrplan abgelehnt'));
  });
});

test('the note of an alarm stays when the alarm leaves the list', async () => {
  let open: object[] = examples;
  const answers: Answers = {
    ...answersOf('/operator/v1'),
    'GET /operator/v1/exchange/alarms': () => listOf(operatorEndpoints.listAlarms, 'alarms', open),
    [`POST /operator/v1/exchange/alarms/${alarm?.id}/acknowledge`]: () => problem(409, 'conflict'),
  };
  await show('/', { role: 'operator', answers }, async ({ change }) => {
    await press('main ol button', 'Acknowledge');
    await fill('dialog input', 'Note', 'The TSO sends it again.');
    open = [];
    change('exchange.alarm');
    await until(() => document.querySelectorAll('main ol button').length === 0);
    const note = (await find('dialog input', 'Note')) as HTMLInputElement;
    assert.equal(note.value, 'The TSO sends it again.');
    await press('dialog button', 'Acknowledge');
    await find('dialog [role=alert]', /./);
  });
});

const missing = (id: string, contract: string, severity: Alarm['severity']) => ({
  ...{ id, kind: 'forecast_missing', severity, tso: null, message_id: null, delivery_date: '2026-01-15' },
  ...{
    contract_id: `con_${contract}`,
    text: `Contract ${contract} has no forecast for 96 of 96 quarter-hours.`,
  },
});

test('contracts without a forecast are one item, which becomes critical and leads to each contract', async () => {
  let open: object[] = [missing('alm_1', 'north', 'warning'), missing('alm_2', 'south', 'warning')];
  const answers: Answers = {
    ...answersOf('/operator/v1'),
    'GET /operator/v1/exchange/alarms': () => listOf(operatorEndpoints.listAlarms, 'alarms', open),
  };
  await show('/', { role: 'operator', answers }, async ({ change }) => {
    await findText(
      /warningForecast missing.*15\/01\/2026.*Ask the forecaster.*2 contracts.*Gate 14\/01\/2026, 14:30/,
    );
    const links = [...document.querySelectorAll<HTMLElement>('main ol li ul a')];
    assert.deepEqual(
      links.map((link) => [link.textContent, link.getAttribute('href')]),
      [
        ['Open the contract', '/operator/contracts/con_north?day=2026-01-15'],
        ['Open the contract', '/operator/contracts/con_south?day=2026-01-15'],
      ],
    );
    open = [missing('alm_2', 'south', 'critical')];
    change('exchange.alarm');
    await findText(
      /criticalForecast missing.*Contract south has no forecast.*Ask the forecaster.*Open the contract/,
    );
    assert.equal(document.querySelectorAll('main ol li details').length, 0);
  });
});

test('open alarms are read to the last page, so that many of a kind hide no other one', async () => {
  const pageOf = (alarms: object[], next: string | null) => ({
    ...listOf(operatorEndpoints.listAlarms, 'alarms', alarms),
    pagination: { has_more: next !== null, next_cursor: next },
  });
  const answers: Answers = {
    ...answersOf('/operator/v1'),
    'GET /operator/v1/exchange/alarms': ({ url }: { url: URL }) =>
      url.searchParams.has('after')
        ? pageOf(examples, null)
        : pageOf([missing('alm_1', 'north', 'warning'), missing('alm_2', 'south', 'warning')], 'next'),
  };
  await show('/', { role: 'operator', answers }, async () => {
    await findText(/Schedule rejected/);
    await findText(/3 alarms/);
  });
});

test('a contract with a source is no contract without volumes: it takes no imports', async () => {
  const source = { forecast: 'ser_1', meter: null, share: 1, max_power_mw: null };
  const end = { delivery_end: '2030-12-31T23:00:00Z' };
  const answers: Answers = {
    ...answersOf('/operator/v1'),
    'GET /operator/v1/contracts': listOf(operatorEndpoints.operatorListContracts, 'contracts', [
      { id: 'con_1', ...end, source },
      { id: 'con_2', ...end, source: null },
    ]),
    'GET /operator/v1/transactions': listOf(brpEndpoints.listTransactions, 'transactions', []),
  };
  await show('/', { role: 'operator', answers }, async () => {
    await findText(/No volumes1 contract/);
  });
});
