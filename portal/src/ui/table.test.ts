import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints, operatorEndpoints, type UserRole } from '@saldo/api';
import { eventually } from '../../../server/test/until.ts';
import {
  type Answers,
  find,
  findText,
  hasOrder,
  hasParameter,
  listOf,
  press,
  show,
} from '../../test/components.ts';

const ariaSort = async (header: RegExp) => (await find('th', header)).getAttribute('aria-sort');

/** Clicks the header, and waits until the URL has this order. */
async function sortBy(header: RegExp, sort: string | null): Promise<void> {
  await press('th button', header);
  await hasParameter('sort', sort);
}

/** Pages of lists that the API sorts, their header in English and German, and the parameters of both orders. */
const LISTS: readonly [UserRole, string, string, Record<'en' | 'de', RegExp>, string, string[]][] = [
  ['operator', '/operator/customers', '/operator/v1/customers', { en: /^Name/, de: /^Name/ }, 'name', []],
  ['operator', '/operator/assets', '/operator/v1/assets', { en: /^Name/, de: /^Name/ }, 'name', []],
  ['operator', '/operator/assets', '/operator/v1/assets', { en: /^MW/, de: /^MW/ }, 'nominal_power', []],
  [
    'operator',
    '/operator/contracts',
    '/operator/v1/contracts',
    { en: /^Reference/, de: /^Referenz/ },
    'external_id',
    [],
  ],
  [
    'operator',
    '/operator/contracts',
    '/operator/v1/contracts',
    { en: /^Delivery/, de: /^Lieferung/ },
    'delivery_start',
    [],
  ],
  [
    'operator',
    '/operator/demands',
    '/operator/v1/demands',
    { en: /^Published/, de: /^Veröffentlicht/ },
    'published_at',
    [],
  ],
  [
    'operator',
    '/operator/messages',
    '/operator/v1/messages',
    { en: /^Stored/, de: /^Aufbewahrt/ },
    'created_at',
    ['order=oldest_first', 'order=newest_first'],
  ],
  ['brp', '/customers', '/portal/v1/customers', { en: /^Name/, de: /^Name/ }, 'name', []],
];

for (const language of ['en', 'de'] as const)
  for (const [role, path, api, headers, sort, parameters] of LISTS)
    test(`a list is read in the order of its header, which is kept in the URL: ${path} by ${sort}, ${language}`, () =>
      show(path, { role, language }, async ({ requests }) => {
        const isAsked = (parameter: string) =>
          eventually(async () => {
            const asked = requests.filter(({ url }) => url.pathname === api).at(-1)?.url.search ?? '';
            assert.ok(asked.includes(parameter), asked);
          });
        const header = headers[language];
        const [up = `sort=${sort}`, down = `sort=-${sort}`] = parameters;
        await sortBy(header, sort);
        await isAsked(up);
        await eventually(async () => assert.equal(await ariaSort(header), 'ascending'));
        await sortBy(header, `-${sort}`);
        await isAsked(down);
        await eventually(async () => assert.equal(await ariaSort(header), 'descending'));
      }));

const NAMES = ['Mitte', 'Äußeres', 'Zentrum'];
const eicOf = (name: string) => `11X${name.slice(1, 4).toUpperCase()}`;
const ownGroups = listOf(
  brpEndpoints.listOwnBalanceGroups,
  'balance_groups',
  NAMES.map((name) => ({ name, eic: eicOf(name) })),
);
const slot = {
  delivery_start: '2026-01-15T14:00:00Z',
  delivery_end: '2026-01-15T14:15:00Z',
  slot_number: 61,
};
const nominations: Answers = {
  'GET /v1/balance-groups': ownGroups,
  'GET /v1/nominations': listOf(
    brpEndpoints.listNominations,
    'nominations',
    NAMES.map((name, at) => ({
      id: `nom_${at}`,
      eic: eicOf(name),
      slots: [{ ...slot, amount: [10, 30, 20][at], matched_amount: null }],
    })),
  ),
};

for (const [language, group] of [
  ['en', /^Balance group/],
  ['de', /^Bilanzkreis/],
] as const)
  test(`the nominations of a day are sorted by name and energy: ${language}`, async () => {
    const path = '/nominations?day=2026-01-15';
    await show(path, { language, answers: nominations }, async () => {
      await sortBy(group, 'group');
      await hasOrder(['Äußeres', 'Mitte', 'Zentrum']);
      assert.equal(await ariaSort(group), 'ascending');
      await sortBy(/^MWh/, 'energy');
      await hasOrder(['Mitte', 'Zentrum', 'Äußeres']);
      assert.equal(await ariaSort(group), null);
    });
    await show(`${path}&sort=-energy`, { language, answers: nominations }, () =>
      hasOrder(['Äußeres', 'Zentrum', 'Mitte']),
    );
  });

test('the total of the nominations has their number and net energy', () =>
  show('/nominations?day=2026-01-15', { answers: nominations }, async () => {
    await findText(/Net saldo · 3 nominations\+60\.000/);
  }));

test('balance groups are sorted in both roles, and a third click restores the order', async () => {
  await show('/balance-groups', { answers: { 'GET /v1/balance-groups': ownGroups } }, async () => {
    await sortBy(/^Balance group/, 'group');
    await hasOrder(['Äußeres', 'Mitte', 'Zentrum']);
    await sortBy(/^Balance group/, '-group');
    await hasOrder(['Zentrum', 'Mitte', 'Äußeres']);
    await sortBy(/^Balance group/, null);
    await hasOrder(NAMES);
  });
  await show('/operator/balance-groups?search=e&sort=-group', { role: 'operator' }, () =>
    eventually(async () => assert.equal(await ariaSort(/^Balance group/), 'descending')),
  );
});

test('users are sorted on the page', () => {
  const users = ['Öl', 'Mühle', 'apfel'].map((name, at) => ({ name, id: `user_${at}` }));
  const answers = { 'GET /operator/v1/users': listOf(operatorEndpoints.listUsers, 'users', users) };
  return show('/operator/users', { role: 'operator', answers }, async () => {
    await sortBy(/^Name/, 'name');
    await hasOrder(['apfel', 'Mühle', 'Öl']);
  });
});
