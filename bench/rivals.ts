/** Compares transaction pages with implementations that use common frameworks: see rivals/ beside this file. */
import assert from 'node:assert/strict';
import type { Target } from './connection.ts';
import { GOALS } from './goals.ts';
import { comparisonRow, count, digits, type Row, valueRow } from './measure.ts';
import { makeRows } from './rivals/rows.ts';
import type { Run } from './run.ts';
import { type BenchServer, bodyOf } from './servers.ts';
import { PAGES } from './targets.ts';
import { createWorld, loadVolumes } from './world.ts';

/** Number of requests of each kind, with the page after it, before the measurement. */
const CHECKED = 25;

type Transaction = Record<string, unknown>;
type Page = { transactions: Transaction[]; hasMore: boolean; cursor: string | null };

/** How to request a page from an alternative and how to parse its response. */
type Dialect = { ask(target: Target, after: string | null): Target; read(body: Buffer): Page };

const REST: Dialect = {
  ask: (target, after) =>
    after === null ? target : { ...target, path: `${target.path}&after=${encodeURIComponent(after)}` },
  read(body) {
    const { transactions, pagination } = JSON.parse(body.toString());
    return { transactions, hasMore: pagination.has_more, cursor: pagination.next_cursor };
  },
};

const FIELDS = `pageInfo { hasNextPage endCursor } nodes { rowId status version previousId deliveryStart deliveryEnd slot
  volumeKwh createdAt contractByContractNo { rowId senderEic senderTso receiverEic receiverTso assetId } }`;
const QUERIES = {
  contract: `query Page($brp: Int!, $contract: String!, $after: Cursor) {
    page: quarterHoursOfContract(brp: $brp, contract: $contract, first: 100, after: $after, orderBy: PRIMARY_KEY_ASC) {
      ${FIELDS} } }`,
  day: `query Page($brp: Int!, $day: Date!, $after: Cursor) {
    page: quarterHoursOfDay(
      brp: $brp, day: $day, first: 100, after: $after, orderBy: [CONTRACT_NO_ASC, SLOT_ASC, VERSION_ASC]) {
      ${FIELDS} } }`,
};

const GRAPHQL: Dialect = {
  ask({ path, headers }, after) {
    const url = new URL(path, 'http://bench');
    const day = url.searchParams.get('delivery_date');
    const of = day === null ? { contract: url.pathname.split('/')[3] } : { day };
    const variables = { brp: Number(headers['x-brp-no']), ...of, after };
    const query = day === null ? QUERIES.contract : QUERIES.day;
    return { path: '/graphql', headers: {}, body: JSON.stringify({ query, variables }) };
  },
  read(body) {
    const { data, errors } = JSON.parse(body.toString());
    if (errors !== undefined) throw new Error(`PostGraphile answered ${JSON.stringify(errors)}`);
    const { pageInfo, nodes } = data.page;
    const cursor = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    return { transactions: nodes.map(transactionOf), hasMore: pageInfo.hasNextPage, cursor };
  },
};

const instant = (text: string) => `${new Date(text).toISOString().slice(0, 19)}Z`;

type Node = Record<string, string | number | null> & {
  deliveryStart: string;
  deliveryEnd: string;
  createdAt: string;
  volumeKwh: number;
  contractByContractNo: Record<string, string | null>;
};

/** The same record with the names of the specification; a generated API has its own names. */
function transactionOf({ contractByContractNo: contract, ...node }: Node): Transaction {
  return {
    id: node['rowId'],
    type: 'ppa',
    contract_id: contract['rowId'],
    status: node['status'],
    version: node['version'],
    previous_transaction_id: node['previousId'],
    sender: { eic: contract['senderEic'], asset_id: contract['assetId'], tso: contract['senderTso'] },
    receiver: { eic: contract['receiverEic'], tso: contract['receiverTso'] },
    delivery_start: instant(node.deliveryStart),
    delivery_end: instant(node.deliveryEnd),
    slot_number: node['slot'],
    volume: node.volumeKwh / 1000,
    created_at: instant(node.createdAt),
  };
}

const RIVALS = {
  'Fastify and Drizzle': { script: 'fastify-drizzle.ts', dialect: REST, goal: GOALS.fastifyWithOrm },
  PostGraphile: { script: 'postgraphile.ts', dialect: GRAPHQL, goal: GOALS.postGraphile },
};

/** The first two pages of each list must have the same records in the same order as the product's. */
async function assertSameRecords(
  product: BenchServer,
  rival: BenchServer,
  dialect: Dialect,
  targets: readonly Target[],
): Promise<void> {
  for (const target of targets.slice(0, CHECKED)) {
    let [own, other]: [string | null, string | null] = [null, null];
    for (let page = 1; page <= 2; page++) {
      const expected = REST.read(await bodyOf(product.port, REST.ask(target, own)));
      const found = dialect.read(await bodyOf(rival.port, dialect.ask(target, other)));
      assert.deepEqual(
        found.transactions,
        expected.transactions,
        `${rival.name}, ${target.path}, page ${page}`,
      );
      assert.equal(
        found.hasMore,
        expected.hasMore,
        `${rival.name}, ${target.path}: has_more of page ${page}`,
      );
      if (!expected.hasMore) break;
      [own, other] = [expected.cursor, found.cursor];
    }
  }
}

/** A separate dataset that has all transactions twice: as sheets and as rows. */
export async function* measureRivals({ sizes, databases, processes, bench }: Run): AsyncGenerator<Row> {
  const url = await databases.create('rivals');
  const world = await createWorld(url, sizes.rivals);
  const sheets = await loadVolumes(world);
  const rows = await makeRows(url, world.days);
  assert.equal(rows.rows, sheets.transactions, 'there is a row for each transaction');
  const [bytes, loaded] = [
    digits(1, 'bytes'),
    (seconds: number) => `${count(rows.rows / seconds)}/s by COPY`,
  ];
  const otherDesign = `a row per quarter-hour: ${bytes(rows.bytes / rows.rows)}, ${loaded(rows.seconds)}`;
  const what = `a transaction of ${count(rows.rows)}, all indexes included`;
  yield valueRow(what, sheets.bytes / rows.rows, bytes, null, otherDesign);

  const product = await processes.product('product beside its rivals', url);
  for (const [rival, { script, dialect, goal }] of Object.entries(RIVALS)) {
    const server = await processes.rival(rival, script, url);
    for (const [request, targetsOf] of Object.entries(PAGES)) {
      const targets = targetsOf(world);
      await assertSameRecords(product, server, dialect, targets);
      const asked = targets.map((target) => dialect.ask(target, null));
      const [own, other] = [bench.requests(product, targets), bench.requests(server, asked)];
      await bench.warmUp([own, other]);
      yield comparisonRow(request, rival, await bench.compare(own, other), goal);
    }
    await processes.end(server);
  }
  await processes.end(product);
}
