import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, problem, standIn } from '../test/stand-in.ts';
import { createBrpClient } from './brp.ts';
import { createOperatorClient } from './operator.ts';
import { isProblem, SaldoConnectionError, SaldoProblem } from './problem.ts';

const BRP = { id: 'brp_1', name: 'Nordwind', created_at: '2026-01-01T00:00:00Z' };
const unreachable = () =>
  new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') });

for (const status of [429, 502, 503, 504]) {
  test(`a read is retried after ${status}`, async () => {
    const { options, requests, waits } = standIn(problem(status, 'passing'), json(BRP));
    assert.deepEqual(await createOperatorClient(options).brps.get('brp_1'), BRP);
    assert.equal(requests.length, 2);
    assert.deepEqual(waits, [125]);
  });
}

test('a network error is retried, and finally thrown as a connection error with its cause', async () => {
  const { options, requests, waits } = standIn(unreachable());
  await assert.rejects(createOperatorClient(options).brps.get('brp_1'), (error) => {
    assert.ok(error instanceof SaldoConnectionError);
    assert.equal(error.kind, 'network');
    assert.match(error.message, /^https:\/\/saldo\.test cannot be reached: connect ECONNREFUSED/);
    assert.ok(error.cause instanceof TypeError);
    return true;
  });
  assert.equal(requests.length, 4);
  assert.deepEqual(waits, [125, 250, 500]);
});

test('an error that a retry cannot cure is thrown at once', async () => {
  for (const status of [400, 401, 404, 409, 412, 500]) {
    const { options, requests } = standIn(problem(status, 'lasting'));
    await assert.rejects(createOperatorClient(options).brps.get('brp_1'), SaldoProblem);
    assert.equal(requests.length, 1);
  }
});

test('a retry waits for Retry-After, unless it exceeds the time limit', async () => {
  const patient = standIn(problem(429, 'rate_limited', { 'retry-after': '37' }), json(BRP));
  await createOperatorClient(patient.options).brps.get('brp_1');
  assert.deepEqual(patient.waits, [37_000]);

  const date = 'Tue, 20 Oct 2026 08:00:20 GMT';
  const dated = standIn(problem(503, 'unavailable', { 'retry-after': date }), json(BRP));
  await createOperatorClient(dated.options).brps.get('brp_1');
  assert.deepEqual(dated.waits, [20_000]);

  const hasty = standIn(problem(429, 'rate_limited', { 'retry-after': '37' }), json(BRP));
  const refused = createOperatorClient({ ...hasty.options, retry: { maxElapsedMs: 36_000 } }).brps.get(
    'brp_1',
  );
  await assert.rejects(refused, (error) => isProblem(error, 'rate_limited'));
  assert.deepEqual(hasty.waits, []);
});

test('a language is sent with every request, as it is at that time', async () => {
  const { options, requests } = standIn(json(BRP));
  await createOperatorClient(options).brps.get('brp_1');
  const settings = { ...options, language: 'de' };
  const client = createOperatorClient(settings);
  await client.brps.get('brp_1');
  settings.language = 'en';
  await client.brps.get('brp_1');
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('accept-language')),
    [null, 'de', 'en'],
  );
});

test('all attempts of a POST to the operator API carry the same idempotency key', async () => {
  const { options, requests } = standIn(unreachable(), problem(503, 'unavailable'), json(BRP, 201));
  const operator = createOperatorClient(options);
  await operator.brps.create({ name: 'Nordwind' });
  const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
  assert.equal(keys.length, 3);
  assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/);
  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(
    requests.map(({ body }) => body),
    Array.from({ length: 3 }, () => '{"name":"Nordwind"}'),
  );

  await operator.brps.create({ name: 'Nordwind' });
  assert.notEqual(requests[3]?.headers.get('idempotency-key'), keys[0], 'a new call has a new key');
  await operator.brps.create({ name: 'Nordwind' }, { idempotencyKey: 'onboarding-7' });
  assert.equal(requests[4]?.headers.get('idempotency-key'), 'onboarding-7');
});

test('a PATCH is retried after a failure only with If-Match, and always after 429', async () => {
  const blind = standIn(problem(503, 'unavailable'));
  const change = { metadata: { a: 'b' } };
  await assert.rejects(createBrpClient(blind.options).customers.update('cust_1', change));
  assert.equal(blind.requests.length, 1);

  const knowing = standIn(problem(503, 'unavailable'), json({}));
  await createBrpClient(knowing.options).customers.update('cust_1', change, { ifMatch: '"7"' });
  assert.deepEqual(
    knowing.requests.map(({ headers }) => headers.get('if-match')),
    ['"7"', '"7"'],
  );

  const limited = standIn(problem(429, 'rate_limited'), json({}));
  await createBrpClient(limited.options).customers.update('cust_1', change);
  assert.equal(limited.requests.length, 2);
});

test('a bulk read by POST is retried like a read, without an idempotency key', async () => {
  const { options, requests } = standIn(problem(503, 'unavailable'), json({ transactions: [] }));
  await createBrpClient(options).transactions.bulk({ ids: ['txn_1'] });
  assert.equal(requests.length, 2);
  assert.equal(requests[0]?.headers.has('idempotency-key'), false);
});

