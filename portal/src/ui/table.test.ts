import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints, operatorEndpoints } from '@saldo/api';
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

/** Pages of lists that the API sorts, the parameter, and the header in English and German. */
const LISTS = [
  ['/operator/customers', 'name', /^Name/, /^Name/],
  ['/operator/assets', 'name', /^Name/, /^Name/],
  ['/operator/assets', 'nominal_power', /^MW/, /^MW/],
  ['/operator/contracts', 'external_id', /^Reference/, /^Referenz/],
  ['/operator/contracts', 'delivery_start', /^Delivery/, /^Lieferung/],
  ['/operator/demands', 'published_at', /^Published/, /^Veröffentlicht/],
  ['/operator/messages', 'created_at', /^Stored/, /^Gespeichert/],
  ['/customers', 'name', /^Name/, /^Name/],
] as const;

for (const language of ['en', 'de'] as const)
  for (const [path, sort, english, german] of LISTS)
    test(`a list is read in the order of its header, which is kept in the URL: ${path} by ${sort}, ${language}`, () => {
      const role = path.startsWith('/operator') ? 'operator' : 'brp';
      const list = role === 'operator' ? path.replace('/operator', '/operator/v1') : `/portal/v1${path}`;
      const header = language === 'en' ? english : german;
      return show(path, { role, language }, async ({ requests }) => {
        for (const [order, shown, ofMessages] of [
          [sort, 'ascending', 'oldest_first'],
          [`-${sort}`, 'descending', 'newest_first'],
        ] as const) {
          await sortBy(header, order);
          await eventually(async () => {
            const asked = requests.findLast(({ url }) => url.pathname === list)?.url.searchParams;
            if (path === '/operator/messages') assert.equal(asked?.get('order'), ofMessages);
            else assert.equal(asked?.get('sort'), order);
            assert.equal(await ariaSort(header), shown);
          });
        }
      });
    });

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
    await findText(/Net position · 3 nominations\+60\.000/);
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
