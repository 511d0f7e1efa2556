import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { hotConfig } from '../src/platform/db/connection.ts';
import { type HotStatement, knownHotStatements } from '../src/platform/db/statement.ts';
import { client, startTestPlatform } from './harness.ts';
import { createWorld } from './world.ts';

/** Hot statements share connections, so each must be fast on a platform of any size. */
const platform = await startTestPlatform();
const world = createWorld(platform.db, platform.clock);
const { seller, sellerGroup, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const session = new pg.Client(hotConfig(platform.databaseUrl));
await session.connect();

type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Index Cond'?: string; Plans?: Plan[] };

async function explain({ name, text }: HotStatement): Promise<Plan> {
  const parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  await session.query(`prepare ${name} as ${text}`);
  const values = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'null').join(', ')})`;
  const { rows } = await session.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (format json) execute ${name}${values}`,
  );
  return rows[0]!['QUERY PLAN'][0].Plan;
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** One row per market list. */
const TINY_TABLES = ['market_list'];

test('every hot statement reads its tables by an index condition alone', async (t) => {
  t.after(() => session.end());
  // The statements of transaction lists are created when their filters are first used.
  const request = client(platform.baseUrl, seller.key);
  for (const status of ['', 'status=invalid&', 'status=superseded&']) {
    for (const party of ['', `sender_eic=${sellerGroup.eic}&`, `receiver_eic=${sellerGroup.eic}&`]) {
      for (const contractId of ['', `contract_id=${contract.id}&`]) {
        assert.equal((await request(`/v1/transactions?${status}${party}${contractId}limit=1`)).status, 200);
      }
    }
  }
  const statements = knownHotStatements();
  assert.ok(statements.length > 30, `only ${statements.length} are known`);
  for (const statement of statements) {
    const plan = await explain(statement);
    for (const node of nodesOf(plan)) {
      const relation = node['Relation Name'];
      if (relation === undefined || TINY_TABLES.includes(relation)) continue;
      const what = `${statement.name}: ${JSON.stringify(plan, null, 1)}`;
      assert.match(node['Node Type'], /^Index (Only )?Scan$/, what);
      assert.ok(node['Index Cond'], what);
    }
  }
});
