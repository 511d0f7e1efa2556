import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDemoFolder } from './demo-folder.ts';
import { client } from './harness.ts';
import { type Product, startProduct } from './product.ts';

const folder = await temporaryFolder();
let product: Product | null = null;
atEnd(() => product?.end('SIGTERM'));

const KILLS = 10;
const WRITES_BEFORE_KILL = 25;

/** Writes until the server dies. Returns every acknowledged value, in order. */
async function writeUntilDead(
  product: Product,
  key: string,
  customerId: string,
  round: number,
): Promise<string[]> {
  const request = client(product.baseUrl, key);
  const acknowledged: string[] = [];
  for (let count = 0; ; count++) {
    const value = `${round}-${count}`;
    const body = { metadata: { last_write: value } };
    // A broken connection ends the loop: an unacknowledged write may or may not have been applied.
    const answer = await request.patch(`/v1/customers/${customerId}`, body).catch(() => null);
    if (answer === null) return acknowledged;
    assert.equal(answer.status, 200, answer.text);
    acknowledged.push(value);
    // Not awaited, so that the next writes run into the kill.
    if (count === WRITES_BEFORE_KILL) product.child.kill('SIGKILL');
  }
}

test('after each of ten kills during writes, every acknowledged write is stored', async () => {
  const environment = { DATA_DIR: path.join(folder, 'data'), RATE_LIMIT: '1000000' };
  await createDemoFolder(environment.DATA_DIR);
  product = await startProduct(environment);
  const [brp] = (await product.demo()).brps;
  assert.ok(brp);
  const [customer] = (await client(product.baseUrl, brp.api_key)('/v1/customers?limit=1')).body.customers;
  for (let round = 1; round <= KILLS; round++) {
    const { child } = product;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const acknowledged = await writeUntilDead(product, brp.api_key, customer.id, round);
    await exited;
    product = await startProduct(environment);
    const { body } = await client(product.baseUrl, brp.api_key)(`/v1/customers/${customer.id}`);
    const found = body.metadata.last_write as string;
    const last = acknowledged.at(-1) ?? '';
    // The write in flight may have been committed without its response having arrived.
    const [foundRound, foundCount] = found.split('-').map(Number);
    const [lastRound, lastCount] = last.split('-').map(Number);
    assert.equal(foundRound, lastRound, `round ${round}`);
    assert.ok((foundCount ?? 0) >= (lastCount ?? 0), `${found} was found, ${last} was acknowledged`);
  }
  assert.equal(await product.end('SIGTERM'), 0);
});
