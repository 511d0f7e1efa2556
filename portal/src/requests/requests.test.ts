import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portalEndpoints } from '@saldo/api';
import { eventually } from '../../../server/test/until.ts';
import { fill, find, findText, hasParameter, listOf, show } from '../../test/components.ts';

const answers = {
  'GET /portal/v1/requests': listOf(portalEndpoints.listOwnRequests, 'requests', [
    {},
    { request_id: 'req_2', status: 200, problem: null, caller_name: null, method: 'POST' },
  ]),
  'GET /portal/v1/requests/req_unknown': () =>
    Response.json({ type: '/errors/request_not_found', title: 'Not Found', status: 404 }, { status: 404 }),
};

for (const [role, language, className, filter, empty] of [
  ['account', 'en', '4xx, rejected', 'Answer', 'No requests'],
  ['brp', 'de', '4xx, abgelehnt', 'Antwort', 'Keine Anfragen'],
  ['operator', 'de', '4xx, abgelehnt', 'Antwort', 'Keine Anfragen'],
] as const) {
  const base = role === 'operator' ? '/operator' : '';

  test(`requests are listed, filtered and found by their id: ${role}, ${language}`, () =>
    show(`${base}/requests`, { role, language, answers }, async ({ requests }) => {
      const link = await find('main a', /^GET \/v1\/contracts\/con_/);
      assert.equal(link.getAttribute('href'), `${base}/requests/req_0f9d3c1f5e0b4a8f9c54f8f3a6f0d2b7`);
      await findText('contract_not_found');
      const caller = await find('main a', /^key_/);
      assert.equal(caller.getAttribute('href'), `${base}/requests?caller=${caller.textContent}`);
      await findText(className);
      await fill('main select', filter, '4xx');
      await hasParameter('status_class', '4xx');
      const asked = () =>
        requests.findLast(({ url }) => url.pathname === '/portal/v1/requests')?.url.searchParams;
      await eventually(async () => assert.equal(asked()?.get('status_class'), '4xx'));
      await fill('main input', language === 'en' ? 'Request id' : 'Anfrage-ID', 'req_unknown');
      await hasParameter('id', 'req_unknown');
      await findText(empty);
    }));
}

test('a request shows what support needs, and leads to others of the same key and operation', () =>
  show('/requests/req_1', { role: 'brp', language: 'en' }, async () => {
    await findText('203.0.113.7');
    await findText('saldo-sdk/0.1.0');
    const caller = await find('main a', 'ERP system');
    assert.equal(caller.getAttribute('href'), '/requests?caller=key_01jhm3w0ave6p8mxk2r5t7zj4h');
    const route = await find('main a', '/v1/contracts/{contract_id}');
    assert.equal(
      new URL(route.getAttribute('href') ?? '', 'http://x').searchParams.get('route'),
      '/v1/contracts/{contract_id}',
    );
    const explained = await find('main a', 'contract_not_found');
    assert.equal(explained.getAttribute('href'), '/errors/contract_not_found');
    await find('main button', 'Copy for support');
  }));

test('a key leads to its requests; the operator sees only those of its own keys', async () => {
  await show('/keys', { role: 'brp', language: 'de' }, async () => {
    const link = await find('main a', /^API-Anfragen/);
    assert.match(link.getAttribute('href') ?? '', /^\/requests\?caller=key_/);
  });
  const key = (type: string, name: string) => ({ id: `key_${type}`, name, owner: { type } });
  const keys = listOf(portalEndpoints.listOwnApiKeys, 'api_keys', [
    key('brp', 'Of a BRP'),
    key('operator', 'Own'),
  ]);
  const operatorAnswers = { 'GET /operator/v1/api-keys': keys };
  await show('/operator/keys', { role: 'operator', language: 'en', answers: operatorAnswers }, async () => {
    await findText('Of a BRP');
    const links = Array.from(document.querySelectorAll('main a'), (link) => link.getAttribute('href'));
    assert.deepEqual(
      links.filter((href) => href?.startsWith('/operator/requests')),
      ['/operator/requests?caller=key_operator'],
    );
  });
});
