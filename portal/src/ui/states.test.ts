import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorEndpoints } from '@saldo/api';
import { eventually } from '../../../server/test/until.ts';
import { fill, find, findText, listOf, press, problem, show } from '../../test/components.ts';

const LIST = 'GET /operator/v1/contracts';
const empty = listOf(operatorEndpoints.operatorListContracts, 'contracts');

for (const [language, texts] of [
  [
    'en',
    {
      empty: 'No contractsNo contract matches these filters.',
      failed: 'That did not work',
      retry: 'Try again',
    },
  ],
  [
    'de',
    {
      empty: 'Keine VerträgeKein Vertrag passt',
      failed: 'Das hat nicht geklappt',
      retry: 'Erneut versuchen',
    },
  ],
] as const)
  test(`a list is loading, then failed, and empty after another try: ${language}`, async () => {
    const { promise: first, resolve: answer } = Promise.withResolvers<Response>();
    let count = 0;
    const answers = { [LIST]: () => (count++ === 0 ? first : empty) };
    await show('/operator/contracts', { role: 'operator', language, answers }, async () => {
      await find('main [role=status]', /./);
      assert.equal(document.querySelectorAll('main table').length, 0);
      answer(problem(400, 'invalid_request'));
      await findText(texts.failed);
      await press('main [role=alert] button', texts.retry);
      await findText(texts.empty);
    });
  });

for (const [language, title] of [
  ['en', 'Not found'],
  ['de', 'Nicht gefunden'],
] as const)
  test(`a record that does not exist is not found: ${language}`, () => {
    const answers = { 'GET /v1/contracts/con_1': () => problem(404, 'contract_not_found') };
    return show('/contracts/con_1', { language, answers }, async () => {
      await find('h1', title);
      await eventually(async () => assert.ok(document.title.startsWith(title), document.title));
    });
  });

test('a role has its own pages only', () =>
  show('/operator/contracts', { role: 'brp' }, async () => {
    await eventually(async () => assert.equal(location.pathname, '/'));
    await find('h1', 'Overview');
  }));

test('errors of the server are at their fields, others above the form', () => {
  const rejected = [
    { field: 'name', code: 'required', message: 'must not be empty' },
    { field: 'metadata', code: 'too_long', message: 'must be shorter' },
  ];
  const answers = { 'POST /operator/v1/customers': () => problem(400, 'invalid_request', rejected) };
  return show('/operator/customers', { role: 'operator', answers }, async ({ requests }) => {
    await press('main button', 'New customer');
    await fill('dialog select', 'BRP', 'brp_01jhm3vq8ne0grs4f5c3hxkz2b');
    await fill('dialog input', 'Name', 'Nordlicht');
    await press('dialog button', 'Create');
    const field = await find('dialog input[aria-invalid=true]', 'Name');
    const described = document.getElementById(field.getAttribute('aria-describedby') ?? '');
    assert.notEqual(described?.textContent ?? '', '');
    await find('dialog [role=alert]', /metadata/);
    const { body } = requests.find(({ method }) => method === 'POST') ?? {};
    assert.deepEqual(body, { brp_id: 'brp_01jhm3vq8ne0grs4f5c3hxkz2b', name: 'Nordlicht' });
  });
});

test('an error of several fields is one sentence', () => {
  const rejected = ['contract_id', 'contract'].map((field) => ({
    field,
    code: 'required',
    message: 'name the contract',
  }));
  const answers = { 'POST /operator/v1/brps': () => problem(400, 'invalid_request', rejected) };
  return show('/operator/brps', { role: 'operator', answers }, async () => {
    await press('main button', 'New BRP');
    await fill('dialog input', 'Name', 'Nordlicht');
    await press('dialog button', 'Create');
    await find('dialog [role=alert] li', 'contract_id, contract: name the contract');
    assert.equal(document.querySelectorAll('dialog [role=alert] li').length, 1);
  });
});
