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
  problem,
  show,
} from '../../test/components.ts';
import { formatOf } from '../i18n/format.ts';

const TEXTS = {
  en: {
    title: /^Search/,
    contracts: 'Contracts',
    customers: 'Customers',
    assets: 'Assets',
    groups: 'Balance groups',
    brps: 'BRPs',
  },
  de: {
    title: /^Suche/,
    contracts: 'Verträge',
    customers: 'Kunden',
    assets: 'Anlagen',
    groups: 'Bilanzkreise',
    brps: 'BKV',
  },
} as const;

async function search(text: string, title: RegExp = TEXTS.en.title): Promise<void> {
  if (!document.querySelector('dialog')) await press('button', title);
  await fill('dialog input', title, text);
}

const enter = async () => {
  const field = await find('dialog input', /./);
  field.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
};
const isAt = (path: string) => eventually(async () => assert.equal(location.pathname, path));

for (const language of ['en', 'de'] as const) {
  const { title, contracts, customers, groups, assets, brps } = TEXTS[language];

  for (const [role, shown] of [
    ['brp', [contracts, customers, groups]],
    ['operator', [contracts, customers, groups, assets, brps]],
  ] as const)
    test(`the search finds the records of the role, and a click opens one: ${role}, ${language}`, () =>
      show('/', { role, language }, async ({ requests }) => {
        await search('Nord', title);
        const option = await find(
          '[role=option]',
          /^PPA-2026-0017 ?Windpark Uckermark Nord GmbH → Stadtwerke Viernau$/,
        );
        const found = Array.from(document.querySelectorAll('dialog [role=group]'), (one) =>
          one.getAttribute('aria-label'),
        );
        assert.deepEqual(found, shown);
        const asked = requests.filter(({ url }) => url.searchParams.get('search') === 'Nord');
        assert.equal(asked.length, shown.length);
        option.click();
        await isAt(`${role === 'operator' ? '/operator' : ''}/contracts/con_01jhm3wa2fe5h8x2z6tdq9vn4m`);
      }));

  test(`a typed date leads to the nominations of the day: ${language}`, () =>
    show('/contracts', { language }, async () => {
      const { day } = formatOf(language);
      await search(language === 'en' ? '25/10/2026' : '25.10.2026', title);
      await find('[role=option][aria-selected=true]', new RegExp(day('2026-10-25')));
      await enter();
      await isAt('/nominations');
      await hasParameter('day', '2026-10-25');
    }));
}

for (const [role, path] of [
  ['brp', '/portal/v1/customers'],
  ['operator', '/operator/v1/customers'],
] as const)
  test(`a complete EIC finds the customers of its balance group: ${role}`, () =>
    show('/', { role }, async ({ requests }) => {
      await search('11xswviernau---d');
      await find('[role=option]', /^Stadtwerke Viernau/);
      const asked = requests.filter(({ url }) => url.pathname === path && url.searchParams.has('eic'));
      assert.deepEqual(
        asked.map(({ url }) => url.searchParams.get('eic')),
        ['11XSWVIERNAU---D'],
      );
    }));

