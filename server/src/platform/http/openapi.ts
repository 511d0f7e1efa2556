import {
  type Endpoint,
  LIMITS,
  PATH_PARAMETERS,
  PROBLEM_CODES,
  PROBLEMS,
  Problem,
  type ProblemCode,
} from '@saldo/api';
import type { TSchema } from 'typebox';
import { PROBLEM_MEDIA_TYPE } from './problem.ts';

type Json = Record<string, unknown>;

export type ApiDescription = {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly baseUrl: string;
  readonly errorBase: string;
  /** Descriptions of the tags. */
  readonly tags: Readonly<Record<string, string>>;
};

/** Problems of every operation. */
const COMMON_PROBLEMS: readonly ProblemCode[] = [
  'validation',
  'invalid_api_key',
  'request_timeout',
  'rate_limited',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'unavailable',
];
const BODY_PROBLEMS: readonly ProblemCode[] = ['payload_too_large', 'unsupported_media_type'];
/** Problems of requests that match no operation. */
const OTHER_PROBLEMS: readonly ProblemCode[] = ['not_found', 'method_not_allowed'];

const problemsOf = (endpoint: Endpoint): ProblemCode[] => {
  const problems = new Set<ProblemCode>(COMMON_PROBLEMS);
  const add = (codes: readonly ProblemCode[]) => codes.forEach((code) => problems.add(code));
  if (endpoint.scopes.length > 0) add(['insufficient_scopes']);
  if (endpoint.body !== null || endpoint.stream !== undefined) add(BODY_PROBLEMS);
  if (isRepeatable(endpoint)) add(['idempotency_key_reused']);
  add(endpoint.problems);
  return [...problems];
};

/** Every POST of the operator API changes data, so each accepts an `Idempotency-Key`. */
const isRepeatable = ({ method, path }: Endpoint) => method === 'POST' && path.startsWith('/operator/');

/** Generates the document from the schemas that validate the requests, so that the two cannot differ. */
export function openApiDocument(api: ApiDescription, endpoints: readonly Endpoint[]): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  const tags = new Set<string>();
  for (const endpoint of endpoints) {
    tags.add(endpoint.tag);
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as Json)[endpoint.method.toLowerCase()] = operation(endpoint, components);
  }
  const possible = new Set(endpoints.flatMap(problemsOf));
  const problems = PROBLEM_CODES.filter((code) => possible.has(code));
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      description: `${api.description}\n\n${problemTable([...problems, ...OTHER_PROBLEMS])}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: api.baseUrl }],
    tags: [...tags].map((name) => ({ name, description: api.tags[name] })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: components,
      examples: Object.fromEntries(problems.map((code) => [code, problemExample(api, code)])),
      headers: usedHeaders(endpoints),
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
    },
  };
}

function operation(endpoint: Endpoint, components: Json): Json {
  const scopes = endpoint.scopes.map((scope) => `\`${scope}\``).join(' and ');
  const body = requestBody(endpoint, components);
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description + (scopes === '' ? '' : `\n\nRequired scope: ${scopes}.`),
    'x-scopes': endpoint.scopes,
    parameters: [
      ...pathParameters(endpoint),
      ...queryParameters(endpoint, components),
      ...(endpoint.conditional ? [conditionalParameter(endpoint)] : []),
      ...(endpoint.numberedPages ? [LIST_VERSION] : []),
      ...(isRepeatable(endpoint) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body === null ? {} : { requestBody: body }),
    responses: {
      [endpoint.status ?? 200]: success(endpoint, components),
      ...(endpoint.conditional && endpoint.method === 'GET'
        ? { 304: { description: 'Not Modified', headers: headersOf(304, ['ETag']) } }
        : {}),
      ...problemResponses(endpoint, components),
    },
  };
}

const SUCCESS_NAMES = { 200: 'OK', 201: 'Created', 204: 'No Content' };

