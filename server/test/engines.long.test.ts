import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { addDays, dayOf, slotCount } from '@saldo/core/delivery-day.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { client, walk } from './harness.ts';
import { startProduct } from './product.ts';
import { createWorld, type WorldContract, type WorldCustomer } from './world.ts';

const WRITERS = 20;
const WRITES_EACH = 8;
const OPERATOR_KEY = 'operator-of-two-processes';

const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
const db = openDatabase(databaseUrl);
atEnd(() => db.close());

const environment = {
  DATABASE_URL: databaseUrl,
  DEMO: 'off',
  RATE_LIMIT: '1000000',
  LOG_LEVEL: 'error',
  SALDO_OPERATOR_KEY: OPERATOR_KEY,
};

/** A delivery day whose gates are all open, whenever the test runs. */
const DAY = addDays(dayOf(Date.now()), 10);
const SLOTS = slotCount(DAY);
const zeros = () => Array.from({ length: SLOTS }, () => 0);

test('two processes with twenty writers net exactly what was written, and nothing twice', async () => {
  const world = createWorld(db, { now: () => Date.now() });
  const brps = [await world.brp(), await world.brp(), await world.brp()];
  const parties: { eic: string; customer: WorldCustomer }[] = [];
  for (const brp of brps) {
    for (const tso of ['DE_AMPRION', 'DE_TENNET'] as const) {
      const group = await world.group(brp, [tso]);
      parties.push({ eic: group.eic, customer: await world.customer(brp, { group, tso }) });
    }
  }
  const contracts: (WorldContract & Side)[] = [];
  for (let index = 0; index < 24; index++) {
    const [seller, buyer] = [parties[index % 6], parties[(index * 5 + 1) % 6]];
    assert.ok(seller && buyer);
    const contract = await world.contract(seller.customer, buyer.customer, {
      first: '2020-01-01',
      last: '2099-12-31',
    });
    contracts.push({ ...contract, seller: seller.eic, buyer: buyer.eic });
  }
  const processes = [
    await startProduct({ ...environment, DATA_DIR: path.join(folder, 'one') }),
    await startProduct({ ...environment, DATA_DIR: path.join(folder, 'two') }),
  ];
  const latest = new Map<string, number[]>();
  let turn = 0;
  const write = async (writer: number) => {
    for (let count = 0; count < WRITES_EACH; count++) {
      // Each contract has one writer, so that its last write is known. Positions are shared by all.
      const contract = contracts[(writer + WRITERS * (count % 2)) % contracts.length];
      const at = processes[turn++ % processes.length];
      if (!contract || !at || writer + WRITERS * (count % 2) >= contracts.length) continue;
      const volumes = Array.from({ length: SLOTS }, (_, slot) => (writer * 31 + count * 17 + slot * 7) % 400);
      const answer = await client(at.baseUrl, OPERATOR_KEY).put(
        `/operator/v1/contracts/${contract.id}/days/${DAY}`,
        { volumes: volumes.map((kwh) => kwh / 1000) },
      );
      assert.equal(answer.status, 200, answer.text);
      latest.set(contract.id, volumes);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  await world.untilNetted();
  const expected = saldos(contracts, latest);
  const found = new Map<string, number[]>();
  for (const brp of brps) {
    const request = client(processes[0]?.baseUrl ?? '', brp.key);
    const nominations = await walk(request, '/v1/nominations?include_slots=true', 'nominations', 100);
    assertChains(nominations);
    for (const { eic, direction, status, slots } of nominations) {
      if (status === 'superseded') continue;
      const saldo = found.getOrInsertComputed(eic, zeros);
      for (const [at, { amount }] of slots.entries()) {
        saldo[at]! += Math.round(amount * 1000) * (direction === 'out' ? 1 : -1);
      }
    }
  }
  for (const { eic } of parties) {
    assert.deepEqual(found.get(eic) ?? zeros(), expected.get(eic) ?? zeros(), eic);
  }
  for (const product of processes) assert.equal(await product.end('SIGTERM'), 0);
});

type Side = { id: string; seller: string; buyer: string };

function saldos(contracts: readonly Side[], volumes: ReadonlyMap<string, number[]>): Map<string, number[]> {
  const saldo = new Map<string, number[]>();
  const add = (eic: string, at: number, kwh: number) => {
    saldo.getOrInsertComputed(eic, zeros)[at]! += kwh;
  };
  for (const { id, seller, buyer } of contracts) {
    for (const [at, kwh] of (volumes.get(id) ?? []).entries()) {
      if (seller === buyer) continue;
      add(seller, at, kwh);
      add(buyer, at, -kwh);
    }
  }
  return saldo;
}

type Version = {
  id: string;
  eic: string;
  direction: string;
  version: number;
  status: string;
  previous_nomination_id: string | null;
};

/** Invariant: versions are 1..n, each supersedes the one before, and only the last one is current. */
function assertChains(nominations: readonly Version[]): void {
  for (const chain of Map.groupBy(nominations, ({ eic, direction }) => `${eic} ${direction}`).values()) {
    const versions = chain.toSorted((one, other) => one.version - other.version);
    for (const [at, { version, status, previous_nomination_id }] of versions.entries()) {
      assert.equal(version, at + 1);
      assert.equal(previous_nomination_id, versions[at - 1]?.id ?? null);
      assert.equal(status === 'superseded', at < versions.length - 1);
    }
  }
}
