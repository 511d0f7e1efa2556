import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../test/clean-up.ts';
import { readConfig } from '../start/config.ts';
import { checkListeners } from './machine.ts';

const folder = await temporaryFolder();

/** The configuration of a platform whose first port belongs to a stand-in. */
async function configOf(t: TestContext, listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const PORT = String((server.address() as AddressInfo).port);
  return readConfig({ DATA_DIR: folder, PORT, CUSTOMER_PORT: '0', ADMIN_PORT: '0' });
}

test('a platform with a slow answer is recognised, and the time of the answer is no offset of its clock', async (t) => {
  let now = Date.parse('2026-10-20T08:00:00Z');
  let readings = 0;
  let response: ServerResponse | undefined;
  const config = await configOf(t, (_, answer) => {
    now += 20_000;
    response = answer;
    answer.setHeader('date', new Date(now).toUTCString()).flushHeaders();
  });
  const clock = () => {
    // The body follows only after the reading that belongs to the headers.
    if (++readings === 2)
      setImmediate(() => {
        now += 60_000;
        response?.end('{"info": {"title": "Saldo BRP API"}}');
      });
    return now;
  };
  const [port, offset] = await checkListeners(config, { now: clock });
  assert.equal(port?.fact, `PORT: Saldo answers on 127.0.0.1:${config.port}.`);
  assert.deepEqual([offset?.name, offset?.status], ['clock', 'ok']);
});

test('a program that does not answer in time is not called another one', async (t) => {
  const config = await configOf(t, () => {});
  const [port] = await checkListeners(config, { answerWithinMs: 1 });
  assert.equal(port?.status, 'failed');
  assert.match(port?.fact ?? '', /is in use by a program that has not answered within 0\.001 s\.$/);
});
