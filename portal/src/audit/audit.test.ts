import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorEndpoints } from '@saldo/api';
import { eventually } from '../../../server/test/until.ts';
import { fill, find, findText, hasParameter, listOf, press, problem, show } from '../../test/components.ts';

const answers = {
  'GET /operator/v1/users': listOf(operatorEndpoints.listUsers, 'users', [
    { id: 'user_1', name: 'Anna Berg', email: 'anna@nordwind.example' },
    { id: 'user_2', name: 'Ben Tal', email: 'ben@nordwind.example' },
  ]),
  'GET /operator/v1/users/user_2': {
    ...(operatorEndpoints.getUser.example.response as object),
    name: 'Ben Tal',
  },
  'GET /operator/v1/customers': listOf(operatorEndpoints.operatorListCustomers, 'customers', [
    { id: 'cust_1', name: 'Windpark Deich' },
  ]),
  'GET /operator/v1/customers/cust_1': {
    ...(operatorEndpoints.operatorGetCustomer.example.response as object),
    name: 'Windpark Deich',
  },
};

for (const [language, texts] of [
  ['en', { what: 'What', who: 'Who', customer: 'Customer', user: 'User', exactly: 'Exactly “nominations”' }],
  ['de', { what: 'Was', who: 'Wer', customer: 'Kunde', user: 'Benutzer', exactly: 'Genau „nominations“' }],
] as const)
  test(`entries are filtered by the names of objects and actors: ${language}`, () =>
    show('/operator/audit', { role: 'operator', language, answers }, async ({ requests }) => {
      const asked = () =>
        requests.findLast(({ url }) => url.pathname === '/operator/v1/audit')?.url.searchParams;
      await fill('main input', texts.what, 'deich');
      await press('[role=option]', `${texts.customer} · Windpark Deich`);
      await hasParameter('subject', 'cust_1');
      await eventually(async () => assert.equal(asked()?.get('subject'), 'cust_1'));
      const chosen = await find('main button', /: Windpark Deich$/);
      await fill('main input', texts.who, 'TAL');
      await press('[role=option]', `${texts.user} · Ben Tal · ben@nordwind.example`);
      await hasParameter('actor', 'user_2');
      await find('main button', /: Ben Tal$/);
      chosen.click();
      await hasParameter('subject', null);
      await find('main input', texts.what);
      await press('main button', /: Ben Tal$/);
      await fill('main input', texts.who, 'nominations');
      await press('[role=option]', texts.exactly);
      await hasParameter('actor', 'nominations');
    }));

test('a filter of a link shows the name of its record, and an unknown record its id', () =>
  show(
    '/operator/audit?subject=cust_1&actor=user_3',
    {
      role: 'operator',
      answers: {
        ...answers,
        'GET /operator/v1/users/user_3': () => problem(404, 'user_not_found'),
      },
    },
    async () => {
      await findText('Windpark Deich');
      await find('main button', /: user_3$/);
    },
  ));

for (const [language, label, updated, imported] of [
  ['en', 'Action', 'Changed the customer', 'An import of values broke off'],
  ['de', 'Vorgang', 'Den Kunden geändert', 'Ein Import von Werten ist abgebrochen'],
] as const)
  test(`entries are filtered by an action, which is chosen in words: ${language}`, () =>
    show(
      '/operator/audit?action=thing.done',
      { role: 'operator', language, answers },
      async ({ requests }) => {
        const field = (await find('main select', label)) as HTMLSelectElement;
        const nameOf = (value: string) => Array.from(field.options).find((one) => one.value === value)?.text;
        assert.equal(field.value, 'thing.done', 'an action of another version of the server stays chosen');
        assert.equal(nameOf('customer.updated'), updated);
        assert.equal(nameOf('series_values.import_broken_off'), imported);
        const names = Array.from(field.options, ({ text }) => text);
        assert.deepEqual(names, Array.from(new Set(names)), 'no two actions have the same name');
        assert.ok(
          names.every((name) => !/[{}]/.test(name)),
          names.join(', '),
        );
        await fill('main select', label, 'customer.updated');
        await hasParameter('action', 'customer.updated');
        await eventually(async () =>
          assert.equal(
            requests
              .findLast(({ url }) => url.pathname === '/operator/v1/audit')
              ?.url.searchParams.get('action'),
            'customer.updated',
          ),
        );
      },
    ));

for (const [language, day] of [
  ['en', 'Sun, 28/03/2027'],
  ['de', 'So., 28.03.2027'],
] as const)
  test(`a day of another year has its year, and an inquiry leads to the inquiries: ${language}`, () => {
    const entries = listOf(operatorEndpoints.listAudit, 'entries', [
      {
        id: 'aud_1',
        action: 'alarm.acknowledged',
        subject: 'alm_1',
        after: { kind: 'rejected', tso: 'DE_50HERTZ', delivery_date: '2027-03-28' },
      },
      { id: 'aud_2', action: 'inquiry.created', subject: 'inq_1', before: null, after: { id: 'inq_1' } },
    ]);
    const known = { ...answers, 'GET /operator/v1/audit': entries };
    return show('/operator/audit', { role: 'operator', language, answers: known }, async () => {
      await findText(`50Hertz · ${day}`);
      const link = await find('main a', 'inq_1');
      assert.equal(link.getAttribute('href'), '/operator/inquiries');
    });
  });