test('an aborted call rejects with the reason, before, during and between attempts', async () => {
  const reason = new Error('the user left');
  const before = standIn(json(BRP));
  const gone = AbortSignal.abort(reason);
  await assert.rejects(createOperatorClient(before.options).brps.get('brp_1', { signal: gone }), reason);
  assert.equal(before.requests.length, 0);

  const during = new AbortController();
  const hanging = standIn(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        during.abort(reason);
      }),
  );
  await assert.rejects(
    createOperatorClient(hanging.options).brps.get('brp_1', { signal: during.signal }),
    reason,
  );
  assert.equal(hanging.requests.length, 1);

  const between = new AbortController();
  const failing = standIn(problem(503, 'unavailable'));
  const onResponse = () => between.abort(reason);
  const client = createOperatorClient({ ...failing.options, signal: between.signal, onResponse });
  await assert.rejects(client.brps.get('brp_1'), reason);
  assert.equal(failing.requests.length, 1);
});

test('an attempt that stalls is aborted and retried', async () => {
  const hang = (_: unknown, signal: AbortSignal) =>
    new Promise<Response>((_resolve, reject) => {
      const giveUp = () => reject(signal.reason as Error);
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp);
    });
  const { options, requests } = standIn(hang, json(BRP));
  const client = createOperatorClient({ ...options, timeoutMs: 5000, retry: { maxAttempts: 2 } });
  assert.deepEqual(await client.brps.get('brp_1'), BRP);
  assert.equal(requests.length, 2);

  const never = standIn(hang);
  const impatient = createOperatorClient({ ...never.options, timeoutMs: 5000, retry: { maxAttempts: 1 } });
  await assert.rejects(impatient.brps.get('brp_1'), (error) => {
    assert.ok(error instanceof SaldoConnectionError);
    assert.equal(error.kind, 'timeout');
    assert.match(error.message, /within 5 s/);
    return true;
  });
});

test('an error page of a proxy is thrown as a problem too', async () => {
  const { options } = standIn(new Response('<h1>Bad gateway</h1>', { status: 502 }));
  const client = createOperatorClient({ ...options, retry: { maxAttempts: 1 } });
  await assert.rejects(client.brps.get('brp_1'), (error) => {
    assert.ok(error instanceof SaldoProblem);
    assert.deepEqual([error.status, error.code, error.requestId], [502, 'unexplained', null]);
    assert.match(error.message, /Bad gateway/);
    return true;
  });
});

test('the key does not follow a redirect, and no id can lead to another path', async () => {
  const { options, requests } = standIn(
    new Response(null, { status: 308, headers: { location: 'https://evil.test/' } }),
  );
  const operator = createOperatorClient(options);
  await assert.rejects(operator.brps.get('brp_1'), /another address, at https:\/\/evil\.test/);
  assert.deepEqual(
    requests.map(({ redirect }) => redirect),
    ['manual'],
  );
  await assert.rejects(operator.brps.get('..'), TypeError);
  await assert.rejects(operator.brps.get(''), TypeError);
  await assert.rejects(operator.brps.get('a/b?c'));
  assert.equal(requests[1]?.url, '/operator/v1/brps/a%2Fb%3Fc');
});

test('the base address may end in a slash and have a path, and must be a URL', async () => {
  const { options, requests } = standIn(json(BRP));
  await createOperatorClient({ ...options, baseUrl: 'https://saldo.test/market//' }).brps.get('brp_1');
  assert.equal(requests[0]?.url, '/market/operator/v1/brps/brp_1');
  for (const baseUrl of ['', 'saldo.test', 'ftp://saldo.test', 'https://saldo.test?x=1']) {
    assert.throws(() => createOperatorClient({ ...options, baseUrl }), /baseUrl must be/);
  }
});

test('a missing key is refused when the client is created', () => {
  const baseUrl = 'https://saldo.test';
  for (const create of [createOperatorClient, createBrpClient]) {
    // As in JavaScript, or with `process.env.SALDO_KEY as string`.
    for (const access of [{}, { apiKey: undefined }, { apiKey: '' }])
      assert.throws(
        () => create({ baseUrl, ...access } as never),
        /^TypeError: apiKey is missing: pass the API key/,
      );
    for (const apiKey of ['two words', 'line\n', 'schlüssel'])
      assert.throws(() => create({ baseUrl, apiKey }), /^TypeError: apiKey must consist of printable/);
    assert.ok(create({ baseUrl, credentials: 'session' }));
  }
});

test('a client sends the newest position of its answers with later requests, for a minute', async () => {
  const at = (position: string) => json(BRP, 201, { 'x-saldo-position': position });
  const { options, requests, waits } = standIn(
    json(BRP),
    at('9ff.seal'),
    problem(503, 'unavailable', { 'retry-after': '1' }),
    at('a00.seal'),
    at('9fe.late'),
    json(BRP),
    problem(503, 'unavailable', { 'retry-after': '60' }),
    json(BRP),
    json(BRP),
  );
  const operator = createOperatorClient(options);
  await operator.brps.get('brp_1');
  await operator.brps.create({ name: 'Nordwind' });
  await operator.brps.create({ name: 'Nordwind' });
  await operator.brps.create({ name: 'Nordwind' });
  for (let count = 0; count < 3; count++) await operator.brps.get('brp_1');
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('x-saldo-position')),
    [null, null, '9ff.seal', '9ff.seal', 'a00.seal', 'a00.seal', 'a00.seal', 'a00.seal', null],
  );
  assert.deepEqual(waits, [1_000, 60_000]);
});