for (const [role, id, page, request] of [
  ['operator', 'msg_01jhm55t4kfdgv3y8n2c6q1w9r', '/operator/messages', '/operator/v1/messages'],
  ['operator', 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c', '/operator/assets', '/operator/v1/assets'],
  ['brp', 'con_01jhm3wa2fe5h8x2z6tdq9vn4m', '/contracts', '/v1/contracts'],
] as const)
  test(`a complete id opens its record, and an unknown one finds nothing: ${page}`, () => {
    const unknown = `${id.slice(0, -1)}0`;
    const answers = { [`GET ${request}/${unknown}`]: () => problem(404, 'not_found') };
    return show('/', { role, answers }, async () => {
      await search(` ${unknown} `);
      await findText('Nothing found');
      await enter();
      await isAt('/');
      await search(` ${id} `);
      await find('[role=option][aria-selected=true]', /./);
      await enter();
      await isAt(`${page}/${id}`);
    });
  });

const contractsOf = (reference: string) =>
  listOf(operatorEndpoints.operatorListContracts, 'contracts', [{ external_id: reference }]);

test('results belong to what is typed: an answer to an earlier text is never shown', async () => {
  const { promise: late, resolve: answer } = Promise.withResolvers<object>();
  const answers: Answers = {
    'GET /operator/v1/contracts': ({ url }: { url: URL }) =>
      url.searchParams.get('search') === 'Hallig' ? late : contractsOf('PPA-0017'),
  };
  await show('/', { role: 'operator', answers }, async ({ requests }) => {
    await search('Hallig');
    await eventually(async () => assert.ok(requests.some(({ url }) => url.search.includes('Hallig'))));
    await findText('Searching…');
    await enter();
    await isAt('/');
    await search('0017');
    await find('[role=option]', /^PPA-0017/);
    answer(contractsOf('Hallig-1'));
    await search('00170');
    await eventually(async () => assert.ok(requests.some(({ url }) => url.search.includes('00170'))));
    await find('[role=option]', /^PPA-0017/);
    assert.ok(!document.body.textContent?.includes('Hallig-1'));
  });
});

test('the last option of a group leads to the list with the same search', () => {
  const pagination = { limit: 5, has_more: true, next_cursor: 'next' };
  const list = { ...(brpEndpoints.listContracts.example.response as object), pagination };
  return show('/', { answers: { 'GET /portal/v1/contracts': list } }, async () => {
    await search('hallig');
    await press('[role=option]', 'Show all in the list');
    await isAt('/contracts');
    await hasParameter('search', 'hallig');
    await eventually(async () =>
      assert.equal(((await find('main input', 'Search')) as HTMLInputElement).value, 'hallig'),
    );
  });
});

for (const [path, list] of [
  ['/contracts', '/portal/v1/contracts'],
  ['/operator/contracts', '/operator/v1/contracts'],
  ['/operator/balance-groups', '/operator/v1/balance-groups'],
  ['/operator/assets', '/operator/v1/assets'],
] as const)
  test(`the search of a list is in the URL and in its request: ${path}`, () =>
    show(path, { role: path.startsWith('/operator') ? 'operator' : 'brp' }, async ({ requests }) => {
      await fill('main input', 'Search', 'föhr');
      await hasParameter('search', 'föhr');
      const isAsked = ({ url }: { url: URL }) =>
        url.pathname === list && url.searchParams.get('search') === 'föhr';
      await eventually(async () => assert.ok(requests.some(isAsked)));
    }));

test('the balance groups of a BRP are searched on the page', () => {
  const groups = ['Mitte', 'Zentrum'].map((name, at) => ({ name, eic: `11X${at}` }));
  const answers = {
    'GET /v1/balance-groups': listOf(brpEndpoints.listOwnBalanceGroups, 'balance_groups', groups),
  };
  return show('/balance-groups?search=zENT', { answers }, async () => {
    await find('td', /^Zentrum/);
    assert.equal(document.querySelectorAll('tbody tr').length, 1);
  });
});

test('the operator finds a series by its market location or id, and an interchange by its id', () =>
  show('/', { role: 'operator' }, async ({ requests }) => {
    await search('51238696781');
    await find('[role=option]', /^Uckermark Nord, meterMeter · 51238696781/);
    const asked = requests.find(({ url }) => url.pathname === '/operator/v1/series');
    assert.equal(asked?.url.searchParams.get('market_location'), '51238696781');
    await search('icg_01k9x41m8qf4t9v6q3w7x1y0zk');
    await find('[role=option]', /^REF0000001/);
    await search('ser_01k9x3w8v5e2ntq0v9bgr4kx7c');
    await press('[role=option]', /^Uckermark Nord, meter/);
    await isAt('/operator/series/ser_01k9x3w8v5e2ntq0v9bgr4kx7c');
  }));

const optionTexts = () =>
  Array.from(document.querySelectorAll('dialog [role=option]'), (option) => option.textContent);
const groupNames = () =>
  Array.from(document.querySelectorAll('dialog [role=group]'), (group) => group.getAttribute('aria-label'));

for (const [role, list] of [
  ['brp', '/nominations'],
  ['operator', '/operator/nominations'],
] as const)
  test(`a day and a TSO open the nominations with both filters, in any language: ${role}`, () =>
    show('/', { role, language: 'de' }, async () => {
      await search('25.10. amprion', TEXTS.de.title);
      await find('[role=option][aria-selected=true]', /^Nominierungen.*25\.10\.\d{4} · Amprion$/);
      await enter();
      await isAt(list);
      await hasParameter('tso', 'DE_AMPRION');
      assert.match(new URLSearchParams(location.search).get('day') ?? '', /^\d{4}-10-25$/);
    }));

test('pages and actions answer without a request', () =>
  show('/contracts', {}, async ({ requests }) => {
    await find('button', TEXTS.en.title);
    await press('button', TEXTS.en.title);
    await find('dialog input', /./);
    const before = requests.length;
    await search('w');
    await find('[role=option][aria-selected=true]', 'Webhooks');
    assert.deepEqual(
      requests.slice(before).filter(({ url }) => url.searchParams.has('search')),
      [],
    );
    await enter();
    await isAt('/webhooks');
  }));

test('without a text the search shows the pages that were opened last, and frequent actions', () =>
  show('/contracts/con_01jhm3wa2fe5h8x2z6tdq9vn4m', {}, async () => {
    await find('h1', /PPA-2026-0017/);
    await search('customers');
    await find('[role=option][aria-selected=true]', 'Customers');
    await enter();
    await isAt('/customers');
    await find('h1', 'Customers');
    await press('button', TEXTS.en.title);
    await find('[role=option]', 'PPA-2026-0017Contracts');
    assert.deepEqual(groupNames(), ['Recently opened', 'Frequent actions']);
    assert.ok(!optionTexts().includes('Customers'), 'not the open page');
    await enter();
    await isAt('/contracts/con_01jhm3wa2fe5h8x2z6tdq9vn4m');
  }));

test('the pages of another user of the browser are not shown', () =>
  show('/customers', {}, async () => {
    localStorage.setItem('saldo.recent.usr_other', JSON.stringify([{ path: '/keys', title: 'Theirs' }]));
    await find('h1', 'Customers');
    await press('button', TEXTS.en.title);
    await find('[role=option]', 'Download tomorrow’s schedule');
    assert.deepEqual(groupNames(), ['Frequent actions']);
  }));

for (const [role, typed, path, title] of [
  ['brp', 'new key', '/keys', 'New API key'],
  ['operator', 'neuer webhook', '/operator/webhooks', 'New webhook endpoint'],
  ['operator', 'new customer', '/operator/customers', 'Assign a customer to a BRP'],
  ['operator', 'new demand', '/operator/demands', 'Publish a demand'],
  ['account', 'neuer schluessel', '/keys', 'New API key'],
] as const)
  test(`an action opens the dialog of its page: ${role}, ${typed}`, () =>
    show('/', { role }, async () => {
      await search(typed);
      await find('[role=option][aria-selected=true]', /^New /);
      await enter();
      await isAt(path);
      await find('dialog h2', title);
    }));

test('the schedule of a day is downloaded from any page, and recorded as loaded', () =>
  show('/contracts', {}, async ({ requests }) => {
    await search('schedule 25/10/2026');
    await press('[role=option]', /^Download schedule.*25\/10\/2026$/);
    await findText(/schedule_2026-10-25_v\d\.csv/);
    const schedule = requests.find(({ url }) => url.pathname.endsWith('/schedule'));
    assert.equal(schedule?.url.searchParams.get('delivery_date'), '2026-10-25');
  }));

test('language and theme change from the search', () =>
  show('/keys', { role: 'account' }, async () => {
    await search('dunkel');
    await find('[role=option][aria-selected=true]', 'Dark theme');
    await enter();
    await eventually(async () => assert.equal(document.documentElement.dataset['theme'], 'dark'));
    await search('deutsch');
    await find('[role=option][aria-selected=true]', 'Language: Deutsch');
    await enter();
    await find('h1', 'API-Schlüssel');
  }));

test('an account holder finds offers and the watch list', () =>
  show('/', { role: 'account' }, async () => {
    await search('uckermark');
    await find('[role=option][aria-selected=true]', /^Windpark Uckermark Nord/);
    assert.equal(groupNames()[0], 'Offers');
    await search('watch');
    await find('[role=option][aria-selected=true]', 'Watch list');
    await enter();
    await isAt('/offers');
    await hasParameter('watched', 'true');
  }));

test('the keys open the search on the full screen of the control room, too, which has no button for it', () =>
  show('/operator/board', { role: 'operator' }, async () => {
    await find('h1', 'Control room');
    document.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
    await find('dialog input', TEXTS.en.title);
  }));