function success(endpoint: Endpoint, components: Json): Json {
  const status = endpoint.status ?? 200;
  const about = {
    description: SUCCESS_NAMES[status],
    headers: headersOf(status, [
      ...(endpoint.conditional ? (['ETag'] as const) : []),
      ...(endpoint.numberedPages ? PAGE_HEADERS : []),
      ...(isRepeatable(endpoint) ? (['Idempotent-Replayed'] as const) : []),
    ]),
  };
  if (status === 204) return about;
  const schema = reference(endpoint.response, components);
  if (endpoint.documents !== undefined) {
    const documents = Object.entries(endpoint.documents);
    return {
      ...about,
      content: Object.fromEntries(documents.map(([type, example]) => [type, { schema, example }])),
    };
  }
  return { ...about, content: { 'application/json': { schema, example: endpoint.example.response } } };
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Any text that you choose. A request repeated with the same key within 24 hours is not applied again and gets the same answer.',
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength },
  example: '8a1f6e0c-5d0b-4c39-9b7e-2f4f4e6d7c11',
};

const LIST_VERSION: Json = {
  name: 'X-List-Version',
  in: 'header',
  required: false,
  description: 'Reads the list as of this version, which an earlier answer has returned.',
  schema: { type: 'string' },
  example: 'assets-1234',
};

function pathParameters(endpoint: Endpoint): Json[] {
  return [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const about = PATH_PARAMETERS[name];
    if (!about) throw new Error(`the path parameter ${name} is not described`);
    return { name, in: 'path', required: true, schema: { type: 'string' }, ...about };
  });
}

type ObjectSchema = { properties?: Record<string, Json>; required?: string[] };

function queryParameters(endpoint: Endpoint, components: Json): Json[] {
  const { properties = {}, required = [] } = endpoint.query as ObjectSchema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: schema['description'],
    ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema: reference(schema as TSchema, components),
    example: (schema['examples'] as unknown[] | undefined)?.[0],
  }));
}

function conditionalParameter({ method }: Endpoint): Json {
  const about =
    method === 'GET'
      ? {
          name: 'If-None-Match',
          description: 'Answers 304 without a body if the record still has this `ETag`.',
        }
      : { name: 'If-Match', description: 'Changes the record only if it still has this `ETag`, else 412.' };
  return {
    ...about,
    in: 'header',
    required: false,
    schema: { type: 'string' },
    example: HEADERS.ETag.example,
  };
}

function requestBody(endpoint: Endpoint, components: Json): Json | null {
  const example = endpoint.example.request;
  if (endpoint.stream !== undefined) {
    const content = { schema: { type: 'string' }, example };
    return { required: true, content: Object.fromEntries(endpoint.stream.map((type) => [type, content])) };
  }
  if (endpoint.body === null) return null;
  const content = { schema: reference(endpoint.body, components), example };
  return {
    required: true,
    content: {
      'application/json': content,
      ...(endpoint.method === 'PATCH' ? { 'application/merge-patch+json': content } : {}),
    },
  };
}

function problemResponses(endpoint: Endpoint, components: Json): Json {
  const byStatus = Map.groupBy(problemsOf(endpoint), (code) => PROBLEMS[code].status);
  const responses: Json = {};
  for (const [status, group] of byStatus) {
    responses[status] = {
      description: group.map((code) => PROBLEMS[code].title).join('; '),
      headers: headersOf(status, OWN_HEADERS[status]),
      content: {
        [PROBLEM_MEDIA_TYPE]: {
          schema: reference(Problem, components),
          examples: Object.fromEntries(
            group.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
          ),
        },
      },
    };
  }
  return responses;
}

