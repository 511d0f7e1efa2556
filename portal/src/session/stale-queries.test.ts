import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_TYPE_NAMES } from '@saldo/api';
import { staleQueries } from './stale-queries.ts';

test('every type of event makes some queries stale, and not all of them', () => {
  for (const type of EVENT_TYPE_NAMES) {
    const keys = staleQueries([type]);
    assert.ok(keys !== null && keys.size > 1, type);
  }
});

test('the queries of several changes are joined', () => {
  const keys = staleQueries(['contract.updated', 'demand.published']);
  assert.ok(['contract', 'contracts', 'demands', 'webhook-deliveries'].every((key) => keys?.has(key)));
  assert.ok(!keys?.has('nominations'));
});

test('an unknown change makes all queries stale', () => {
  assert.equal(staleQueries(['contract.updated', '*']), null);
  assert.equal(staleQueries(['settlement.created']), null);
});
