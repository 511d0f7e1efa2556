import {
  type Endpoint,
  isRepeatable,
  PATH_PARAMETERS,
  PROBLEM_CODES,
  PROBLEMS,
  Problem,
  type ProblemCode,
} from '@saldo/api';
import type { TSchema } from 'typebox';
import {
  conditionalParameters,
  EXPORT_HEADERS,
  HEADERS,
  type HeaderName,
  IDEMPOTENCY_KEY,
  listVersion,
  PAGE_HEADERS,
  RATE_LIMIT_HEADERS,
} from './openapi-headers.ts';
import { reference } from './openapi-schemas.ts';
import { PROBLEM_MEDIA_TYPE } from './problem.ts';
import type { SessionCookie } from './session-cookie.ts';

type Json = Record<string, unknown>;

export type ApiDescription = {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly baseUrl: string;
  readonly errorBase: string;
  /** The operator of the platform. */
  readonly contact: string;
  /** Descriptions of the tags. */
  readonly tags: Readonly<Record<string, string>>;
  readonly access: ApiAccess;
};

/** How the caller of an API authenticates. */
export type ApiAccess = {
  /** The name and the description of the security scheme. */
  readonly scheme: string;
  readonly definition: object;
  /** The problem of a request without valid credentials. */
  readonly problem: ProblemCode;
  /** Operations that need no credentials. */
  readonly isOpen: (endpoint: Endpoint) => boolean;
};

export const KEY_ACCESS: ApiAccess = {
  scheme: 'apiKey',
  definition: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  problem: 'invalid_api_key',
  isOpen: () => false,
};

/** Operations that need no session do not have its problem. */
export const sessionAccess = ({ name }: SessionCookie): ApiAccess => ({
  scheme: 'session',
  definition: { type: 'apiKey', in: 'cookie', name, description: 'Set by signing in.' },
  problem: 'invalid_session',
  isOpen: ({ problems }) => !problems.includes('invalid_session'),
});

/** Problems of every operation. */
const COMMON_PROBLEMS: readonly ProblemCode[] = [
  'validation',
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

const problemsOf = (endpoint: Endpoint, access: ApiAccess): ProblemCode[] => {
  const problems = new Set<ProblemCode>(COMMON_PROBLEMS);
  const add = (codes: readonly ProblemCode[]) => codes.forEach((code) => problems.add(code));
  if (!access.isOpen(endpoint)) add([access.problem]);
  if (endpoint.scopes.length > 0) add(['insufficient_scopes']);
  if (endpoint.body !== null || endpoint.stream !== undefined) add(BODY_PROBLEMS);
  if (isRepeatable(endpoint)) add(['idempotency_key_reused']);
  add(endpoint.problems);
  return [...problems];
};

/** Generates the document from the schemas that validate the requests, so that the two cannot differ. */
export function openApiDocument(api: ApiDescription, endpoints: readonly Endpoint[]): Json {
  const { access } = api;
  const components: Json = {};
  const paths: Record<string, Json> = {};
  const tags = new Set<string>();
  for (const endpoint of endpoints) {
    tags.add(endpoint.tag);
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as Json)[endpoint.method.toLowerCase()] = operation(endpoint, access, components);
  }
  const possible = new Set(endpoints.flatMap((endpoint) => problemsOf(endpoint, access)));
  const problems = PROBLEM_CODES.filter((code) => possible.has(code));
  const listed = new Set([...problems, ...OTHER_PROBLEMS]);
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      description: `${api.description}\n\n${problemTable([...listed])}`,
      contact: { name: api.contact, url: api.baseUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: api.baseUrl }],
    tags: [...tags].map((name) => ({ name, description: api.tags[name] })),
    security: [{ [access.scheme]: [] }],
    paths,
    components: {
      schemas: components,
      examples: Object.fromEntries(problems.map((code) => [code, problemExample(api, code)])),
      headers: usedHeaders(endpoints),
      securitySchemes: { [access.scheme]: access.definition },
    },
  };
}

