/** Measures whether a tenant's lists become slower when the platform has more tenants. */
import { SCOPES } from '@saldo/api';
import pg from 'pg';
import { createApiKey } from '../server/src/parties/actions.ts';
import { hashSecret } from '../server/src/platform/auth/api-key.ts';
import { newToken } from '../server/src/platform/auth/session-credentials.ts';
import { type Database, openDatabase } from '../server/src/platform/db/database.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import { insertPlatformRows } from '../server/test/platform-rows.ts';
import type { Target } from './connection.ts';
import type { Databases } from './databases.ts';
import type { Bench, Comparison, Plan } from './measure.ts';
import { bodyOf, type Processes } from './servers.ts';

/** The measured BRP has as many customers, contracts, keys and users as every other one. */
const ROWS_PER_BRP = 5;

export type ListResults = {
  /**
   * Number of customers on the two platforms, and equally of contracts, keys, users, audit events, messages, assets
   * and demands.
   */
  readonly rows: readonly [few: number, many: number];
  /** By list; the first of each is the large platform. */
  readonly ofTenant: Readonly<Record<string, Comparison>>;
  /** Lists without an index, which read the whole platform. */
  readonly ofPlatform: Readonly<Record<string, Comparison>>;
};

/** Short rounds and few connections: there are many lists, and slow ones would block 32 connections. */
export const listPlan = ({ rounds, milliseconds, warmUpMs }: Plan): Plan => ({
  rounds: Math.min(rounds, 9),
  milliseconds: Math.min(milliseconds, 300),
  warmUpMs: Math.min(warmUpMs, 500),
  connections: 4,
});

/** Makes as many records of the operator's lists rare as a BRP has. */
const RARE = [
  `update asset set technology = 'wind_offshore' where id in (select id from asset limit ${ROWS_PER_BRP})`,
  `update demand set country = 'NL' where id in (select id from demand limit ${ROWS_PER_BRP})`,
  `update message set state = 'failed' where id in (select id from message limit ${ROWS_PER_BRP})`,
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
    const ofOperator = { ...key, scopes: [], owner: { type: 'operator' } as const };
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
function tenantLists({ brp, operator, token, brpId }: Callers): Record<string, Target> {
  const byBrp = (path: string) => ({ path, headers: { 'x-api-key': brp } });
  const byOperator = (path: string) => ({
    path: `/operator/v1${path}`,
    headers: { 'x-api-key': operator },
  });
  const byUser = (path: string) => ({ path, headers: { cookie: `saldo_session=${token}` } });
  return {
    'a BRP’s customers': byBrp('/v1/customers'),
    'a BRP’s active customers': byBrp('/v1/customers?status=active'),
    'a BRP’s customers, by search': byBrp('/v1/customers?search=stadtwerke'),
    'a BRP’s contracts': byBrp('/v1/contracts'),
    'own keys, for a user': byUser('/portal/v1/api-keys'),
    'own balance groups, for a user': byUser('/v1/balance-groups'),
    'customers of a BRP, for the operator': byOperator(`/customers?brp_id=${brpId}`),
    'contracts by reference, for the operator': byOperator('/contracts?external_id=PPA-3'),
    'keys of a BRP, for the operator': byOperator(`/api-keys?owner_id=${brpId}`),
    'users of a BRP, for the operator': byOperator(`/users?brp_id=${brpId}`),
    'audit of a subject': byOperator('/audit?subject=cust_0'),
    'audit of an actor': byOperator('/audit?actor=key_0'),
    'audit of an action': byOperator('/audit?action=action.0'),
    'messages of a day': byOperator('/messages?delivery_date=2020-01-01'),
    'messages of a rare state': byOperator('/messages?state=failed'),
    'assets of a rare technology': byOperator('/assets?technology=wind_offshore'),
    'demands of a rare country': byOperator('/demands?country=NL'),
  };
}

const platformLists = ({ operator }: Callers): Record<string, Target> => ({
  'all customers, by search, for the operator': {
    path: '/operator/v1/customers?search=nowhere',
    headers: { 'x-api-key': operator },
  },
});

export async function measureLists(
  databases: Databases,
  processes: Processes,
  bench: Bench,
  [few, many]: readonly [few: number, many: number],
  say: (message: string, comparison?: Comparison) => void,
): Promise<ListResults> {
  const platforms = [];
  for (const brps of [many, few]) {
    say(`Making a platform of ${brps} BRPs…`);
    const url = await databases.create(`lists_${brps}`);
    const callers = await createPlatform(url, brps);
    platforms.push({ callers, server: await processes.product(`product of ${brps} BRPs`, url) });
  }
  const [large, small] = platforms as [(typeof platforms)[0], (typeof platforms)[0]];
  const compare = async (listsOf: (callers: Callers) => Record<string, Target>) => {
    const comparisons: Record<string, Comparison> = {};
    const ofSmall = listsOf(small.callers);
    for (const [name, target] of Object.entries(listsOf(large.callers))) {
      await bodyOf(large.server.port, target);
      const first = { server: large.server, targets: [target] };
      const second = { server: small.server, targets: [ofSmall[name]!] };
      await bench.warmUp([first, second]);
      comparisons[name] = await bench.compare(first, second);
      say(name, comparisons[name]);
    }
    return comparisons;
  };
  const [ofTenant, ofPlatform] = [await compare(tenantLists), await compare(platformLists)];
  for (const { server } of platforms) await processes.end(server);
  return { rows: [few * ROWS_PER_BRP, many * ROWS_PER_BRP], ofTenant, ofPlatform };
}
