import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  LIMITS,
  Nullable,
  ordered,
  Page,
  pageQuery,
  paginationExample,
  Strict,
} from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';
import type { Scope } from './scopes.ts';

export const REQUEST_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type RequestMethod = (typeof REQUEST_METHODS)[number];

export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

/** Not exported: the build of the portal takes an object with a method and a path for an endpoint. */
const LoggedRequest = Type.Object(
  {
    request_id: Type.String({
      description: '`X-Request-Id` of the answer.',
      examples: ['req_0f9d3c1f5e0b4a8f9c54f8f3a6f0d2b7'],
    }),
    at: DateTime('When it was answered, by the server’s clock.'),
    method: Type.String({ examples: ['GET'] }),
    route: Nullable(
      Type.String({
        description: 'The path of the operation; null if the path does not exist.',
        examples: ['/v1/contracts/{contract_id}'],
      }),
    ),
    path: Type.String({
      description: `Path and query as sent, the first ${LIMITS.loggedPathLength} characters. API keys and tokens in it are replaced.`,
      examples: ['/v1/contracts/con_01jhm3wa2fe5h8x2z6tdq9vn4m'],
    }),
    status: Type.Integer({ description: 'Status of the answer.', examples: [404] }),
    duration_ms: Type.Number({ description: 'Time until the answer was sent.', examples: [1.94] }),
    problem: Nullable(
      Type.String({
        description: 'Code of the problem; null if there was none.',
        examples: ['contract_not_found'],
      }),
    ),
    caller: Type.String({
      description: 'The key or user that sent it.',
      examples: ['key_01jhm3w0ave6p8mxk2r5t7zj4h'],
    }),
    caller_name: Nullable(Type.String({ description: 'Its name today.', examples: ['ERP system'] })),
    address: Type.String({ description: 'Network address of the client.', examples: ['203.0.113.7'] }),
    user_agent: Nullable(
      Type.String({
        description: `\`User-Agent\`, the first ${LIMITS.userAgentLength} characters.`,
        examples: ['saldo-sdk/0.1.0'],
      }),
    ),
  },
  { title: 'LoggedRequest' },
);
export type LoggedRequest = Static<typeof LoggedRequest>;

const requestQuery = Strict(
  {
    caller: Type.Optional(
      Type.String({
        maxLength: LIMITS.searchLength,
        description: 'Only requests of this key or user.',
        examples: ['key_01jhm3w0ave6p8mxk2r5t7zj4h'],
      }),
    ),
    status_class: Type.Optional(
      Choice(STATUS_CLASSES, { description: 'Only answers of this class of status.', examples: ['4xx'] }),
    ),
    method: Type.Optional(
      Choice(REQUEST_METHODS, { description: 'Only requests with this method.', examples: ['POST'] }),
    ),
    route: Type.Optional(
      Type.String({
        maxLength: LIMITS.searchLength,
        description: 'Only requests of this `route`.',
        examples: ['/v1/contracts/{contract_id}'],
      }),
    ),
    since: Type.Optional(DateTime('Only requests at this time or later.')),
    until: Type.Optional(DateTime('Only requests before this time.', '2026-01-16T14:00:00Z')),
    ...pageQuery,
  },
  ordered(['since', 'until']),
);

const example: LoggedRequest = {
  request_id: 'req_0f9d3c1f5e0b4a8f9c54f8f3a6f0d2b7',
  at: '2026-01-15T14:00:00.120Z',
  method: 'GET',
  route: '/v1/contracts/{contract_id}',
  path: '/v1/contracts/con_01jhm3wa2fe5h8x2z6tdq9vn4m',
  status: 404,
  duration_ms: 1.94,
  problem: 'contract_not_found',
  caller: 'key_01jhm3w0ave6p8mxk2r5t7zj4h',
  caller_name: 'ERP system',
  address: '203.0.113.7',
  user_agent: 'saldo-sdk/0.1.0',
};

const list = <const Path extends string>(path: Path, scopes: readonly Scope[]) =>
  endpoint({
    scopes,
    method: 'GET',
    path,
    summary: 'List requests',
    description:
      'The requests of your keys and users, newest first, those without a valid key excepted. A request is in the list a few seconds after its answer, and kept for 30 days or as the operator has set it. In a burst some may be missing.',
    query: requestQuery,
    response: Page('requests', LoggedRequest, 'LoggedRequestList'),
    example: { response: { requests: [example], pagination: paginationExample } },
  });

const get = <const Path extends string>(path: Path, scopes: readonly Scope[]) =>
  endpoint({
    scopes,
    method: 'GET',
    path,
    summary: 'Read a request',
    description:
      'One request by its `X-Request-Id`; the newest one of several with an id that the client has chosen.',
    response: LoggedRequest,
    problems: ['request_not_found'],
    example: { response: example },
  });

const tag = 'Requests';
export const requestEndpoints = endpoints(tag, {
  listRequests: list('/v1/requests', ['requests:read']),
  getRequest: get('/v1/requests/{request_id}', ['requests:read']),
});
export const operatorRequestEndpoints = endpoints(tag, {
  operatorListRequests: list('/operator/v1/requests', ['requests:read']),
  operatorGetRequest: get('/operator/v1/requests/{request_id}', ['requests:read']),
});
/** For the page of all roles. */
export const portalRequestEndpoints = endpoints(tag, {
  listOwnRequests: { ...list('/portal/v1/requests', []), problems: ['invalid_session'] as const },
  getOwnRequest: {
    ...get('/portal/v1/requests/{request_id}', []),
    problems: ['invalid_session', 'request_not_found'] as const,
  },
});
