import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { runCli } from '../../cli/src/run.ts';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { startTestPlatform } from './harness.ts';
import { answerStatus, appendEvent, startReceiver, webhookWorkerOf } from './webhook-receiver.ts';

const platform = await startTestPlatform({ environment: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
const { world } = platform;
const worker = webhookWorkerOf(platform);
const brp = await world.brp();
const owner = { type: 'brp', brpNo: brp.no } as const;
const folder = await temporaryFolder();

const as =
  (key: string, url = platform.baseUrl) =>
  (...args: string[]) =>
    runCommand(args, { folder, env: { SALDO_URL: url, SALDO_KEY: key } });
const saldo = as(brp.key);

async function succeeds(run: ReturnType<typeof saldo>): Promise<string> {
  const { code, out, err } = await run;
  assert.equal(code, 0, err);
  return out;
}
const json = async (...args: string[]) => JSON.parse(await succeeds(saldo(...args, '--json')));

test('an endpoint is created, tested, rotated, disabled, enabled and deleted', async () => {
  const receiver = await startReceiver(answerStatus(500, 'no'));
  const { url } = receiver;
  const made = await json('webhooks', 'create', url, '--types', 'customer.*', '--description', 'Test');
  assert.match(made.secret, /^whsec_/);
  assert.deepEqual([made.types, made.description], [['customer.*'], 'Test']);
  assert.match(
    await succeeds(saldo('webhooks', 'list')),
    new RegExp(`${made.id} +enabled .*customer\\.\\*.*${url}`),
  );
  const failed = await saldo('webhooks', 'test', made.id);
  assert.deepEqual([failed.code, /status_code +500/.test(failed.out)], [1, true], failed.err);
  receiver.answer(answerStatus(200));
  await succeeds(saldo('webhooks', 'test', made.id));
  assert.notEqual(await succeeds(saldo('webhooks', 'rotate', made.id, '--quiet')), `${made.secret}\n`);
  assert.equal((await json('webhooks', 'disable', made.id)).status, 'disabled');
  assert.match(await succeeds(saldo('webhooks', 'list')), new RegExp(`${made.id} +owner `));
  assert.equal((await json('webhooks', 'enable', made.id)).status, 'enabled');
  await succeeds(saldo('webhooks', 'delete', made.id));
  assert.deepEqual(await json('webhooks', 'list'), []);
});

test('deliveries are listed, retried and replayed', async () => {
  const receiver = await startReceiver(answerStatus(500, 'no'));
  const { id } = await json('webhooks', 'create', receiver.url);
  await appendEvent(platform, owner, 'cust_1');
  await appendEvent(platform, owner, 'cust_2');
  await worker.deliver();
  const rows = (await succeeds(saldo('webhooks', 'deliveries', id))).trimEnd().split('\n').slice(1);
  assert.equal(rows.length, 2);
  for (const row of rows)
    assert.match(row, /whd_\w+ .*evt_\w+ +customer\.updated +pending +1 +500 .*Status 500\./);
  assert.match((await saldo('webhooks', 'deliveries', id, '--state', 'failed')).err, /No deliveries match/);
  const [delivery] = await json('webhooks', 'deliveries', id, '--limit', '1');
  assert.equal(delivery.response, 'no');
  receiver.answer(answerStatus(204));
  await succeeds(saldo('webhooks', 'retry', id, delivery.id));
  await worker.deliver();
  assert.equal((await json('webhooks', 'deliveries', id, '--state', 'succeeded'))[0].id, delivery.id);
  const since = new Date(platform.clock.now() - 1).toISOString();
  assert.deepEqual(await json('webhooks', 'replay', id, '--after', since, '--types', 'customer.updated'), {
    deliveries: 2,
  });
  const unknown = await saldo('webhooks', 'replay', id, '--after', 'yesterday');
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /after +must be the id of an event, or a date-time/);
});

test('the commands work with the keys of operators and accounts too', async () => {
  for (const run of [as(await world.operatorKey()), as(await world.accountKey(), platform.customerUrl)]) {
    const out = await succeeds(run('webhooks', 'create', 'http://127.0.0.1:1/', '--quiet'));
    assert.match(out, /^whsec_/);
    assert.equal(JSON.parse(await succeeds(run('webhooks', 'list', '--json'))).length, 1);
  }
});

test('listen forwards signed events to a local address until it is interrupted', async () => {
  const receiver = await startReceiver((received, response) => {
    response.writeHead(JSON.parse(received.body).data.id === 'cust_b' ? 500 : 200).end();
  });
  const interrupt = new AbortController();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const read = async (stream: PassThrough) => (await stream.toArray()).join('');
  const [out, err] = [read(stdout), read(stderr)];
  await appendEvent(platform, owner, 'cust_before');
  const args = ['webhooks', 'listen', '--forward-to', receiver.url, '--types', 'customer.updated'];
  const running = runCli(args, '0.0.0', {
    stdout,
    stderr,
    stdin: Readable.from([]),
    env: { SALDO_URL: platform.baseUrl, SALDO_KEY: brp.key },
    cwd: folder,
    home: folder,
    checkout: new URL('../../', import.meta.url),
    signal: interrupt.signal,
  });
  // Events are forwarded once the first page of the feed was read: append until one arrives.
  const isRunning = { value: true };
  const appending = (async () => {
    while (isRunning.value && receiver.received.length === 0) await appendEvent(platform, owner, 'cust_a');
  })();
  await receiver.count(1);
  isRunning.value = false;
  await appending;
  await appendEvent(platform, owner, 'cust_c', 'customer.assigned');
  await appendEvent(platform, owner, 'cust_b');
  while (!receiver.received.some(({ body }) => JSON.parse(body).data.id === 'cust_b'))
    await receiver.count(receiver.received.length + 1);
  await appendEvent(platform, owner, 'cust_end');
  while (!receiver.received.some(({ body }) => JSON.parse(body).data.id === 'cust_end'))
    await receiver.count(receiver.received.length + 1);
  interrupt.abort();
  assert.equal(await running, 130);
  stdout.end();
  stderr.end();
  const [, secret = ''] = /signed with (whsec_\S+)/.exec(await err) ?? [];
  for (const { body, headers } of receiver.received)
    new Webhook(secret).verify(body, headers as Record<string, string>);
  const ids = receiver.received.map(({ body }) => JSON.parse(body).data.id);
  assert.deepEqual([ids.includes('cust_before'), ids.includes('cust_c')], [false, false]);
  assert.match(await out, /evt_\w+ +customer\.updated +200\n/);
  assert.match(await out, /evt_\w+ +customer\.updated +status 500\n/);
});

test('listen refuses an address that is not one', async () => {
  const { code, err } = await saldo('webhooks', 'listen', '--forward-to', 'localhost:3000');
  assert.deepEqual([code, /must be a URL/.test(err)], [2, true], err);
});
