import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { RequestQueue } from './request-queue.ts';

type TestQueue = RequestQueue<null, EventEmitter>;

const RULE = { atOnce: 2, maxWaiting: 3, maxWaitMs: 1000 };

function queueWith(t: {
  mock: { timers: { enable(options: { apis: ['setTimeout'] }): void; tick(ms: number): void } };
}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 5000.25;
  const queue: TestQueue = new RequestQueue(RULE, () => now);
  return {
    queue,
    pass: (ms: number) => {
      now += ms;
      t.mock.timers.tick(ms);
    },
  };
}

/** A request whose response ends, or whose client disconnects, on demand. */
function enter(queue: TestQueue) {
  const response = new EventEmitter();
  const entered = { response, state: 'waiting' as string, close: () => response.emit('close') };
  queue.enter(null, response, {
    start() {
      entered.state = 'started';
    },
    reject(_request, _response, waitedMs) {
      entered.state = `rejected after ${waitedMs} ms`;
    },
  });
  return entered;
}

const statesOf = (entered: readonly { state: string }[]) => entered.map(({ state }) => state);

test('at most the limit of requests is processed, and the others follow in order of arrival', (t) => {
  const { queue } = queueWith(t);
  const all = Array.from({ length: 4 }, () => enter(queue));
  assert.deepEqual(statesOf(all), ['started', 'started', 'waiting', 'waiting']);
  assert.deepEqual([queue.inWork, queue.inQueue], [2, 2]);
  all[1]?.close();
  assert.deepEqual(statesOf(all), ['started', 'started', 'started', 'waiting']);
  all[0]?.close();
  assert.deepEqual(statesOf(all), ['started', 'started', 'started', 'started']);
  all[2]?.close();
  all[3]?.close();
  assert.deepEqual([queue.inWork, queue.inQueue], [0, 0]);
});

test('each request is rejected when its own maximum wait has passed', (t) => {
  const { queue, pass } = queueWith(t);
  const busy = [enter(queue), enter(queue)];
  const first = enter(queue);
  pass(400);
  const second = enter(queue);
  pass(599);
  assert.deepEqual(statesOf([first, second]), ['waiting', 'waiting']);
  pass(1);
  assert.deepEqual(statesOf([first, second]), ['rejected after 1000 ms', 'waiting']);
  pass(399);
  assert.equal(second.state, 'waiting');
  pass(1);
  assert.equal(second.state, 'rejected after 1000 ms');
  const third = enter(queue);
  busy[0]?.close();
  assert.equal(third.state, 'started', 'a rejected request is not counted');
  pass(5000);
  assert.deepEqual([queue.inWork, queue.inQueue], [2, 0]);
});

test('a request beyond the queue length is rejected at once', (t) => {
  const { queue } = queueWith(t);
  const all = Array.from({ length: 7 }, () => enter(queue));
  assert.deepEqual(statesOf(all.slice(0, 5)), ['started', 'started', 'waiting', 'waiting', 'waiting']);
  assert.deepEqual(statesOf(all.slice(5)), ['rejected after 0 ms', 'rejected after 0 ms']);
});

test('a client that disconnects while waiting leaves the queue and is never processed', (t) => {
  const { queue } = queueWith(t);
  const all = Array.from({ length: 4 }, () => enter(queue));
  all[2]?.close();
  assert.equal(queue.inQueue, 1);
  all[0]?.close();
  assert.deepEqual(statesOf(all), ['started', 'started', 'waiting', 'started']);
});

test('an aborted request frees its slot exactly once', (t) => {
  const { queue } = queueWith(t);
  const [streamed, other, third, fourth] = Array.from({ length: 4 }, () => enter(queue));
  queue.leave(streamed!.response);
  assert.deepEqual(statesOf([third!, fourth!]), ['started', 'waiting']);
  streamed!.close();
  assert.deepEqual(statesOf([third!, fourth!]), ['started', 'waiting']);
  other!.close();
  assert.equal(fourth!.state, 'started');
});
