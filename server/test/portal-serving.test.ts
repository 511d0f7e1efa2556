import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { temporaryFolder } from './clean-up.ts';
import { client, problemOf, startTestPlatform } from './harness.ts';
import { exchange, requestText } from './raw-http.ts';

const INDEX = `<!doctype html><title>Saldo</title><script type="module" src="/assets/index-Ab3x.js"></script>${' '.repeat(2000)}`;
const SCRIPT = `console.log('${'a portal '.repeat(400)}');`;

const portalDir = await temporaryFolder();
await mkdir(path.join(portalDir, 'assets'));
await writeFile(path.join(portalDir, 'index.html'), INDEX);
await writeFile(path.join(portalDir, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
await writeFile(path.join(portalDir, 'assets', 'index-Ab3x.js'), SCRIPT);
await writeFile(path.join(path.dirname(portalDir), `${path.basename(portalDir)}.txt`), 'outside');
after(() => rm(`${portalDir}.txt`, { force: true }));

const platform = await startTestPlatform({ portalDir });
const without = await startTestPlatform();
const request = client(platform.baseUrl);
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('the portal’s page is served at / and at the addresses of its pages', async () => {
  for (const url of ['/', '/?theme=dark', '/nominations/nom_x', '/operator/users', '/invitation', '/a.b/c']) {
    const answer = await request(url, { headers: HTML });
    assert.equal(answer.status, 200, url);
    assert.equal(answer.text, INDEX, url);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
  }
  assert.equal((await request('/')).status, 200, 'also without an Accept header');
});

test('an unknown path of an API is a problem, also for a browser', async () => {
  const nowhere = ['/v1/nowhere', '/v2', '/operator/v1/nowhere', '/portal/v1/nowhere'];
  for (const url of [...nowhere, '/assets/old-Xy12.js', '/openapi.json/x']) {
    const answer = await request(url, { headers: HTML });
    assert.deepEqual([answer.status, problemOf(answer).code], [404, 'not_found'], url);
  }
  assert.equal((await request('/v1/contracts', { headers: HTML })).status, 401);
});

test('only a GET that accepts HTML gets the page', async () => {
  for (const accept of ['application/json', '*/*', 'image/png', 'text/html;q=0', 'text/html;q=0, */*']) {
    assert.equal((await request('/nominations', { headers: { accept } })).status, 404, accept);
  }
  assert.equal((await request('/nominations', { method: 'POST', headers: HTML })).status, 404);
  const posted = await request('/', { method: 'POST', headers: HTML });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  const head = await request('/', { method: 'HEAD', headers: HTML });
  assert.deepEqual([head.status, head.text], [200, '']);
  const options = await request('/', { method: 'OPTIONS' });
  assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, HEAD, OPTIONS']);
});

test('files with a content hash are cached for ever, others are revalidated', async () => {
  const script = await request('/assets/index-Ab3x.js');
  assert.equal(script.text, SCRIPT);
  assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  for (const url of ['/', '/favicon.svg']) {
    const { headers } = await request(url);
    assert.equal(headers.get('cache-control'), 'no-cache', url);
    const again = await request(url, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    assert.deepEqual([again.status, again.text], [304, ''], url);
  }
});

test('files are compressed with an encoding that the browser accepts', async () => {
  for (const encoding of ['br', 'gzip']) {
    for (const [url, content] of [
      ['/assets/index-Ab3x.js', SCRIPT],
      ['/', INDEX],
    ] as const) {
      const { status, headers, text } = await request(url, { headers: { 'accept-encoding': encoding } });
      assert.equal(status, 200);
      assert.equal(headers.get('content-encoding'), encoding);
      assert.match(headers.get('vary') ?? '', /Accept-Encoding/);
      assert.equal(text, content);
    }
  }
  const plain = await request('/', { headers: { 'accept-encoding': 'identity' } });
  assert.deepEqual([plain.headers.get('content-encoding'), plain.text], [null, INDEX]);
});

test('a page loads scripts and styles of its own origin only, and sends no referrer', async () => {
  const { headers } = await request('/', { headers: HTML });
  const policy = Object.fromEntries(
    (headers.get('content-security-policy') ?? '')
      .split('; ')
      .map((rule) => [rule.slice(0, rule.indexOf(' ')), rule.slice(rule.indexOf(' ') + 1)]),
  );
  assert.equal(policy['default-src'], "'none'");
  for (const rule of ['script-src', 'style-src', 'connect-src', 'font-src', 'form-action']) {
    assert.equal(policy[rule], "'self'", rule);
  }
  assert.equal(
    policy['img-src'],
    `'self' https: ${platform.customerUrl}`,
    'covers are served by the customer API',
  );
  for (const rule of ['base-uri', 'frame-ancestors']) assert.equal(policy[rule], "'none'", rule);
  assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe|\*/);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
});

test('nothing outside of the portal’s folder is served', async () => {
  const outside = path.basename(portalDir);
  for (const url of [
    `/../${outside}.txt`,
    `/%2e%2e/${outside}.txt`,
    `/assets/../../${outside}.txt`,
    '//etc/passwd',
  ]) {
    const { body } = await exchange(platform.baseUrl, requestText(`GET ${url}`, { Accept: '*/*' }));
    assert.doesNotMatch(body, /outside|root:/, url);
  }
});

test('a platform without a portal still has its APIs and its documentation', async () => {
  const ask = client(without.baseUrl);
  assert.equal((await ask('/', { headers: HTML })).status, 404);
  assert.equal((await ask('/docs', { headers: HTML })).status, 200);
  assert.equal((await ask('/v1/contracts')).status, 401);
});
