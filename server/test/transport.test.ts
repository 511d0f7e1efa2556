import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompressSync, brotliDecompress, deflateSync, gunzip, gzipSync } from 'node:zlib';
import { brpEndpoints, LIMITS } from '@saldo/api';
import { assertRefused, client, problemOf, startTestPlatform } from './harness.ts';
import { freePort } from './ports.ts';
import { exchange, type RawAnswer, requestText } from './raw-http.ts';

const platform = await startTestPlatform();
const sharing = await startTestPlatform({
  environment: { CORS_ORIGINS: 'https://portal.example,https://other.example' },
});
/** Allows clients one second for a body. */
const hasty = await startTestPlatform({
  environment: { CORS_ORIGINS: 'https://portal.example', REQUEST_TIMEOUT_S: '1' },
});
const { key: hastyKey } = await hasty.world.brp();
const securePort = await freePort();
const secure = await startTestPlatform({
  environment: { BASE_URL: 'https://saldo.example', PORT: String(securePort) },
});
const { world } = platform;
const { seller: brp, producer } = await world.pair();
const customerPath = `/v1/customers/${producer.id}`;
const { baseUrl } = platform;
const request = client(baseUrl, brp.key);
const withKey = { 'X-Api-Key': brp.key };

/** Asserts that a raw answer is a problem. Returns its code, and its field errors as `field code`. */
function rawProblem(answer: RawAnswer): { status: number; code: string; errors: string[] } {
  assert.equal(answer.headers['content-type'], 'application/problem+json', JSON.stringify(answer));
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['vary'], 'X-Api-Key, Accept-Encoding, Accept-Language');
  assert.match(answer.headers['x-request-id'] ?? '', /^[\w.-]+$/);
  assert.equal(Number(answer.headers['content-length']), Buffer.byteLength(answer.body));
  const body = JSON.parse(answer.body);
  assert.equal(body.status, answer.status);
  return { status: answer.status, ...problemOf({ ...answer, headers: new Headers(), text: '', body }) };
}

test('input that is not an HTTP request gets a problem', async () => {
  const broken = [
    'hello\r\n\r\n',
    '\u0016\u0003\u0001\u0000\u0005 a TLS greeting',
    'GET /v1/contracts HTTP/9.9\r\n\r\n',
    requestText('BREW /v1/contracts'),
    requestText('GET /v1/contracts', { 'bad header': 'x' }),
    requestText('POST /v1/nominations/bulk', { 'Content-Length': '2', 'Transfer-Encoding': 'chunked' }, '{}'),
    requestText('POST /v1/nominations/bulk', { ...withKey, 'Transfer-Encoding': 'chunked' }, 'zz\r\n{}'),
    Buffer.from(requestText('GET /v1/contracts/\xff'), 'latin1'),
  ];
  for (const bytes of broken) {
    const problem = rawProblem(await exchange(baseUrl, bytes));
    assert.deepEqual(
      problem,
      { status: 400, code: 'validation', errors: [' invalid_format'] },
      String(bytes),
    );
  }
});

test('headers over 16 KB get 431', async () => {
  const long = requestText('GET /', { 'X-Long': 'x'.repeat(LIMITS.headerBytes) });
  assert.equal(rawProblem(await exchange(baseUrl, long)).code, 'headers_too_large');
  const just = 'x'.repeat(LIMITS.headerBytes - 1024);
  assert.equal(
    (await exchange(baseUrl, requestText('GET /v1/contracts', { ...withKey, 'X-Long': just }))).status,
    200,
  );
});

test('a URL over 16 KB gets 414', async () => {
  for (const bytes of [LIMITS.headerBytes, 50_000]) {
    const line = `GET /v1/contracts?eic=${'x'.repeat(bytes)}`;
    const answer = await exchange(baseUrl, requestText(line, withKey));
    assert.deepEqual(rawProblem(answer), { status: 414, code: 'uri_too_long', errors: [] }, String(bytes));
  }
});

test('a request without the Host header gets a problem, except in HTTP/1.0', async () => {
  const answer = await exchange(baseUrl, `GET /v1/contracts HTTP/1.1\r\nConnection: close\r\n\r\n`);
  assert.deepEqual(rawProblem(answer), { status: 400, code: 'validation', errors: [' required'] });
  const old = await exchange(baseUrl, `GET /v1/contracts HTTP/1.0\r\nX-Api-Key: ${brp.key}\r\n\r\n`);
  assert.equal(old.status, 200);
});

