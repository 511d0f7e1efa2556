import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints, type Endpoint, PROBLEMS, type ProblemCode } from '@saldo/api';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseDay, parseInstant } from '../src/domain/delivery-day.ts';
import { checkEic } from '../src/domain/eic.ts';
import { client, startTestPlatform } from './harness.ts';

type Json = ReturnType<typeof JSON.parse>;

const platform = await startTestPlatform();
const request = client(platform.baseUrl);
const answer = await request('/openapi.json');
const api: Json = answer.body;

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('date', (text: string) => parseDay(text) !== null);
ajv.addFormat('date-time', (text: string) => parseInstant(text) !== null);
ajv.addFormat('eic', (text: string) => checkEic(text) === null);
ajv.addFormat('text', (text: string) => text.isWellFormed());
ajv.addFormat('uri', (text: string) => URL.canParse(text));
ajv.addSchema(api, 'api');

/** What a JSON pointer of the document points to. */
const at = (pointer: string): Json =>
  pointer
    .split('/')
    .slice(1)
    .reduce((node, name) => node?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], api);
const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

function assertValid(schemaPointer: string, value: unknown, what: string): void {
  const validate = ajv.compile({ $ref: `api#${encodeURI(schemaPointer)}` });
  assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
}

type Operation = { pointer: string; endpoint: Endpoint; operation: Json };
const operations: Operation[] = Object.values(brpEndpoints).map((endpoint) => {
  const pointer = `/paths/${escaped(endpoint.path)}/${endpoint.method.toLowerCase()}`;
  return { pointer, endpoint, operation: at(pointer) };
});

/** Every node of the document with its pointer. */
function* nodes(node: Json = api, pointer = ''): Generator<[pointer: string, node: Json]> {
  if (typeof node !== 'object' || node === null) return;
  yield [pointer, node];
  for (const [name, child] of Object.entries(node)) yield* nodes(child, `${pointer}/${escaped(name)}`);
}

test('the document is there for everybody, and is OpenAPI 3.1 of version 1.0.0', () => {
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.match(api.openapi, /^3\.1\.\d$/);
  assert.equal(api.info.version, '1.0.0');
  assert.ok(api.info.title && api.info.description && api.info.license.name);
  assert.deepEqual(api.servers, [{ url: platform.baseUrl }]);
  assert.deepEqual(api.security, [{ apiKey: [] }]);
  assert.deepEqual(api.components.securitySchemes.apiKey, {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
  });
});

test('it holds every operation and no other', () => {
  const documented = Object.entries<Json>(api.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(
      ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
    ),
  );
  const known = Object.values(brpEndpoints).map(({ method, path, id }) => `${method} ${path} ${id}`);
  assert.deepEqual(documented.toSorted(), known.toSorted());
  assert.equal(new Set(Object.values(brpEndpoints).map(({ id }) => id)).size, known.length);
});

test('every operation is explained: what it does, its scopes, and its tag', () => {
  for (const { endpoint, operation } of operations) {
    assert.ok(operation.summary.length > 5 && operation.description.length > 10, endpoint.id);
    for (const scope of endpoint.scopes)
      assert.ok(operation.description.includes(`\`${scope}\``), endpoint.id);
    for (const name of operation.tags) {
      const tag = api.tags.find((known: Json) => known.name === name);
      assert.ok(tag?.description?.length > 10, `the tag ${name} is described`);
    }
  }
});

test('every parameter is there, with a description and an example that its schema takes', () => {
  for (const { pointer, endpoint, operation } of operations) {
    const { properties = {}, required = [] } = endpoint.query as { properties?: object; required?: string[] };
    const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name} path true`);
    const inQuery = Object.keys(properties).map((name) => `${name} query ${required.includes(name)}`);
    const documented = operation.parameters
      .filter((parameter: Json) => parameter.in !== 'header')
      .map((parameter: Json) => `${parameter.name} ${parameter.in} ${parameter.required}`);
    assert.deepEqual(documented.toSorted(), [...inPath, ...inQuery].toSorted(), endpoint.id);
    for (const [index, parameter] of operation.parameters.entries()) {
      const what = `${endpoint.id} ${parameter.name}`;
      assert.ok(parameter.description?.length > 5, what);
      assert.notEqual(parameter.example, undefined, what);
      assertValid(`${pointer}/parameters/${index}/schema`, parameter.example, what);
    }
  }
});

test('every body has an example that its schema takes', () => {
  for (const { pointer, endpoint, operation } of operations) {
    const success = operation.responses['200'].content['application/json'];
    assertValid(`${pointer}/responses/200/content/application~1json/schema`, success.example, endpoint.id);
    assert.equal(operation.requestBody !== undefined, endpoint.body !== null, endpoint.id);
    const types = Object.keys(operation.requestBody?.content ?? {});
    for (const type of types) {
      const { example } = operation.requestBody.content[type];
      assertValid(
        `${pointer}/requestBody/content/${escaped(type)}/schema`,
        example,
        `${endpoint.id} ${type}`,
      );
    }
    const expected = [
      'application/json',
      ...(endpoint.method === 'PATCH' ? ['application/merge-patch+json'] : []),
    ];
    assert.deepEqual(types, endpoint.body === null ? [] : expected, endpoint.id);
  }
});

test('every example inside of a schema is one that the schema takes', () => {
  let count = 0;
  for (const [pointer, node] of nodes()) {
    if (!pointer.includes('/schema') || !Array.isArray(node.examples)) continue;
    for (const example of node.examples) assertValid(pointer, example, pointer);
    count++;
  }
  assert.ok(count > 20);
});

test('every problem is in it, and each operation lists those that it may end in', () => {
  const everywhere: ProblemCode[] = [
    'validation',
    'invalid_api_key',
    'insufficient_scopes',
    'request_timeout',
    'rate_limited',
    'headers_too_large',
    'internal_error',
    'unavailable',
  ];
  const ofBodies: ProblemCode[] = ['payload_too_large', 'unsupported_media_type'];
  for (const { endpoint, operation } of operations) {
    const documented: string[] = [];
    for (const [status, response] of Object.entries<Json>(operation.responses)) {
      if (Number(status) < 400) continue;
      const { schema, examples } = response.content['application/problem+json'];
      assert.deepEqual(schema, { $ref: '#/components/schemas/Problem' });
      for (const [code, example] of Object.entries<Json>(examples)) {
        documented.push(code);
        assert.deepEqual(example, { $ref: `#/components/examples/${code}` });
        assert.equal(PROBLEMS[code as ProblemCode].status, Number(status), code);
      }
    }
    const expected = [...everywhere, ...(endpoint.body === null ? [] : ofBodies), ...endpoint.problems];
    assert.deepEqual(documented.toSorted(), expected.toSorted(), endpoint.id);
  }
  for (const [code, { value, summary, description }] of Object.entries<Json>(api.components.examples)) {
    assert.equal(value.type, `${platform.baseUrl}/errors/${code}`);
    assert.ok(summary && description, code);
    assertValid('/components/schemas/Problem', value, code);
  }
  const withoutOperation = ['not_found', 'method_not_allowed'];
  for (const code of [...Object.keys(api.components.examples), ...withoutOperation]) {
    assert.ok(api.info.description.includes(`\`${code}\``), `${code} is in the table of problems`);
  }
});

