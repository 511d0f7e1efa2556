/** Measures whether a tenant's lists become slower when the platform has more tenants. */
import { OPERATOR_SCOPES, SCOPES } from '@saldo/api';
import pg from 'pg';
import { createApiKey } from '../server/src/parties/actions.ts';
import { hashSecret } from '../server/src/platform/auth/api-key.ts';
import { newToken } from '../server/src/platform/auth/session-credentials.ts';
import { type Database, openDatabase } from '../server/src/platform/db/database.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import { insertPlatformRows } from '../server/test/platform-rows.ts';
import type { Target } from './connection.ts';
import { GOALS } from './goals.ts';
import { type Comparison, comparisonRow, count, inverse, type Row, times } from './measure.ts';
import type { Run } from './run.ts';
import { bodyOf } from './servers.ts';
import { log } from './setup.ts';

/** The measured BRP has as many customers, contracts, keys and users as every other one. */
const ROWS_PER_BRP = 5;

/** Few connections: slow lists would block 32. */
const CONNECTIONS = 4;

/**
 * Gives `ROWS_PER_BRP` assets, demands and messages a value that no other record has: the operator's lists filtered by this
 * value are then as long as the lists of a BRP.
 */
const RARE = [
  `update asset set technology = 'wind_offshore' where id in (select id from asset limit ${ROWS_PER_BRP})`,
  `update demand set country = 'NL' where id in (select id from demand limit ${ROWS_PER_BRP})`,
  `update message set state = 'failed' where id in (select id from message limit ${ROWS_PER_BRP})`,
  // Their secrets are sealed with a key that no server has, so that the server would not start.
  'truncate webhook_endpoint cascade',
  'vacuum (analyze) asset, demand, message',
];

const START_SESSION = statement(
  'bench_start_session',
  `insert into user_session (id, hash, user_id, created_at, last_seen_at, expires_at)
   select gen_random_uuid(), $1, id, now(), now(), now() + interval '1 day' from app_user where brp_no = 1 limit 1`,
);
const FIND_ID = statement('bench_brp_id', "select typeid('brp', id) as id from brp where no = 1");

type Callers = {
  readonly brp: string;
  readonly operator: string;
  readonly token: string;
  readonly brpId: string;
};

async function createCallers(db: Database): Promise<Callers> {
  return db.transaction(async (tx) => {
    const key = { name: 'bench', scopes: SCOPES, expiresAt: null };
    const { secret: brp } = await createApiKey(tx, { ...key, owner: { type: 'brp', brpNo: 1 } }, Date.now());
    const ofOperator = { ...key, scopes: OPERATOR_SCOPES, owner: { type: 'operator' } as const };
    const { secret: operator } = await createApiKey(tx, ofOperator, Date.now());
    const token = newToken();
    await tx.query(START_SESSION, [hashSecret(token)]);
    const [row] = await tx.query<{ id: string }>(FIND_ID);
    return { brp, operator, token, brpId: row!.id };
  });
}

async function createPlatform(url: string, brps: number): Promise<Callers> {
  await migrate(url, () => {});
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await insertPlatformRows(client, { brps, rowsPerBrp: ROWS_PER_BRP, days: 0 });
    for (const text of RARE) await client.query(text);
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
  const db = openDatabase(url);
  return createCallers(db).finally(() => db.close());
}

/** Each list has five records, or six where it includes the key of the benchmark. */
function listsOf({ brp, operator, token, brpId }: Callers): Record<string, Target> {
  const byBrp = (path: string) => ({ path, headers: { 'x-api-key': brp } });
  const byOperator = (path: string) => ({ path: `/operator/v1${path}`, headers: { 'x-api-key': operator } });
  const byUser = (path: string) => ({ path, headers: { cookie: `saldo_session=${token}` } });
  return {
    'a BRP’s customers': byBrp('/v1/customers'),
    'a BRP’s customers, by search': byBrp('/v1/customers?search=stadtwerke'),
    'a BRP’s contracts': byBrp('/v1/contracts'),
    'own keys, for a user': byUser('/portal/v1/api-keys'),
    'customers of a BRP, for the operator': byOperator(`/customers?brp_id=${brpId}`),
    'contracts by reference, for the operator': byOperator('/contracts?external_id=PPA-3'),
    'users of a BRP, for the operator': byOperator(`/users?brp_id=${brpId}`),
    'audit of a subject': byOperator('/audit?subject=cust_0'),
    'messages of a rare state': byOperator('/messages?state=failed'),
    'assets of a rare technology': byOperator('/assets?technology=wind_offshore'),
  };
}

export async function* measureLists(run: Run): AsyncGenerator<Row> {
  const { sizes, databases, processes, bench } = run;
  const platformOf = async (brps: number) => {
    const url = await databases.create(`lists_${brps}`);
    const lists = listsOf(await createPlatform(url, brps));
    return { lists, server: await processes.product(`product of ${brps} BRPs`, url) };
  };
  const [many, few] = [await platformOf(sizes.lists.many), await platformOf(sizes.lists.few)];
  const records = (brps: number) => count(brps * ROWS_PER_BRP);
  const comparisons: { name: string; comparison: Comparison }[] = [];
  for (const [name, target] of Object.entries(many.lists)) {
    await bodyOf(many.server.port, target);
    const comparison = await bench.compare(
      bench.requests(many.server, [target], { connections: CONNECTIONS }),
      bench.requests(few.server, [few.lists[name]!], { connections: CONNECTIONS }),
      // Half as many, because there are ten lists.
      { ...bench.plan, rounds: Math.ceil(bench.plan.rounds / 2) },
    );
    comparisons.push({ name, comparison });
    log(`    ${name}: ${times(inverse(comparison.ratio).middle)}`);
  }
  await processes.end(many.server);
  await processes.end(few.server);
  const { name, comparison } = comparisons.reduce((worst, one) =>
    one.comparison.ratio.middle < worst.comparison.ratio.middle ? one : worst,
  );
  const what = `the list of ${comparisons.length} that grew most (${name}), of ${records(sizes.lists.many)}`;
  yield comparisonRow(what, `of ${records(sizes.lists.few)}`, comparison, GOALS.listOfSmallTenant);
}
