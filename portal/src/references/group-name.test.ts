import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints, operatorEndpoints } from '@saldo/api';
import { eventually } from '../../../server/test/until.ts';
import {
  type Answers,
  fill,
  find,
  findText,
  hasParameter,
  listOf,
  press,
  show,
} from '../../test/components.ts';
import { formatOf } from '../i18n/format.ts';

const NAME = 'Hauptbilanzkreis';
const EIC = '11XNORDWIND----J';
const GROUP = { balance_group: { eic: EIC, tso: 'DE_50HERTZ' } };
const DAY = '2026-01-15';
const NOMINATION = 'nom_01jhm52x6yf6rbkm2s8hq3j5zd';
const CONTRACT = 'con_01jhm3wa2fe5h8x2z6tdq9vn4m';
const CUSTOMER = 'cust_01jhm3vz1he1tr8kc5g7w2m0qp';
const customer = { ...(operatorEndpoints.operatorGetCustomer.example.response as object), ...GROUP };

/** The customers of the examples are in the balance group of another BRP. */
const answers: Answers = {
  'GET /v1/customers': listOf(brpEndpoints.listCustomers, 'customers', [GROUP]),
  'GET /portal/v1/customers': listOf(brpEndpoints.listCustomers, 'customers', [GROUP]),
  'GET /operator/v1/customers': listOf(operatorEndpoints.operatorListCustomers, 'customers', [GROUP]),
  [`GET /v1/customers/${CUSTOMER}`]: customer,
  [`GET /operator/v1/customers/${CUSTOMER}`]: customer,
};
const PAGES = [
  `/nominations?day=${DAY}`,
  `/nominations/${NOMINATION}`,
  '/contracts',
  `/contracts/${CONTRACT}?day=${DAY}`,
  '/customers',
  `/customers/${CUSTOMER}`,
];
const PAGES_OF = {
  brp: PAGES,
  operator: [...PAGES.map((path) => `/operator${path}`), '/operator/exchange'],
};

for (const role of ['brp', 'operator'] as const)
  for (const [language, copy] of [
    ['en', `Copy ${EIC}`],
    ['de', `${EIC} kopieren`],
  ] as const)
    test(`balance groups have their name, with the EIC to copy: ${role}, ${language}`, async () => {
      for (const path of PAGES_OF[role])
        await show(path, { role, language, answers, permissions: 'viewer' }, async () => {
          await find('main span, main a, main td', NAME);
          await find('main button', copy);
        });
    });

test('a balance group of another BRP has its EIC only', () =>
  show('/contracts', {}, async () => {
    await find('main button', 'Copy 11XSWVIERNAU---D');
  }));

test('the title of a nomination and the link to it have the name', () =>
  show(`/nominations?day=${DAY}`, {}, async () => {
    await press('main a', NAME);
    await find('h1', new RegExp(`^${NAME}`));
    await eventually(async () => assert.ok(document.title.startsWith(`${NAME} · Thu`), document.title));
  }));

for (const [role, language, list, search] of [
  ['brp', 'en', 'Needs attention', /^Search/],
  ['operator', 'de', 'Braucht Aufmerksamkeit', /^Suche/],
] as const)
  test(`the list of matters and the search name the balance group: ${role}, ${language}`, () =>
    show('/', { role, language, answers }, async () => {
      await find('ol', list);
      await find('ol a', new RegExp(`^${NAME} · 50Hertz · `));
      await press('button', search);
      await fill('dialog input', search, NOMINATION);
      await find('[role=option]', new RegExp(`50Hertz · .*${NAME} \\(${EIC}\\) · `));
      await fill('dialog input', search, 'Stadtwerke');
      await find('[role=option]', new RegExp(`^Stadtwerke Viernau.*${NAME} \\(${EIC}\\)`));
    }));

const STEPS = {
  en: { previous: 'Previous day', next: 'Next day', none: ' (no nomination)' },
  de: { previous: 'Voriger Tag', next: 'Nächster Tag', none: ' (keine Nominierung)' },
} as const;

for (const language of ['en', 'de'] as const)
  for (const [role, base, api] of [
    ['brp', '', '/v1'],
    ['operator', '/operator', '/operator/v1'],
  ] as const)
    test(`a nomination leads to the previous day, with the same quarter-hour: ${role}, ${language}`, () => {
      const { dayShort } = formatOf(language);
      const texts = STEPS[language];
      const list = listOf(brpEndpoints.listNominations, 'nominations', [{ id: 'nom_before' }]);
      const none = listOf(brpEndpoints.listNominations, 'nominations');
      const days: Answers = {
        [`GET ${api}/nominations`]: ({ url }: { url: URL }) =>
          url.searchParams.get('delivery_date') === '2026-01-14' ? list : none,
      };
      return show(
        `${base}/nominations/${NOMINATION}?slot=61`,
        { role, language, answers: days },
        async () => {
          const next = await find('button', `${texts.next}: ${dayShort('2026-01-16')}${texts.none}`);
          assert.ok((next as HTMLButtonElement).disabled);
          await press('a', `${texts.previous}: ${dayShort('2026-01-14')}`);
          await eventually(async () => assert.equal(location.pathname, `${base}/nominations/nom_before`));
          await hasParameter('slot', '61');
        },
      );
    });

for (const [language, name] of [
  ['en', /^Scale from 0 to \d+ MW$/],
  ['de', /^Skala von 0 bis \d+ MW$/],
] as const)
  test(`heat maps have a scale with numbers and unit: ${language}`, () =>
    show('/month?month=2026-01', { language }, async () => {
      await find('[role=img]', name);
      await findText('MW');
    }));
