import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { openDisk } from '../faults/disk.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { client } from './harness.ts';
import { startProduct } from './product.ts';
import { until } from './until.ts';

const KEY = 'the-operator-key-of-the-full-disk';
const REFUSED_WRITES = 200;

for (const workers of ['1', '2']) {
  test(`a full disk of the database is one line of the log, and so is its end (${workers} processes)`, async (t) => {
    const disk = await openDisk(path.join(await temporaryFolder(), 'disk'), 256);
    atEnd(() => disk.unmount());
    if (!disk.canBeFilled) return t.skip('only root may mount a small file system');
    const product = await startProduct({
      DATA_DIR: path.join(disk.folder, 'data'),
      DEMO: 'off',
      SALDO_OPERATOR_KEY: KEY,
      LOG_LEVEL: 'info',
      WORKERS: workers,
      RATE_LIMIT: '1000000',
    });
    atEnd(() => product.end('SIGKILL'));
    const operator = client(product.baseUrl, KEY);
    const create = () => operator.post('/operator/v1/brps', { name: 'x'.repeat(200) });
    const readyz = async () => (await fetch(`${product.adminUrl}/readyz`)).text();
    assert.equal((await create()).status, 201);
    disk.fill();
    let refused = 0;
    await until(async () => {
      const { status } = await create();
      assert.ok(status === 201 || status === 503, String(status));
      if (status === 503) refused++;
      assert.equal((await operator('/operator/v1/brps')).status, 200, 'reads succeed');
      return refused === REFUSED_WRITES;
    });
    assert.match(await readyz(), /^ready for reads; writes fail: the disk of the database is full\n/);
    assert.match(await (await fetch(`${product.adminUrl}/metrics`)).text(), /^saldo_database_full\S* 1$/m);
    disk.free();
    await until(async () => (await readyz()) === 'ready\n');
    assert.equal((await create()).status, 201);
    const lines = () => product.log().match(/"msg":"database [^"]*"/g) ?? [];
    await until(() => lines().length >= 2);
    assert.equal(await product.end('SIGTERM'), 0);
    // Each process that writes has its own two lines.
    const begun = lines().filter((line) => line.includes('database disk is full'));
    const ended = lines().filter((line) => line.includes('database disk has space again'));
    assert.ok(begun.length >= 1 && begun.length <= Number(workers), lines().join('\n'));
    assert.deepEqual([lines().length, ended.length], [2 * begun.length, begun.length], lines().join('\n'));
  });
}
