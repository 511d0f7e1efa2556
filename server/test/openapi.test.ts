import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  brpEndpoints,
  type Endpoint,
  isRepeatable,
  marketEndpoints,
  operatorEndpoints,
  PROBLEMS,
  type ProblemCode,
  portalEndpoints,
} from '@saldo/api';
import { parseDay, parseInstant } from '@saldo/core/delivery-day.ts';
import { isEmail } from '@saldo/core/users/email.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { compile } from '../src/platform/http/validation.ts';
import { type Answer, client, startTestPlatform } from './harness.ts';

/** The formats of JSON Schema that the documents use, and the keywords that OpenAPI adds to it. */
const STANDARD_FORMATS = ['date', 'date-time', 'email', 'uri'];
const OPENAPI_KEYWORDS = ['discriminator', 'xml'];

/** Records with an `ETag`. */
const CONDITIONAL =
  /\/(customers\/\{customer_id\}|balance-groups\/\{eic\}|operator\/v1\/(contracts|assets|series|demands)\/\{\w+\}|users\/\{\w+\})$/;

/** Checks an update like the update itself, without an `ETag` of its own. */
const PREVIEW = /\/customers\/\{customer_id\}\/preview$/;

type Json = ReturnType<typeof JSON.parse>;

const platform = await startTestPlatform();
const request = client(platform.baseUrl);
const brpApi = await request('/openapi.json');
const operatorApi = await request('/operator/openapi.json');
const portalApi = await request('/portal/openapi.json');
const marketApi = await client(platform.customerUrl)('/openapi.json');
/** The scheme of an API, and the problem of a request without valid credentials. */
const KEY = {
  scheme: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
  problem: 'invalid_api_key',
} as const;
const SESSION = {
  scheme: {
    session: { type: 'apiKey', in: 'cookie', name: 'saldo_session', description: 'Set by signing in.' },
  },
  problem: 'invalid_session',
} as const;
const OPEN_OPERATIONS = [
  'signIn',
  'getInvitation',
  'acceptInvitation',
  'startPasskeySignIn',
  'signInWithPasskey',
  'listSignInProviders',
  'startProviderSignIn',
  'completeProviderSignIn',
];
describeDocument('the BRP API', platform.baseUrl, brpApi, Object.values(brpEndpoints));
describeDocument('the operator API', platform.baseUrl, operatorApi, Object.values(operatorEndpoints));
describeDocument('the portal API', platform.baseUrl, portalApi, Object.values(portalEndpoints), SESSION);
describeDocument('the customer API', platform.customerUrl, marketApi, Object.values(marketEndpoints));