test('several Host headers get a problem, in every version of HTTP', async () => {
  for (const [version, second] of [
    ['1.1', 'Host: other'],
    ['1.1', 'hOST: test'],
    ['1.0', 'Host: other'],
  ] as const) {
    const head = `GET /v1/contracts HTTP/${version}\r\nHost: test\r\n${second}\r\nX-Api-Key: ${brp.key}\r\n`;
    const answer = await exchange(baseUrl, `${head}Connection: close\r\n\r\n`);
    const expected = { status: 400, code: 'validation', errors: [' validation_failed'] };
    assert.deepEqual(rawProblem(answer), expected, head);
  }
});

test('an unknown expectation is ignored', async () => {
  const answer = await exchange(baseUrl, requestText('GET /v1/contracts', { ...withKey, Expect: 'gold' }));
  assert.equal(answer.status, 200);
});

test('a URL that cannot be decoded gets a problem', async () => {
  for (const path of ['/v1/contracts/%zz', '/v1/customers/%ff', '/%', '/v1/transactions/%c3%28/history']) {
    const answer = await request(path);
    assertRefused(answer, ' invalid_format');
    assert.equal(answer.body.instance, path);
  }
});

test('an unknown path is 404 for any key, method and body', async () => {
  const paths = [
    '/v1/',
    '/v1/contract',
    '/V1/contracts',
    '/v2/contracts',
    '/v1/contracts/x/y',
    '//v1/contracts',
  ];
  const slashes = [
    '/v1/contracts/',
    `${customerPath}/`,
    '/v1/contracts//transactions',
    '/v1/nominations/bulk/',
  ];
  for (const path of [...paths, ...slashes]) {
    for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'OPTIONS']) {
      for (const key of [null, brp.key, 'nonsense']) {
        const headers: Record<string, string> = method === 'POST' ? { 'content-type': 'image/png' } : {};
        const body = method === 'POST' ? 'not json' : undefined;
        const answer = await request(path, { method, key, headers, body });
        assert.equal(answer.status, 404, `${method} ${path}`);
        if (method !== 'HEAD') assert.equal(problemOf(answer).code, 'not_found', path);
        assert.equal(answer.headers.has('x-ratelimit-limit'), key === brp.key);
      }
    }
  }
});

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY', 'TRACE', 'OPTIONS'];

test('every path reports its methods without a key, and rejects all others with 405', async () => {
  const paths = Map.groupBy(Object.values(brpEndpoints), ({ path }) => path);
  for (const [path, endpoints] of paths) {
    const known = new Set<string>(endpoints.map(({ method }) => method));
    // A fixed path also matches the parameter of a sibling path.
    if (path.endsWith('/bulk')) known.add('GET');
    if (known.has('GET')) known.add('HEAD');
    known.add('OPTIONS');
    const url = path.replaceAll(/\{\w+\}/g, 'x');
    for (const method of METHODS) {
      const answer = await exchange(
        baseUrl,
        requestText(`${method} ${url}`, { 'Content-Type': 'image/png' }),
      );
      const allow = new Set(answer.headers['allow']?.split(', '));
      if (method === 'OPTIONS') {
        assert.equal(answer.status, 204, url);
        assert.equal(answer.body, '');
        assert.deepEqual(allow, known, url);
      } else if (known.has(method)) {
        assert.equal(answer.status, 401, `${method} ${url}`);
      } else {
        // An answer to HEAD has the headers of the problem, without its body.
        if (method === 'HEAD') assert.deepEqual([answer.status, answer.body], [405, '']);
        else assert.deepEqual(rawProblem(answer), { status: 405, code: 'method_not_allowed', errors: [] });
        assert.deepEqual(allow, known, url);
      }
    }
  }
});

test('an id of any length and content is the resource’s plain 404', async () => {
  const ids = ['a'.repeat(15_000), '..%2f..%2fetc', '%00', "'--", '%F0%9F%8C%9E', 'cust_', '{}', '*', '%25'];
  for (const id of ids) {
    for (const [path, code] of [
      [`/v1/contracts/${id}`, 'contract_not_found'],
      [`/v1/contracts/${id}/transactions`, 'contract_not_found'],
      [`/v1/transactions/${id}`, 'transaction_not_found'],
      [`/v1/transactions/${id}/history`, 'transaction_not_found'],
      [`/v1/nominations/${id}`, 'nomination_not_found'],
      [`/v1/nominations/${id}/history`, 'nomination_not_found'],
      [`/v1/customers/${id}`, 'customer_not_found'],
    ] as const) {
      const answer = await request(path);
      assert.deepEqual([answer.status, problemOf(answer).code], [404, code], path.slice(0, 80));
    }
  }
});