test('the headers of answers are described, with examples', () => {
  for (const { endpoint, operation } of operations) {
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id']) {
      assert.ok(operation.responses['200'].headers[name], `${endpoint.id} ${name}`);
      assert.ok(operation.responses['400'].headers[name], `${endpoint.id} ${name}`);
    }
    for (const status of ['429', '503'])
      assert.ok(operation.responses[status].headers['Retry-After'], endpoint.id);
    assert.ok(operation.responses['401'].headers['WWW-Authenticate'], endpoint.id);
  }
  for (const [name, header] of Object.entries<Json>(api.components.headers)) {
    assert.ok(header.description, name);
    assertValid(`/components/headers/${name}/schema`, header.example, name);
  }
});

test('conditional requests are described where they are honoured', () => {
  const headers = ({ operation }: Operation) =>
    operation.parameters.filter((parameter: Json) => parameter.in === 'header').map(({ name }: Json) => name);
  const conditional = operations.filter(({ endpoint }) => endpoint.path === '/v1/customers/{customer_id}');
  assert.deepEqual(conditional.flatMap(headers), ['If-None-Match', 'If-Match']);
  for (const { operation } of conditional) assert.ok(operation.responses['200'].headers.ETag);
  assert.deepEqual(
    conditional.map(({ operation }) => '304' in operation.responses),
    [true, false],
  );
  assert.ok(
    operations.filter((known) => !conditional.includes(known)).every((known) => headers(known).length === 0),
  );
});

test('every reference leads somewhere, and every component is referred to', () => {
  const referred = new Set<string>();
  for (const [pointer, node] of nodes()) {
    if (typeof node.$ref !== 'string') continue;
    assert.match(node.$ref, /^#\/components\//, pointer);
    assert.notEqual(at(node.$ref.slice(1)), undefined, `${pointer} → ${node.$ref}`);
    referred.add(node.$ref);
  }
  for (const kind of ['schemas', 'headers', 'examples']) {
    for (const name of Object.keys(api.components[kind])) {
      const ref = `#/components/${kind}/${name}`;
      assert.ok(referred.has(ref), ref);
    }
  }
});

test('a component has one schema: its title is its name', () => {
  for (const [name, schema] of Object.entries<Json>(api.components.schemas)) assert.equal(schema.title, name);
});

test('the documentation and everything that it loads come from the server itself, under a strict policy', async () => {
  const seen = new Set<string>();
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const page = await request(path);
    assert.equal(page.status, 200, path);
    if (path === '/openapi.json') continue;
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/, path);
    assert.match(policy, /script-src 'self'(;|$)/, 'no inline script and no outside one may run');
    assert.doesNotMatch(policy, /https?:|\*|unsafe-eval/);
    const type = page.headers.get('content-type') ?? '';
    if (type.startsWith('text/html')) {
      assert.doesNotMatch(page.text, /<script(?![^>]*\ssrc=)|\son\w+=|https?:|javascript:/, 'nothing inline');
      waiting.push(...[...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url as string));
    } else if (type.startsWith('text/css')) {
      const urls = [...page.text.matchAll(/url\(\s*['"]?([^'")]+)/g)].map(([, url]) => url as string);
      assert.deepEqual(
        urls.filter((url) => !url.startsWith('data:')),
        [],
        path,
      );
    } else if (page.text.length < 10_000 && type.startsWith('text/javascript')) {
      waiting.push(...[...page.text.matchAll(/"url":"([^"]+)"/g)].map(([, url]) => url as string));
    }
  }
  assert.ok(seen.has('/openapi.json') && seen.size >= 5, [...seen].join(' '));
  for (const path of seen) assert.ok(path.startsWith('/') && !path.startsWith('//'), path);
});
