import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { openDisk } from '../faults/disk.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { type Product, startProduct } from './product.ts';
import { until } from './until.ts';

const folder = await temporaryFolder();
const DATABASE_URL = await createDatabase();

/** Starts the product with its log in this file, which the child process keeps open. */
async function startWithLog(name: string, flags: string | number, environment = {}): Promise<Product> {
  const file = openSync(name, flags);
  try {
    const DATA_DIR = path.join(folder, `data-${path.basename(name)}`);
    const product = await startProduct(
      { DATA_DIR, DATABASE_URL, LOG_LEVEL: 'info', RATE_LIMIT: '1000000', ...environment },
      undefined,
      file,
    );
    atEnd(() => product.end('SIGKILL'));
    return product;
  } finally {
    closeSync(file);
  }
}

const get = async ({ baseUrl }: Product, query = '') =>
  (await fetch(`${baseUrl}/v1/contracts${query}`)).status;

async function droppedLines({ adminUrl }: Product): Promise<number> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  const samples = metrics.matchAll(/^saldo_log_lines_dropped_total(?:\{.*\})? (\d+)$/gm);
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Sends requests, each with a long line of the log, until some of the lines were dropped. */
async function untilDropped(product: Product): Promise<void> {
  await until(async () => {
    for (let count = 0; count < 20; count++) assert.equal(await get(product, `?${'x'.repeat(12_000)}`), 401);
    return (await droppedLines(product)) > 0;
  });
  assert.equal(await get(product), 401);
}

for (const workers of ['1', '2']) {
  test(`a log without space loses lines, but no request, and the server stops (${workers} processes)`, async (t) => {
    if (!existsSync('/dev/full')) return t.skip('this system has no /dev/full');
    const product = await startWithLog('/dev/full', 'w', { WORKERS: workers });
    await untilDropped(product);
    assert.equal(await product.end('SIGTERM'), 0);
  });
}

test('messages to people that cannot be written do not end the server', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('this system has no /dev/full');
  const product = await startWithLog('/dev/full', 'w', { DATA_DIR: path.join(folder, 'gone') });
  // The reader of standard output has ended: the message about the stop fails with EPIPE.
  product.child.stdout?.destroy();
  assert.equal(await get(product), 401);
  assert.equal(await product.end('SIGTERM'), 0);
});

test('a log whose reader has stopped reading loses lines, but no request, and the server stops', async (t) => {
  const pipe = path.join(folder, 'pipe');
  if (process.platform === 'win32') return t.skip('Windows has no such pipes');
  execFileSync('mkfifo', [pipe]);
  const product = await startWithLog(pipe, constants.O_RDWR);
  await untilDropped(product);
  assert.equal(await product.end('SIGTERM'), 0);
});

test('a log goes on when its file system has space again, and says how many lines are missing', async (t) => {
  const disk = await openDisk(path.join(folder, 'disk'), 16);
  atEnd(() => disk.unmount());
  if (!disk.canBeFilled) return t.skip('only root may mount a small file system');
  const file = path.join(disk.folder, 'log');
  const product = await startWithLog(file, 'a');
  disk.fill();
  await untilDropped(product);
  disk.free();
  const lines = await until(async () => {
    assert.equal(await get(product), 401);
    const text = await readFile(file, 'utf8');
    return text.includes('log lines') && text.endsWith('\n') ? text.trimEnd().split('\n') : null;
  });
  const [lost, ...others] = lines
    .filter((line) => line.includes('log lines'))
    .map((line) => JSON.parse(line));
  assert.deepEqual(others, []);
  assert.equal(lost.lines, await droppedLines(product));
  assert.equal(lost.msg, 'log lines could not be written (ENOSPC)');
  // At most the line in the middle of which the disk was full is incomplete.
  const incomplete = lines.filter((line) => !line.startsWith('{') || !line.endsWith('}'));
  assert.ok(incomplete.length <= 1, incomplete.join('\n'));
  assert.equal(await product.end('SIGTERM'), 0);
  assert.match(await readFile(file, 'utf8'), /"msg":"request"}\n$/);
});