test('a body that is not JSON in UTF-8 is reported as such', async () => {
  const bodies = [
    '{',
    '{"a":1,}',
    "{'a':1}",
    'null null',
    'NaN',
    '{"a":"\t"}',
    Buffer.from([0x22, 0xff, 0x22]),
  ];
  for (const body of bodies) {
    const response = await fetch(baseUrl + customerPath, {
      method: 'PATCH',
      headers: { ...withKey, 'content-type': 'application/json' },
      body,
    });
    const problem = JSON.parse(await response.text());
    assert.equal(response.status, 400);
    assert.equal(problem.errors.length, 1);
    assert.equal(problem.errors[0].code, 'invalid_format');
    assert.match(problem.errors[0].message, /not valid JSON/);
  }
});

test('a body that is missing is required, and one that is not an object is of the wrong type', async () => {
  for (const [path, method] of [
    [customerPath, 'PATCH'],
    ['/v1/nominations/bulk', 'POST'],
    ['/v1/transactions/bulk', 'POST'],
  ] as const) {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      const answer = await request(path, { method, headers });
      assert.deepEqual(problemOf(answer), { code: 'validation', errors: [' required'] }, path);
    }
    for (const body of ['null', '[]', '"text"', '7', 'true']) {
      const answer = await request(path, { method, body });
      assert.deepEqual(problemOf(answer), { code: 'validation', errors: [' invalid_type'] }, body);
    }
  }
});

test('a body may be JSON, in a PATCH also a merge patch; every other type is 415', async () => {
  const send = async (path: string, method: string, type: string, body: string) => {
    const answer = await request(path, { method, body, headers: { 'content-type': type } });
    return answer.status === 200 ? 200 : `${answer.status} ${problemOf(answer).code}`;
  };
  const refused = '415 unsupported_media_type';
  const ids = '{"ids":["x"]}';
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset=utf-8',
  ]) {
    assert.equal(await send(customerPath, 'PATCH', type, '{}'), 200, type);
    assert.equal(await send('/v1/nominations/bulk', 'POST', type, ids), 200, type);
  }
  for (const type of ['application/merge-patch+json', 'Application/Merge-Patch+JSON; charset=utf-8']) {
    assert.equal(await send(customerPath, 'PATCH', type, '{}'), 200, type);
    for (const body of [ids, '{', ''])
      assert.equal(await send('/v1/nominations/bulk', 'POST', type, body), refused, type);
    assert.equal((await request('/v1/contracts', { headers: { 'content-type': type } })).status, 200);
  }
  const others = [
    'text/plain',
    'application/jsonp',
    'application/json-patch+json',
    'application/xml',
    'json',
    'a/b; c',
    'application/json; charset=iso-8859-1',
    'application/json; charset="utf-16"',
  ];
  for (const type of others) {
    assert.equal(await send(customerPath, 'PATCH', type, '{'), refused, type);
    assert.equal(await send('/v1/transactions/bulk', 'POST', type, '{'), refused, type);
  }
  const untyped = await exchange(
    baseUrl,
    requestText(`PATCH ${customerPath}`, { ...withKey, 'Content-Length': '2' }, '{}'),
  );
  assert.equal(rawProblem(untyped).code, 'unsupported_media_type');
});

test('a compressed JSON body gets 415, for any encoding', async () => {
  const json = '{"ids":["x"]}';
  const send = (body: string | Buffer<ArrayBuffer>, encoding: string) =>
    request.post('/v1/nominations/bulk', body, {
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    });
  for (const [encoding, body] of [
    ['gzip', gzipSync(json)],
    ['br', brotliCompressSync(json)],
    ['deflate', deflateSync(json)],
    ['gzip', Buffer.from(json)],
    ['unknown', Buffer.from('{')],
  ] as const) {
    const answer = await send(Buffer.from(body), encoding);
    assert.deepEqual([answer.status, problemOf(answer).code], [415, 'unsupported_media_type'], encoding);
    assert.match(answer.body.detail, /without a Content-Encoding/);
  }
  assert.equal((await send(json, 'identity')).status, 200);
  const weak = await world.key(brp, ['contracts:read']);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const asked = { method: 'POST', body: json, headers, key: weak.secret };
  assert.equal((await request('/v1/nominations/bulk', asked)).status, 403, 'scopes come first');
});

