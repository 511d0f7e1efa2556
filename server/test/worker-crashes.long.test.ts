import assert from 'node:assert/strict';
import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { runProduct, startProduct } from './product.ts';
import { until } from './until.ts';

/** What follows when one of several workers is killed, cannot be started, or starts while the server stops. */

const settings = { DATA_DIR: await temporaryFolder(), DATABASE_URL: await createDatabase(), DEMO: 'off' };

async function startTwoWorkers() {
  const product = await startProduct({ ...settings, WORKERS: '2' });
  atEnd(() => product.end('SIGKILL'));
  /** The process ids of the workers that answer. */
  const workers = async () => {
    const metrics = await (await fetch(`${product.adminUrl}/metrics`)).text();
    return [...metrics.matchAll(/^process_start_time_seconds\{worker="(\d+)"\}/gm)].map(([, pid]) =>
      Number(pid),
    );
  };
  const bothWorkers = () => until(async () => [await workers()].find(({ length }) => length === 2));
  const [first, second] = (await bothWorkers()) as [number, number];
  return { ...product, first, second, bothWorkers };
}

async function childrenOf({ pid }: ChildProcess): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

/** A connection of its own that stays open. Its end may be a reset. */
function open(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) })
    .setEncoding('utf8')
    .on('error', () => {});
  const ask = (path: string) =>
    new Promise<void>((sent) =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`, () => sent()),
    );
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve('closed')));
  const next = () => Promise.race([new Promise<string>((resolve) => socket.once('data', resolve)), closed]);
  return { socket, ask, next, closed };
}

test('a worker that is killed while its metrics are asked for does not end the others', async () => {
  const product = await startTwoWorkers();
  // Two, because the first process passes connections to the workers in turn.
  const held = [open(product.baseUrl), open(product.baseUrl)];
  const admin = open(product.adminUrl);
  const answered = [...held, admin].map(({ next }) => next());
  await Promise.all([...held.map(({ ask }) => ask('/v1')), admin.ask('/healthz')]);
  await Promise.all(answered);
  // Reports follow what the workers say about their connections: the first process has closed its copies now.
  await product.bothWorkers();

  // The first process reads the request before it hears of the worker's end.
  product.child.kill('SIGSTOP');
  const answer = admin.next();
  await admin.ask('/metrics');
  process.kill(product.first, 'SIGKILL');
  await Promise.race(held.map(({ closed }) => closed));
  product.child.kill('SIGCONT');

  assert.match(await answer, /^HTTP\/1\.1 200 /);
  await until(() => product.log().includes('worker exited'));
  for (const { socket } of [...held, admin]) socket.destroy();
  assert.equal(await product.end('SIGTERM'), 0);
});

test('a worker that cannot be started is tried again, and the others continue', async () => {
  const product = await startTwoWorkers();
  const allowFiles = (soft: string) =>
    promisify(execFile)('prlimit', ['--pid', String(product.child.pid), `--nofile=${soft}:`]);
  await allowFiles('3');
  process.kill(product.first, 'SIGKILL');
  await until(() => product.log().includes('EMFILE'));
  await allowFiles('1024');
  assert.ok((await product.bothWorkers()).includes(product.second));
  assert.equal(await product.end('SIGTERM'), 0);
});

test('connections on their way to a worker that is killed end, and later ones are answered', async () => {
  const product = await startTwoWorkers();
  process.kill(product.first, 'SIGSTOP');
  const connections = Array.from({ length: 6 }, () => open(product.baseUrl));
  await Promise.all(connections.map(({ ask }) => ask('/v1')));
  const waiting = () => connections.filter(({ socket }) => socket.bytesRead === 0);
  // The other worker answers its half.
  await until(() => waiting().length === 3);
  const unanswered = waiting();
  process.kill(product.first, 'SIGKILL');
  await Promise.all(unanswered.map(({ closed }) => closed));

  await product.bothWorkers();
  for (let request = 0; request < 20; request++) {
    const { status } = await fetch(`${product.baseUrl}/v1`, { headers: { connection: 'close' } });
    assert.equal(status, 200);
  }
  for (const { socket } of connections) socket.destroy();
  assert.equal(await product.end('SIGTERM'), 0);
});

test('a stop while a worker is replaced waits for the new one and ends it', async () => {
  const product = await startTwoWorkers();
  const known = await childrenOf(product.child);
  process.kill(product.first, 'SIGKILL');
  await until(async () => (await childrenOf(product.child)).some((child) => !known.includes(child)));
  assert.equal(await product.end('SIGTERM'), 0);
});

test('a worker that is killed during the first start ends the start, which says so', async () => {
  const { child, log } = runProduct({ ...settings, WORKERS: '3' });
  const closed = once(child, 'close');
  const [, , third] = await until(async () => [await childrenOf(child)].find(({ length }) => length === 3));
  process.kill(Number(third), 'SIGKILL');
  assert.deepEqual(await closed, [1, null]);
  assert.equal(log(), 'Saldo cannot start: A worker was ended by SIGKILL while it started.\n');
});
