import type { FastifyRequest } from 'fastify';
import type { Metrics } from '../telemetry/metrics.ts';

/**
 * What a refusal with 401 or 429 is about: a key, a session, a sign-in, or an address. The last is that of a valid key that
 * must not be used from there, or that of too many failed attempts.
 */
const KINDS = ['key', 'session', 'sign_in', 'address'] as const;
export type RefusalKind = (typeof KINDS)[number];

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for a request that was refused before its caller was known. */
    refusedFor: RefusalKind | null;
  }
}

function kindOf({ refusedFor, principal }: FastifyRequest): RefusalKind {
  if (refusedFor !== null) return refusedFor;
  if (principal === null || principal.owner === null) return 'sign_in';
  return principal.session === null ? 'key' : 'session';
}

/** Counts an answer if it is a refusal. */
export type CountRefusal = (request: FastifyRequest, status: number) => void;

export function refusalCounter(metrics: Metrics): CountRefusal {
  const of = (status: '401' | '429') => KINDS.map((kind) => ({ status, kind }));
  const increment = metrics.addCounts(
    'saldo_http_refusals_total',
    'Requests refused with 401 or 429, by what the refusal is about.',
    [...of('401'), ...of('429')],
  );
  return (request, status) => {
    if (status !== 401 && status !== 429) return;
    increment({ status: status === 401 ? '401' : '429', kind: kindOf(request) });
  };
}
