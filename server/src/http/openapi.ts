import {
  type Endpoint,
  PATH_PARAMETERS,
  PROBLEM_CODES,
  PROBLEMS,
  Problem,
  type ProblemCode,
  TAGS,
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
};

/** Every operation may end in these. */
const COMMON_PROBLEMS: readonly ProblemCode[] = [
  'validation',
  'invalid_api_key',
  'insufficient_scopes',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'unavailable',
];
const BODY_PROBLEMS: readonly ProblemCode[] = ['payload_too_large', 'unsupported_media_type'];
/** Requests that end in these have reached no operation. */
const OTHER_PROBLEMS: readonly ProblemCode[] = ['not_found', 'method_not_allowed'];

const problemsOf = (endpoint: Endpoint): ProblemCode[] => [
  ...COMMON_PROBLEMS,
  ...(endpoint.body === null ? [] : BODY_PROBLEMS),
  ...endpoint.problems,
];

/** The OpenAPI document of a table of endpoints, made from the schemas that validate its requests. */
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
    tags: [...tags].map((name) => ({ name, description: TAGS[name] })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: components,
      examples: Object.fromEntries(problems.map((code) => [code, problemExample(api, code)])),
      headers: HEADERS,
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
    },
  };
}

function operation(endpoint: Endpoint, components: Json): Json {
  const scopes = endpoint.scopes.map((scope) => `\`${scope}\``).join(' and ');
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: `${endpoint.description}\n\nRequired scope: ${scopes}.`,
    'x-scopes': endpoint.scopes,
    parameters: [
      ...pathParameters(endpoint),
      ...queryParameters(endpoint, components),
      ...(endpoint.conditional ? [conditionalParameter(endpoint)] : []),
    ],
    ...(endpoint.body === null ? {} : { requestBody: requestBody(endpoint, endpoint.body, components) }),
    responses: {
      200: {
        description: 'OK',
        headers: headersOf(200, endpoint.conditional ? ['ETag'] : []),
        content: {
          'application/json': {
            schema: reference(endpoint.response, components),
            example: endpoint.example.response,
          },
        },
      },
      ...(endpoint.conditional && endpoint.method === 'GET'
        ? { 304: { description: 'Not Modified', headers: headersOf(304, ['ETag']) } }
        : {}),
      ...problemResponses(endpoint, components),
    },
  };
}

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

function requestBody(endpoint: Endpoint, body: TSchema, components: Json): Json {
  const content = { schema: reference(body, components), example: endpoint.example.request };
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

/** All problems at a glance, in Markdown. */
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

/** What is answered before a key is known carries no rate limit. */
const BEFORE_KEY = new Set([401, 408, 431]);
const OWN_HEADERS: Record<number, HeaderName[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function headersOf(status: number, own: readonly HeaderName[] = []): Json {
  const names = ['X-Request-Id', ...(BEFORE_KEY.has(status) ? [] : RATE_LIMIT_HEADERS), ...own];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Schemas with a title become components; everything else stands where it is used. */
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
    description: 'Names this request, in our log too. One that you send along is taken over.',
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
  ETag: {
    description: 'Names the record as it reads now, for `If-None-Match` and `If-Match`.',
    schema: { type: 'string' },
    example: '"oRd50i9FLdoiRReOxvrUWg"',
  },
};
type HeaderName = keyof typeof HEADERS;
const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];
