import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Endpoint } from '@saldo/api';
import type { Answer } from './harness.ts';

/**
 * Sends a request, a POST twice with the same `Idempotency-Key`. The second one is answered by the stored answer if and
 * only if the OpenAPI document lists the header. Returns the first answer.
 */
export async function sendRepeatedly(
  document: Answer,
  { id, method, path }: Endpoint,
  send: (headers: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  if (method !== 'POST') return send({});
  const headers = { 'idempotency-key': randomUUID() };
  const first = await send(headers);
  const second = await send(headers);
  const { parameters } = document.body.paths[path].post;
  const isListed = parameters.some(({ name }: { name: string }) => name === 'Idempotency-Key');
  assert.equal(second.headers.get('idempotent-replayed'), isListed ? 'true' : null, id);
  if (isListed) assert.deepEqual([second.status, second.text], [first.status, first.text], id);
  return first;
}
