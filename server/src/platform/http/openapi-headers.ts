import { type Endpoint, LIMITS } from '@saldo/api';
import { REQUEST_ID } from './request-id.ts';

type Json = Record<string, unknown>;

/** Headers of responses. */
export const HEADERS = {
  'X-RateLimit-Limit': {
    description: 'Maximum requests per window.',
    schema: { type: 'integer', minimum: 0 },
    example: 300,
  },
  'X-RateLimit-Remaining': {
    description: 'Remaining requests in the current window.',
    schema: { type: 'integer', minimum: 0 },
    example: 299,
  },
  'X-RateLimit-Reset': {
    description: 'Seconds until the window resets.',
    schema: { type: 'integer', minimum: 0 },
    example: 60,
  },
  'X-Request-Id': {
    description: 'Identifies this request, also in the server’s log. An id that you send is adopted.',
    schema: { type: 'string', pattern: REQUEST_ID.source },
    example: 'req_k3vT9mQx00042',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 0 },
    example: 17,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate: see the security scheme.',
    schema: { type: 'string', pattern: '^[A-Za-z]+$' },
    example: 'ApiKey',
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  Link: {
    description:
      'Addresses of the `first`, `prev`, `next` and `last` page of this version of the list, as far as they exist (RFC 8288).',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="[a-z]+"(, <[^>]+>; rel="[a-z]+")*$' },
    example: '<https://market.example/v1/assets?page=2&limit=10&listVersion=assets-1234>; rel="next"',
  },
  'X-Total-Count': {
    description: 'Number of records in the list.',
    schema: { type: 'integer', minimum: 0 },
    example: 1234,
  },
  'X-List-Version': {
    description:
      'The version of the list. Send it with the requests for other pages to read them from the same version.',
    schema: { type: 'string', pattern: '^(assets|demands)-\\d{1,10}$' },
    example: 'assets-1234',
  },
  'X-Saldo-As-Of': {
    description: 'The instant of the records of the file, in milliseconds.',
    schema: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' },
    example: '2026-01-14T14:25:00.000Z',
  },
  'X-Saldo-Export-Id': {
    description: 'The id of the export, for its manifest.',
    schema: { type: 'string', pattern: '^[\\w-]+\\.[\\w-]{16}$' },
    example: 'WyJub21pbmF0aW9ucyIsImNzdiIsMTc2ODQwMDcwMDAwMCwie30iXQ.Zm9vYmFyYmF6cXV4',
  },
  ETag: {
    description: 'Identifies the current state of the record, for `If-None-Match` and `If-Match`.',
    schema: { type: 'string', pattern: '^"[\\w-]{22}"$' },
    example: '"oRd50i9FLdoiRReOxvrUWg"',
  },
};
export type HeaderName = keyof typeof HEADERS;
export const PAGE_HEADERS: readonly HeaderName[] = ['Link', 'X-Total-Count', 'X-List-Version'];
/** Of a file. A sandbox whose clock was moved back sends neither. */
export const EXPORT_HEADERS: readonly HeaderName[] = ['X-Saldo-As-Of', 'X-Saldo-Export-Id'];
export const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

export const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Any text that you choose, best a UUID. A request repeated with the same key within 24 hours is not applied again and gets the same answer, also with another API key of the same owner.',
  // Header values are printable, and spaces at their ends are not part of them.
  schema: { type: 'string', maxLength: LIMITS.idempotencyKeyLength, pattern: '^[!-~]([ -~]*[!-~])?$' },
  example: '8a1f6e0c-5d0b-4c39-9b7e-2f4f4e6d7c11',
};

export function listVersion({ path }: Endpoint): Json {
  const list = path.slice(path.lastIndexOf('/') + 1);
  return {
    name: 'X-List-Version',
    in: 'header',
    required: false,
    description: 'Reads the list as of this version, which an earlier answer has returned.',
    schema: { type: 'string', pattern: `^${list}-\\d{1,10}$` },
    example: `${list}-1234`,
  };
}

const ENTITY_TAGS = '^(\\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$';

const entityTags = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', pattern: ENTITY_TAGS },
  example: HEADERS.ETag.example,
});

/** A read with an `ETag` may be answered by 304. An operation that may be answered by 412 is so because of `If-Match`. */
export function conditionalParameters({ method, conditional, problems }: Endpoint): Json[] {
  if (method === 'GET') {
    const description = 'Answers 304 without a body if the record still has this `ETag`.';
    return conditional ? [entityTags('If-None-Match', description)] : [];
  }
  const description = 'Accepts the request only if the record still has this `ETag`, else 412.';
  return problems.includes('precondition_failed') ? [entityTags('If-Match', description)] : [];
}