/** Checks that apply to every document. */
function describeDocument(
  name: string,
  baseUrl: string,
  answer: Answer,
  endpoints: readonly Endpoint[],
  access: typeof KEY | typeof SESSION = KEY,
): void {
  const api: Json = answer.body;

  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('date', (text: string) => parseDay(text) !== null);
  ajv.addFormat('date-time', (text: string) => parseInstant(text) !== null);
  ajv.addFormat('email', isEmail);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addSchema(api, 'api');

  /** Resolves a JSON pointer of the document. */
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

  /** The requests that the examples show are also valid for the server, which knows more than the document can say. */
  function assertAccepted(schema: TSchema | null, value: unknown, what: string): void {
    if (schema !== null) assert.deepEqual(compile(schema)(value), [], what);
  }

  type Operation = { pointer: string; endpoint: Endpoint; operation: Json };
  const operations: Operation[] = endpoints.map((endpoint) => {
    const pointer = `/paths/${escaped(endpoint.path)}/${endpoint.method.toLowerCase()}`;
    return { pointer, endpoint, operation: at(pointer) };
  });

  /** Every node of the document with its pointer. */
  function* nodes(node: Json = api, pointer = ''): Generator<[pointer: string, node: Json]> {
    if (typeof node !== 'object' || node === null) return;
    yield [pointer, node];
    for (const [name, child] of Object.entries(node)) yield* nodes(child, `${pointer}/${escaped(name)}`);
  }

  test(`${name}: the document needs no key, and is OpenAPI 3.1 of version 1.0.0`, () => {
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.match(api.openapi, /^3\.1\.\d$/);
    assert.equal(api.info.version, '1.0.0');
    assert.ok(api.info.title && api.info.description && api.info.license.name);
    assert.deepEqual(api.servers, [{ url: baseUrl }]);
    assert.deepEqual(api.info.contact, { name: 'Saldo Clearing', url: baseUrl });
    assert.deepEqual(api.components.securitySchemes, access.scheme);
    assert.deepEqual(api.security, [{ [Object.keys(access.scheme)[0] ?? '']: [] }]);
    for (const { endpoint, operation } of operations) {
      const expected = OPEN_OPERATIONS.includes(endpoint.id) ? [] : undefined;
      assert.deepEqual(operation.security, expected, endpoint.id);
    }
  });

  test(`${name}: it has exactly the operations of the API`, () => {
    const documented = Object.entries<Json>(api.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).map(
        ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
      ),
    );
    const known = endpoints.map(({ method, path, id }) => `${method} ${path} ${id}`);
    assert.deepEqual(documented.toSorted(), known.toSorted());
    assert.equal(new Set(endpoints.map(({ id }) => id)).size, known.length);
  });

  test(`${name}: every operation has a description, its scopes and its tag`, () => {
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

  test(`${name}: every parameter has a description and an example that matches its schema`, () => {
    for (const { pointer, endpoint, operation } of operations) {
      const { properties = {}, required = [] } = endpoint.query as {
        properties?: object;
        required?: string[];
      };
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

  test(`${name}: every body has an example that matches its schema`, () => {
    for (const { pointer, endpoint, operation } of operations) {
      const status = endpoint.status ?? 200;
      const { content } = operation.responses[status];
      assert.equal(content === undefined, status === 204, endpoint.id);
      if (status !== 204) {
        const types = Object.keys(endpoint.documents ?? { 'application/json': null });
        assert.deepEqual(Object.keys(content), types, endpoint.id);
        for (const type of types) {
          const schema = `${pointer}/responses/${status}/content/${escaped(type)}/schema`;
          assertValid(schema, content[type].example, endpoint.id);
        }
      }
      if (endpoint.stream === undefined) assertAccepted(endpoint.body, endpoint.example.request, endpoint.id);
      const types = Object.keys(operation.requestBody?.content ?? {});
      for (const type of types) {
        const { example } = operation.requestBody.content[type];
        assertValid(
          `${pointer}/requestBody/content/${escaped(type)}/schema`,
          example,
          `${endpoint.id} ${type}`,
        );
      }
      const json = [
        'application/json',
        ...(endpoint.method === 'PATCH' ? ['application/merge-patch+json'] : []),
      ];
      assert.deepEqual(types, endpoint.stream ?? (endpoint.body === null ? [] : json), endpoint.id);
    }
  });

  test(`${name}: every schema is standard: Ajv compiles it in strict mode`, () => {
    const strict = new Ajv2020({ strict: true });
    for (const format of STANDARD_FORMATS) strict.addFormat(format, true);
    for (const keyword of OPENAPI_KEYWORDS) strict.addKeyword(keyword);
    const standalone = (schema: Json): Json =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"'));
    const components = Object.entries<Json>(api.components.schemas);
    for (const [title, schema] of components) strict.addSchema(standalone(schema), title);
    for (const [title] of components) assert.ok(strict.getSchema(title), title);
    const inline = [...nodes()].filter(([pointer]) => pointer.endsWith('/schema'));
    for (const [, schema] of inline) strict.compile(standalone(schema));
    assert.ok(components.length >= 30 && inline.length > components.length);
  });

  test(`${name}: every example inside of a schema matches that schema`, () => {
    let count = 0;
    for (const [pointer, node] of nodes()) {
      if (!pointer.includes('/schema') || !Array.isArray(node.examples)) continue;
      for (const example of node.examples) assertValid(pointer, example, pointer);
      count++;
    }
    assert.ok(count >= 5 * Math.min(endpoints.length, 5));
  });

  test(`${name}: every problem is described, and each operation lists its own`, () => {
    const everywhere: ProblemCode[] = [
      'validation',
      'request_timeout',
      'rate_limited',
      'uri_too_long',
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
      const takesBody = endpoint.body !== null || endpoint.stream !== undefined;
      const expected = new Set<string>([
        ...everywhere,
        ...(OPEN_OPERATIONS.includes(endpoint.id) ? [] : [access.problem]),
        ...(endpoint.scopes.length > 0 ? ['insufficient_scopes'] : []),
        ...(takesBody ? ofBodies : []),
        ...(isRepeatable(endpoint) ? ['idempotency_key_reused'] : []),
        ...endpoint.problems,
      ]);
      assert.deepEqual(documented.toSorted(), [...expected].toSorted(), endpoint.id);
    }
    for (const [code, { value, summary, description }] of Object.entries<Json>(api.components.examples)) {
      assert.equal(value.type, `${baseUrl}/errors/${code}`);
      assert.ok(summary && description, code);
      assertValid('/components/schemas/Problem', value, code);
    }
    const withoutOperation = ['not_found', 'method_not_allowed'];
    const listed = Array.from(api.info.description.matchAll(/^\| \d+ \| `(\w+)` \|/gm), ([, code]) => code);
    const possible = new Set([...Object.keys(api.components.examples), ...withoutOperation]);
    assert.deepEqual(
      listed.toSorted(),
      [...possible].toSorted(),
      'the table of problems has each of them once',
    );
  });

  test(`${name}: response headers are described, with examples`, () => {
    for (const { endpoint, operation } of operations) {
      for (const name of [
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
        'X-Request-Id',
      ]) {
        assert.ok(operation.responses[endpoint.status ?? 200].headers[name], `${endpoint.id} ${name}`);
        assert.ok(operation.responses['400'].headers[name], `${endpoint.id} ${name}`);
      }
      for (const status of ['429', '503'])
        assert.ok(operation.responses[status].headers['Retry-After'], endpoint.id);
      const isChallenged = operation.responses['401']?.headers['WWW-Authenticate'] !== undefined;
      assert.equal(isChallenged, !OPEN_OPERATIONS.includes(endpoint.id), endpoint.id);
    }
    for (const [name, header] of Object.entries<Json>(api.components.headers)) {
      assert.ok(header.description, name);
      assertValid(`/components/headers/${name}/schema`, header.example, name);
    }
  });

  test(`${name}: every text in a header has a pattern, or one value`, () => {
    const headers = [
      ...Object.values<Json>(api.components.headers),
      ...operations.flatMap(({ operation }) =>
        operation.parameters.filter((parameter: Json) => parameter.in === 'header'),
      ),
    ];
    for (const { schema, description } of headers)
      assert.ok(schema.type === 'integer' || schema.pattern || schema.const, description);
  });

  test(`${name}: the choices of a oneOf differ by a constant, which its discriminator maps to them`, () => {
    for (const [pointer, { oneOf, discriminator }] of nodes()) {
      if (!Array.isArray(oneOf)) continue;
      const choices = oneOf.map(({ $ref }: Json) => {
        const { properties, required } = at($ref.slice(1));
        assert.ok(required.includes(discriminator.propertyName), pointer);
        return [properties[discriminator.propertyName].const, $ref];
      });
      assert.deepEqual(discriminator.mapping, Object.fromEntries(choices), pointer);
      assert.equal(Object.keys(discriminator.mapping).length, oneOf.length, pointer);
    }
  });

  test(`${name}: documents are text, and XML names its root element`, () => {
    for (const { endpoint, operation } of operations) {
      const contents = [operation.requestBody?.content, operation.responses[endpoint.status ?? 200].content];
      for (const [type, { schema, example }] of contents.flatMap((content) =>
        Object.entries<Json>(content ?? {}),
      )) {
        if (type.endsWith('json')) continue;
        assert.equal(schema.type, 'string', endpoint.id);
        const root = type.endsWith('xml') ? /^(?:<[?!][^>]*>\s*)*<(\w+)/.exec(example)?.[1] : undefined;
        assert.equal(schema.xml?.name, root, `${endpoint.id} ${type}`);
        assert.equal(type.endsWith('xml'), root !== undefined, `${endpoint.id} ${type}`);
      }
    }
  });

  test(`${name}: exactly the request headers that an operation uses are described`, () => {
    for (const { endpoint, operation } of operations) {
      const headers = operation.parameters
        .filter((parameter: Json) => parameter.in === 'header')
        .map((parameter: Json) => parameter.name);
      const isRead = endpoint.method === 'GET';
      const isConditional = CONDITIONAL.test(endpoint.path);
      assert.equal('412' in operation.responses, headers.includes('If-Match'), endpoint.id);
      assert.deepEqual(
        headers,
        [
          ...(isConditional && isRead ? ['If-None-Match'] : []),
          ...((isConditional && !isRead) || PREVIEW.test(endpoint.path) ? ['If-Match'] : []),
          ...(endpoint.numberedPages ? ['X-List-Version'] : []),
          ...(isRepeatable(endpoint) ? ['Idempotency-Key'] : []),
        ],
        endpoint.id,
      );
      const success = operation.responses[endpoint.status ?? 200];
      assert.equal('ETag' in success.headers, isConditional && endpoint.status !== 204, endpoint.id);
      for (const header of ['Link', 'X-Total-Count', 'X-List-Version']) {
        assert.equal(header in success.headers, endpoint.numberedPages === true, endpoint.id);
      }
      assert.equal('304' in operation.responses, isConditional && isRead, endpoint.id);
    }
  });

  test(`${name}: every reference resolves, and every component is used`, () => {
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

  test(`${name}: a component has one schema: its title is its name`, () => {
    for (const [name, schema] of Object.entries<Json>(api.components.schemas))
      assert.equal(schema.title, name);
  });
}

test('the operator API’s document has the clock only in a sandbox', () => {
  assert.equal(operatorApi.body.info.title, 'Saldo Operator API');
  assert.ok(!('/operator/v1/clock' in operatorApi.body.paths));
});

test('a contract is one of three types, and metadata has text values', () => {
  const { Contract, Customer, PpaContract, IntradayContract } = brpApi.body.components.schemas;
  assert.deepEqual(Object.keys(Contract.discriminator.mapping), ['ppa', 'day_ahead', 'intraday']);
  assert.ok('asset' in PpaContract.properties && !('asset' in IntradayContract.properties));
  assert.deepEqual(Customer.properties.metadata.additionalProperties, { type: 'string' });
});

test('openapi/ has the documents of this version; `npm run openapi` writes them', (t) => {
  const documents = { brp: brpApi, operator: operatorApi, portal: portalApi, customer: marketApi };
  for (const [name, { text }] of Object.entries(documents)) {
    const document: Json = JSON.parse(
      text
        .replaceAll(platform.baseUrl, 'https://saldo.example')
        .replaceAll(platform.customerUrl, 'https://market.saldo.example'),
    );
    const file = fileURLToPath(new URL(`../../openapi/${name}.json`, import.meta.url));
    t.assert.fileSnapshot(document, file, {
      serializers: [(value: unknown) => `${JSON.stringify(value, null, 2)}\n`],
    });
  }
});
