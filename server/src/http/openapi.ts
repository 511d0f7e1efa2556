import { type Endpoint, PATH_PARAMETERS, PROBLEMS, Problem, type ProblemCode } from '@saldo/api';
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
  'rate_limited',
  'internal_error',
  'unavailable',
];
const BODY_PROBLEMS: readonly ProblemCode[] = ['payload_too_large', 'unsupported_media_type'];

/** The OpenAPI document of a table of endpoints, made from the schemas that validate its requests. */
export function openApiDocument(api: ApiDescription, endpoints: readonly Endpoint[]): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  const tags = new Set<string>();
  for (const endpoint of endpoints) {
    tags.add(endpoint.tag);
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as Json)[endpoint.method.toLowerCase()] = operation(api, endpoint, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: api.baseUrl }],
    tags: [...tags].map((name) => ({ name })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: components,
      headers: RATE_LIMIT_HEADERS,
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
    },
  };
}

function operation(api: ApiDescription, endpoint: Endpoint, components: Json): Json {
  const scopes = endpoint.scopes.map((scope) => `\`${scope}\``).join(' and ');
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: `${endpoint.description}\n\nRequired scope: ${scopes}.`,
    'x-scopes': endpoint.scopes,
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint, components)],
    ...(endpoint.body === null ? {} : { requestBody: requestBody(endpoint, endpoint.body, components) }),
    responses: {
      200: {
        description: 'OK',
        headers: Object.fromEntries(
          Object.keys(RATE_LIMIT_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        ),
        content: {
          'application/json': {
            schema: reference(endpoint.response, components),
            example: endpoint.example.response,
          },
        },
      },
      ...problemResponses(api, endpoint, components),
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

function problemResponses(api: ApiDescription, endpoint: Endpoint, components: Json): Json {
  const codes = [...COMMON_PROBLEMS, ...(endpoint.body === null ? [] : BODY_PROBLEMS), ...endpoint.problems];
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  const responses: Json = {};
  for (const [status, group] of byStatus) {
    responses[status] = {
      description: group.map((code) => PROBLEMS[code].title).join('; '),
      content: {
        [PROBLEM_MEDIA_TYPE]: {
          schema: reference(Problem, components),
          examples: Object.fromEntries(group.map((code) => [code, { value: problemExample(api, code) }])),
        },
      },
    };
  }
  return responses;
}

const problemExample = (api: ApiDescription, code: ProblemCode): Json => ({
  type: `${api.errorBase}/errors/${code}`,
  title: PROBLEMS[code].title,
  status: PROBLEMS[code].status,
  detail: PROBLEMS[code].explanation,
  ...(code === 'validation'
    ? { errors: [{ field: 'limit', code: 'value_too_large', message: 'must be at most 100' }] }
    : {}),
});

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
    if (isSchema && 'title' in value) return reference(value as TSchema, components);
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

const RATE_LIMIT_HEADERS = {
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
};
