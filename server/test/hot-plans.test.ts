import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { hotConfig } from '../src/platform/db/connection.ts';
import { type HotStatement, knownHotStatements } from '../src/platform/db/statement.ts';
import { explain, nodesOf } from './explain.ts';
import { client, startTestPlatform } from './harness.ts';

/** Hot statements share connections, so each must be fast on a platform of any size. */
const platform = await startTestPlatform();
const { world } = platform;
const { seller, sellerGroup, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const session = new pg.Client(hotConfig(platform.databaseUrl));
await session.connect();

const parametersOf = ({ text }: HotStatement) =>
  Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));

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
    const values = Array.from({ length: parametersOf(statement) }, () => null);
    const plan = await explain(session, { statement, values });
    for (const node of nodesOf(plan)) {
      const relation = node['Relation Name'];
      if (relation === undefined || TINY_TABLES.includes(String(relation))) continue;
      const what = `${statement.name}: ${JSON.stringify(plan, null, 1)}`;
      assert.match(String(node['Node Type']), /^Index (Only )?Scan$/, what);
      assert.ok(node['Index Cond'], what);
    }
  }
});