/** An overview of all problems in Markdown. */
function problemTable(codes: readonly ProblemCode[]): string {
  const rows = codes
    .toSorted((a, b) => PROBLEMS[a].status - PROBLEMS[b].status)
    .map((code) => `| ${PROBLEMS[code].status} | \`${code}\` | ${PROBLEMS[code].explanation} |`);
  return ['## Problems', '', '| Status | Problem | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function problemExample(api: ApiDescription, code: ProblemCode): Json {
  const { title, status, explanation, remedy } = PROBLEMS[code];
  const value = {
    type: `${api.errorBase}/errors/${code}`,
    title,
    status,
    detail: explanation,
    ...(code === 'validation'
      ? { errors: [{ field: 'limit', code: 'value_too_large', message: 'must be at most 100' }] }
      : {}),
  };
  return { summary: title, description: `${explanation} ${remedy}`, value };
}

/** Responses sent before authentication have no rate limit headers. */
const BEFORE_KEY = new Set([401, 408, 414, 431]);
const OWN_HEADERS: Record<number, HeaderName[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function headersOf(status: number, own: readonly HeaderName[] = []): Json {
  const names = ['X-Request-Id', ...(BEFORE_KEY.has(status) ? [] : RATE_LIMIT_HEADERS), ...own];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Only the headers that some operation of the document uses. */
function usedHeaders(endpoints: readonly Endpoint[]): Json {
  const isUsed = (name: string) => {
    if (PAGE_HEADERS.some((known) => known === name)) {
      return endpoints.some(({ numberedPages }) => numberedPages === true);
    }
    if (name === 'ETag') return endpoints.some(({ conditional }) => conditional === true);
    return name !== 'Idempotent-Replayed' || endpoints.some(isRepeatable);
  };
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => isUsed(name)));
}

/** Schemas with a title become components. All others are inlined. */
function reference(schema: TSchema, components: Json): Json {
  const { title } = schema as { title?: string };
  if (title === undefined) return inline(schema, components);
  if (!(title in components)) {
    components[title] = {};
    components[title] = inline(schema, components);
  }
  return { $ref: `#/components/schemas/${title}` };
}

function inline(schema: unknown, components: Json): Json {
  const copy = (value: unknown, isSchema: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => copy(item, isSchema));
    if (typeof value !== 'object' || value === null) return value;
    if (isSchema && 'title' in value) return reference(value, components);
    return inline(value, components);
  };
  return Object.fromEntries(
    Object.entries(schema as Json).map(([key, value]) => {
      if (key === 'properties') {
        const properties = Object.entries(value as Json).map(([name, property]) => [
          name,
          copy(property, true),
        ]);
        return [key, Object.fromEntries(properties)];
      }
      return [key, copy(value, key === 'items' || key === 'anyOf')];
    }),
  );
}

const HEADERS = {
  'X-RateLimit-Limit': {
    description: 'Maximum requests per window.',
    schema: { type: 'integer' },
    example: 300,
  },
  'X-RateLimit-Remaining': {
    description: 'Remaining requests in the current window.',
    schema: { type: 'integer' },
    example: 299,
  },
  'X-RateLimit-Reset': {
    description: 'Seconds until the window resets.',
    schema: { type: 'integer' },
    example: 60,
  },
  'X-Request-Id': {
    description: 'Identifies this request, also in the server’s log. An id that you send is adopted.',
    schema: { type: 'string' },
    example: 'req_k3vT9mQx00042',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer' },
    example: 17,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate: with a key in `X-Api-Key`.',
    schema: { type: 'string' },
    example: 'ApiKey',
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string' },
    example: 'true',
  },
  Link: {
    description: 'Addresses of the `first`, `prev`, `next` and `last` page, as far as they exist (RFC 8288).',
    schema: { type: 'string' },
    example: '<https://market.example/v1/assets?page=2&limit=10>; rel="next"',
  },
  'X-Total-Count': {
    description: 'Number of records in the list.',
    schema: { type: 'integer' },
    example: 1234,
  },
  'X-List-Version': {
    description:
      'The version of the list. Send it with the requests for other pages to read them from the same version.',
    schema: { type: 'string' },
    example: 'assets-1234',
  },
  ETag: {
    description: 'Identifies the current state of the record, for `If-None-Match` and `If-Match`.',
    schema: { type: 'string' },
    example: '"oRd50i9FLdoiRReOxvrUWg"',
  },
};
type HeaderName = keyof typeof HEADERS;
const PAGE_HEADERS: readonly HeaderName[] = ['Link', 'X-Total-Count', 'X-List-Version'];
const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];
