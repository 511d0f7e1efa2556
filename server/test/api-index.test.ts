import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, client, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform();
const { baseUrl, customerUrl } = platform;

const INDEXES = [
  [baseUrl, '/v1', 'Saldo BRP API', 'brp', '/openapi.json', '/docs/guides/getting-started#address-and-key'],
  [
    ...[baseUrl, '/operator/v1', 'Saldo Operator API', 'operator'],
    ...['/operator/openapi.json', '/docs/operations#the-first-key'],
  ],
  [customerUrl, '/v1', 'Saldo Customer API', 'customer', '/openapi.json', '/docs/guides/market'],
] as const;

test('the base path of each API is an index without a key, whose links lead to pages', async () => {
  for (const [url, path, name, reference, openapi, keys] of INDEXES) {
    const request = client(url);
    for (const key of [null, 'nonsense']) {
      const { status, headers, body } = await request(path, { key });
      assert.deepEqual([status, headers.get('content-type')], [200, 'application/json; charset=utf-8']);
      assert.deepEqual(body, {
        name,
        version: (await request(openapi)).body.info.version,
        documentation: `${url}/docs/reference/${reference}`,
        openapi: `${url}${openapi}`,
        keys: `${url}${keys}`,
      });
    }
    for (const page of [`/docs/reference/${reference}`, openapi, keys]) {
      const { status, text } = await request(page);
      assert.equal(status, 200, page);
      const [, anchor] = page.split('#');
      if (anchor !== undefined) assert.ok(text.includes(`id="${anchor}"`), page);
    }
    assert.equal((await request(path, { method: 'HEAD' })).status, 200);
    assert.equal((await request(path, { method: 'OPTIONS' })).headers.get('allow'), 'GET, HEAD, OPTIONS');
    assertProblem(await request.post(path, {}), 405, 'method_not_allowed');
    assertProblem(await request(`${path}/`), 404, 'not_found');
  }
});

test('the portal’s own operations, which have no keys, have no index', async () => {
  assertProblem(await client(baseUrl)('/portal/v1'), 404, 'not_found');
});
