import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, problem, standIn } from '../test/stand-in.ts';
import { createBrpClient } from './brp.ts';
import { isProblem } from './problem.ts';

const event = (id: string) => ({ id, type: 'contract.created' });
const page = (ids: string[], cursor: string, hasMore = false) =>
  json({
    events: ids.map(event),
    pagination: { limit: 100, has_more: hasMore, next_cursor: cursor },
  });
const unreachable = () => new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });

/** The first events, and the requests that they took. */
async function first(count: number, followed: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of followed) if (ids.push(id) === count) break;
  return ids;
}

test('following reads page by page from the place of the last one, and waits in the server', async () => {
  const { options, requests, waits } = standIn(
    page(['a', 'b'], 'c1', true),
    page([], 'c2'),
    page(['c'], 'c3'),
  );
  const { events } = createBrpClient(options);
  const types = ['contract.*', 'nomination.sent'] as const;
  assert.deepEqual(await first(3, events.follow({ types: [...types], after: 'evt_0' })), ['a', 'b', 'c']);
  assert.deepEqual(
    requests.map(({ url }) => new URL(url, options.baseUrl).searchParams.get('after')),
    ['evt_0', 'c1', 'c2'],
  );
  for (const { url } of requests)
    assert.match(url, /^\/v1\/events\?.*types=contract\.\*(%2C|,)nomination\.sent.*limit=100&wait=25/);
  assert.deepEqual(waits, []);
});

test('without a place it begins with the oldest event', async () => {
  const { options, requests } = standIn(page(['a'], 'c1'));
  assert.deepEqual(await first(1, createBrpClient(options).events.follow()), ['a']);
  assert.equal(requests[0]?.url, '/v1/events?limit=100&wait=25');
});

test('failures of any number are waited for, and no event is missed or repeated', async () => {
  const failures = Array.from({ length: 20 }, (_, at) =>
    at % 2 ? unreachable() : problem(503, 'unavailable'),
  );
  const { options, requests, waits } = standIn(page(['a'], 'c1'), ...failures, page(['b'], 'c2'));
  assert.deepEqual(await first(2, createBrpClient(options).events.follow()), ['a', 'b']);
  assert.equal(requests.length, 22);
  assert.equal(waits.length, 20);
  assert.ok(Math.max(...waits) <= 30_000);
  for (const { url } of requests.slice(1)) assert.match(url, /after=c1/);
});

test('an error that a retry cannot cure ends the iteration', async () => {
  for (const [status, code] of [
    [401, 'invalid_api_key'],
    [410, 'events_expired'],
  ] as const) {
    const { options } = standIn(page(['a'], 'c1'), problem(status, code));
    await assert.rejects(first(2, createBrpClient(options).events.follow()), (error) =>
      isProblem(error, code),
    );
  }
});

test('an abort ends the iteration without an error', async () => {
  const leaving = new AbortController();
  const { options } = standIn(page(['a'], 'c1'), (_, signal) => {
    const answer = Promise.withResolvers<Response>();
    signal.addEventListener('abort', () => answer.reject(signal.reason as Error));
    leaving.abort();
    return answer.promise;
  });
  const { events } = createBrpClient(options);
  assert.deepEqual(await first(9, events.follow({ signal: leaving.signal })), ['a']);
});
