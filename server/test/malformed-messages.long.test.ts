import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { client, startTestPlatform } from './harness.ts';
import { until } from './until.ts';
import { createWorld } from './world.ts';

/** A pooler whose server fails in the middle of a row: the client gets the beginning of the row, and then an error. */
const databaseUrl = await createDatabase();
const { host, port, user, password, database: name } = new pg.Client({ connectionString: databaseUrl });
let broken = 0;
let rowsToBreak = 0;
const pooler = createServer((near) => {
  const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  near.pipe(far);
  far.on('data', (chunk: Buffer) => near.write(rowsToBreak > 0 ? breakFirstRow(chunk) : chunk));
  far.on('close', () => near.destroy());
  for (const socket of [near, far]) socket.on('error', () => socket.destroy());
});
pooler.listen(0, '127.0.0.1');
await once(pooler, 'listening');

const ERROR = Buffer.from('E\0\0\0\x2aSFATAL\0VFATAL\0C08P01\0Mserver conn crashed\0\0', 'latin1');
const ROW = 'D'.charCodeAt(0);
/** The type, the length and the number of columns. */
const ROW_HEADER_BYTES = 7;

/** A chunk begins with a message, and each message with its type and the length of the rest. */
function breakFirstRow(chunk: Buffer): Buffer {
  for (let at = 0; at < chunk.length; at += 1 + chunk.readInt32BE(at + 1)) {
    if (chunk[at] !== ROW) continue;
    rowsToBreak--;
    broken++;
    return Buffer.concat([chunk.subarray(0, at + ROW_HEADER_BYTES), ...Array<Buffer>(20).fill(ERROR)]);
  }
  return chunk;
}

atEnd(() => pooler.close());
const { port: poolerPort } = pooler.address() as AddressInfo;
const url = `postgres://${user}:${encodeURIComponent(password ?? '')}@127.0.0.1:${poolerPort}/${name}?sslmode=disable`;
const { baseUrl, clock } = await startTestPlatform({ environment: { DATABASE_URL: url } });
const db = openDatabase(databaseUrl);
const world = createWorld(db, clock);
const brp = await world.brp();
const customer = await world.customer(brp);
atEnd(() => db.close());

test('a message that makes no sense breaks the connection, not the process', async () => {
  const ask = client(baseUrl, brp.key);
  const path = `/v1/customers/${customer.id}`;
  assert.equal((await ask(path)).status, 200);
  for (const request of [() => ask(path), () => ask('/v1/customers?limit=5')]) {
    const before = broken;
    rowsToBreak = 1;
    // The read is repeated on another connection.
    assert.equal((await request()).status, 200);
    assert.equal(broken, before + 1);
  }
  const change = (value: string) => ask.patch(path, { metadata: { value } });
  // A read of the platform itself may get the broken row.
  await until(async () => {
    rowsToBreak = 1;
    const { status } = await change('1');
    assert.ok(status === 200 || status === 503, String(status));
    return status === 503;
  });
  rowsToBreak = 0;
  assert.equal((await change('2')).status, 200);
  assert.equal((await ask(path)).body.metadata.value, '2');
});
