import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Endpoint } from '@saldo/api';
import type { Answer } from './harness.ts';

const STALE = { 'if-match': '"stale"' };

/**
 * Sends a request, a POST twice with the same `Idempotency-Key`. The second one is answered by the stored answer if and
 * only if the OpenAPI document lists the header. A change with an outdated `If-Match` is rejected if and only if the
 * document lists that header. Returns the first answer of the change itself.
 */
export async function sendRepeatedly(
  document: Answer,
  { id, method, path }: Endpoint,
  send: (headers: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  if (method === 'GET') return send({});
  const { parameters, responses } = document.body.paths[path][method.toLowerCase()];
  const isListed = (header: string) => parameters.some(({ name }: { name: string }) => name === header);
  assert.equal('412' in responses, isListed('If-Match'), id);
  if (isListed('If-Match')) assert.equal((await send(STALE)).status, 412, id);
  const ignored = isListed('If-Match') ? {} : STALE;
  if (method !== 'POST') return send(ignored);
  const headers = { ...ignored, 'idempotency-key': randomUUID() };
  const first = await send(headers);
  const second = await send(headers);
  const isReplayed = isListed('Idempotency-Key');
  assert.equal(second.headers.get('idempotent-replayed'), isReplayed ? 'true' : null, id);
  if (isReplayed) assert.deepEqual([second.status, second.text], [first.status, first.text], id);
  return first;
}