function operation(endpoint: Endpoint, access: ApiAccess, components: Json): Json {
  const scopes = endpoint.scopes.map((scope) => `\`${scope}\``).join(' and ');
  const body = requestBody(endpoint, components);
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description + (scopes === '' ? '' : `\n\nRequired scope: ${scopes}.`),
    'x-scopes': endpoint.scopes,
    ...(access.isOpen(endpoint) ? { security: [] } : {}),
    parameters: [
      ...pathParameters(endpoint),
      ...queryParameters(endpoint, components),
      ...conditionalParameters(endpoint),
      ...(endpoint.numberedPages ? [listVersion(endpoint)] : []),
      ...(isRepeatable(endpoint) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body === null ? {} : { requestBody: body }),
    responses: {
      [endpoint.status ?? 200]: success(endpoint, components),
      ...(endpoint.conditional && endpoint.method === 'GET'
        ? { 304: { description: 'Not Modified', headers: headersOf(304, ['ETag']) } }
        : {}),
      ...problemResponses(endpoint, access, components),
    },
  };
}

const SUCCESS_NAMES = { 200: 'OK', 201: 'Created', 204: 'No Content' };

function success(endpoint: Endpoint, components: Json): Json {
  const status = endpoint.status ?? 200;
  const about = {
    description: SUCCESS_NAMES[status],
    headers: headersOf(status, [
      ...(endpoint.conditional && status !== 204 ? (['ETag'] as const) : []),
      ...(endpoint.numberedPages ? PAGE_HEADERS : []),
      ...(isFile(endpoint) ? EXPORT_HEADERS : []),
      ...(isRepeatable(endpoint) ? (['Idempotent-Replayed'] as const) : []),
    ]),
  };
  if (status === 204) return about;
  if (endpoint.documents !== undefined) {
    const documents = Object.entries(endpoint.documents);
    const contentOf = (type: string, example: string) => ({ schema: documentSchema(type, example), example });
    return {
      ...about,
      content: Object.fromEntries(documents.map(([type, example]) => [type, contentOf(type, example)])),
    };
  }
  const schema = reference(endpoint.response, components);
  return { ...about, content: { 'application/json': { schema, example: endpoint.example.response } } };
}

const isFile = ({ isExport, documents }: Endpoint) => isExport === true && documents !== undefined;

const isXml = (mediaType: string) => mediaType.endsWith('/xml');

/**
 * A document is text in every tool. Specmatic, which reads XML by its elements, also needs the name of the root; it
 * refuses XML without a schema, and objects without properties.
 */
function documentSchema(mediaType: string, example: unknown): Json {
  const root = isXml(mediaType) ? /<([A-Za-z_]\w*)/.exec(String(example))?.[1] : undefined;
  return { type: 'string', ...(root === undefined ? {} : { xml: { name: root } }) };
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

function requestBody(endpoint: Endpoint, components: Json): Json | null {
  const { request: example, xmlRequest = example } = endpoint.example;
  if (endpoint.stream !== undefined) {
    const contentOf = (type: string) => {
      const document = isXml(type) ? xmlRequest : example;
      return { schema: documentSchema(type, document), example: document };
    };
    return {
      required: true,
      content: Object.fromEntries(endpoint.stream.map((type) => [type, contentOf(type)])),
    };
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

function problemResponses(endpoint: Endpoint, access: ApiAccess, components: Json): Json {
  const byStatus = Map.groupBy(problemsOf(endpoint, access), (code) => PROBLEMS[code].status);
  const responses: Json = {};
  for (const [status, group] of byStatus) {
    responses[status] = {
      description: group.map((code) => PROBLEMS[code].title).join('; '),
      headers: headersOf(status, group.includes(access.problem) ? ['WWW-Authenticate'] : OWN_HEADERS[status]),
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
  const language =
    'Sentences for people, such as `detail` and `message`, are in English, or in German with `Accept-Language: de`. Codes are the same in both.';
  return ['## Problems', '', language, '', '| Status | Problem | Meaning |', '|---|---|---|', ...rows].join(
    '\n',
  );
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
    if (EXPORT_HEADERS.some((known) => known === name)) return endpoints.some(isFile);
    if (name === 'ETag') return endpoints.some(({ conditional }) => conditional === true);
    return name !== 'Idempotent-Replayed' || endpoints.some(isRepeatable);
  };
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => isUsed(name)));
}