test('a body over 1 MB gets 413, with or without a Content-Length', async () => {
  const exactly = `{"metadata":{}}`.padEnd(LIMITS.bodyBytes);
  assert.equal((await request.patch(customerPath, exactly)).status, 200);
  const json = { ...withKey, 'Content-Type': 'application/json' };
  const announced = requestText(`PATCH ${customerPath}`, {
    ...json,
    'Content-Length': String(LIMITS.bodyBytes + 1),
  });
  assert.equal(rawProblem(await exchange(baseUrl, announced)).code, 'payload_too_large');
  const chunk = `${(LIMITS.bodyBytes + 1).toString(16)}\r\n${' '.repeat(LIMITS.bodyBytes + 1)}\r\n`;
  const streamed = requestText(`PATCH ${customerPath}`, { ...json, 'Transfer-Encoding': 'chunked' }, chunk);
  assert.equal(rawProblem(await exchange(baseUrl, streamed)).code, 'payload_too_large');
});

test('only an invalid change is reported with the words that nothing was changed', async () => {
  const read = await request('/v1/contracts?limit=0');
  const bulk = await request.post('/v1/nominations/bulk', { ids: 1 });
  const change = await request.patch(customerPath, { status: 1 });
  assert.deepEqual(
    [read, bulk, change].map(({ status, body }) => [status, body.detail]),
    [
      [400, 'One field is invalid.'],
      [400, 'One field is invalid.'],
      [400, 'One field is invalid. Nothing was changed.'],
    ],
  );
});

test('a body full of errors is rejected with a short answer', async () => {
  const ids = `{"ids":[${'1,'.repeat(500_000)}1]}`;
  const answer = await request.post('/v1/nominations/bulk', ids);
  assert.equal(answer.status, 400);
  assert.equal(answer.body.errors.length, LIMITS.fieldErrors);
  assert.deepEqual(
    answer.body.errors.slice(0, 2).map(({ field, code }: Record<string, string>) => `${field} ${code}`),
    ['ids value_too_large', 'ids[0] invalid_type'],
  );
});

test('checks have one order: route, method, key, scopes, media type, form, existence', async () => {
  const { secret: weak } = await world.key(brp, ['nominations:read']);
  const code = async (path: string, key: string | null, type: string, body: string, method = 'PATCH') =>
    problemOf(await request(path, { method, key, body, headers: { 'content-type': type } })).code;
  const unknown = '/v1/customers/unknown?x=1';
  assert.equal(await code('/v1/customer', null, 'image/png', '{'), 'not_found');
  assert.equal(await code(unknown, null, 'image/png', '{', 'PUT'), 'method_not_allowed');
  assert.equal(await code(unknown, null, 'image/png', '{'), 'invalid_api_key');
  assert.equal(await code(unknown, weak, 'image/png', '{'), 'insufficient_scopes');
  assert.equal(await code(unknown, brp.key, 'image/png', '{'), 'unsupported_media_type');
  assert.equal(await code(unknown, brp.key, 'application/json', '{'), 'validation');
  assert.equal(await code(unknown, brp.key, 'application/json', '{}'), 'validation');
  assert.equal(await code('/v1/customers/unknown', brp.key, 'application/json', '{}'), 'customer_not_found');
});

test('a valid request id is adopted, otherwise one is generated', async () => {
  const idOf = async (given: string) =>
    (await request('/v1/contracts', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
  for (const sane of ['a', 'job-17.step_2', 'x'.repeat(64)]) assert.equal(await idOf(sane), sane);
  const made = new Set<string | null>();
  for (const odd of ['', 'x'.repeat(65), 'a b', 'a"b', '<script>', 'ä']) made.add(await idOf(odd));
  assert.equal(made.size, 6, 'each request has a new id');
  for (const id of made) assert.match(id ?? '', /^req_\w+$/);
});

test('answers from 1 KB on are compressed on request, and decompress to the same bytes', async () => {
  await world.customer(brp, { metadata: { long: 'Ä'.repeat(500), longer: 'ß'.repeat(500) } });
  const plain = await bytesOf('/v1/customers', 'identity');
  assert.equal(plain.encoding, null);
  const unpack = { br: promisify(brotliDecompress), gzip: promisify(gunzip) };
  for (const [accepted, encoding] of [
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
  ] as const) {
    const packed = await bytesOf('/v1/customers', accepted);
    assert.equal(packed.encoding, encoding, accepted);
    assert.ok(packed.bytes.length < plain.bytes.length / 2);
    assert.deepEqual(await unpack[encoding](packed.bytes), plain.bytes);
  }
  const small = await bytesOf(customerPath, 'br, gzip');
  assert.ok(small.bytes.length < 1024);
  assert.equal(small.encoding, null, 'a small answer is not compressed');
});

/** The raw bytes of an answer, which fetch would decompress. */
async function bytesOf(path: string, accepted: string): Promise<{ encoding: string | null; bytes: Buffer }> {
  const sent = get(baseUrl + path, { headers: { ...withKey, 'accept-encoding': accepted }, agent: false });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = Buffer.concat(await response.toArray());
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers.vary, 'X-Api-Key, Accept-Encoding');
  assert.equal(Number(response.headers['content-length']), bytes.length);
  return { encoding: response.headers['content-encoding'] ?? null, bytes };
}

test('no CORS headers are sent unless origins are configured', async () => {
  const headers = { origin: 'https://portal.example', 'access-control-request-method': 'GET' };
  for (const method of ['GET', 'OPTIONS']) {
    const answer = await request('/v1/contracts', { method, headers });
    assert.ok([...answer.headers.keys()].every((name) => !name.startsWith('access-control-')));
    assert.equal(answer.headers.get('vary'), 'X-Api-Key, Accept-Encoding');
  }
});

test('configured origins may read answers, errors and rate limits, and others may not', async () => {
  const shared = client(sharing.baseUrl, null);
  for (const [origin, allowed] of [
    ['https://portal.example', true],
    ['https://other.example', true],
    ['https://portal.example.evil', false],
  ] as const) {
    for (const path of ['/v1/contracts', '/v1/nowhere', '/openapi.json']) {
      const { headers, status } = await shared(path, { headers: { origin } });
      assert.equal(headers.get('access-control-allow-origin'), allowed ? origin : null, path);
      assert.match(
        headers.get('access-control-expose-headers') ?? '',
        /X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset/,
      );
      assert.match(headers.get('access-control-expose-headers') ?? '', /X-Request-Id/);
      const vary = `X-Api-Key, Accept-Encoding, Origin${status === 200 ? '' : ', Accept-Language'}`;
      assert.equal(headers.get('vary'), vary, 'a cache must not mix origins');
    }
  }
});

test('answers sent before a request reaches an operation have CORS headers too', async () => {
  const origin = 'Origin: https://portal.example\r\n';
  const early: [code: string, bytes: string][] = [
    ['validation', `GET /v1/contracts HTTP/1.1\r\n${origin}Connection: close\r\n\r\n`],
    ['validation', `GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n${origin}Connection: close\r\n\r\n`],
    ['validation', `GET /%zz HTTP/1.1\r\nHost: a\r\n${origin}Connection: close\r\n\r\n`],
    [
      'request_timeout',
      `PATCH /v1/customers/x HTTP/1.1\r\nHost: a\r\n${origin}Content-Type: application/json\r\nContent-Length: 9\r\nX-Api-Key: ${hastyKey}\r\n\r\n{`,
    ],
  ];
  for (const [code, bytes] of early) {
    const { headers, body } = await exchange(hasty.baseUrl, bytes);
    assert.equal(JSON.parse(body).type.split('/').at(-1), code, bytes);
    assert.equal(headers['access-control-allow-origin'], 'https://portal.example', bytes);
    assert.match(headers['access-control-expose-headers'] ?? '', /Retry-After, X-Request-Id/);
    assert.equal(headers['vary'], 'X-Api-Key, Accept-Encoding, Origin, Accept-Language');
  }
});

test('HSTS is sent by listeners whose address or certificate is HTTPS, for this host only', async () => {
  const pages = ['/v1/contracts', '/openapi.json', '/v1/nowhere', '/%zz'];
  for (const path of pages) {
    const answer = await fetch(`http://127.0.0.1:${securePort}${path}`);
    assert.equal(answer.headers.get('strict-transport-security'), 'max-age=31536000', path);
    assert.equal((await fetch(baseUrl + path)).headers.get('strict-transport-security'), null, path);
  }
  const customer = await fetch(`${secure.customerUrl}/openapi.json`);
  assert.equal(customer.headers.get('strict-transport-security'), null, 'this listener has no HTTPS address');
});

test('with origins configured, preflights are answered, and other OPTIONS requests as before', async () => {
  const shared = client(sharing.baseUrl, null);
  const preflight = await shared('/v1/contracts', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://portal.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'x-api-key,if-match',
    },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://portal.example');
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PATCH/);
  assert.equal(preflight.headers.get('access-control-allow-headers'), 'x-api-key,if-match');
  const plain = await shared('/v1/contracts', { method: 'OPTIONS' });
  assert.equal(plain.status, 204);
  assert.equal(plain.headers.get('allow'), 'GET, HEAD, OPTIONS');
  assert.equal(problemOf(await shared('/v1/nowhere', { method: 'OPTIONS' })).code, 'not_found');
});
