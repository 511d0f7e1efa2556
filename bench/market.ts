/** Measures the lists of the customer API, on their first pages and deep inside. */

import { dayStart } from '@saldo/core/delivery-day.ts';
import { createAccount, createApiKey } from '../server/src/parties/actions.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import type { Target } from './connection.ts';
import { vacuum } from './databases.ts';
import { comparisonRow, type Row } from './measure.ts';
import type { Run } from './run.ts';
import { assertSameBodies } from './servers.ts';

/** Number of offers, and equally of demands. */
const RECORDS = 100_000;
const LEAST_OF_BARE = 0.7;
const OPENED_AT = dayStart('2026-08-20');
const PAGES: Record<string, string> = {
  'offers, page 1': '/v1/assets?page=1&limit=100',
  'offers, page 1,000': '/v1/assets?page=1000&limit=100',
  'demands, page 1': '/v1/demands?page=1&limit=100',
  'demands, page 1,000': '/v1/demands?page=1000&limit=100',
};

const INFO =
  "'Nr. ' || n || ': Übergabe am Umspannwerk, Herkunftsnachweise inklusive; \"Repowering\" geplant.'";
const COUNTRY = "(array['DE', 'AT', 'NL', 'FR'])[1 + n % 4]";
const START = "timestamptz '2027-01-01 00:00Z' + n % 36 * interval '1 month'";
const MAKE = [
  `insert into asset (id, name, nominal_power_kw, technology, tso, created_at)
   select gen_random_uuid(), 'Windpark Nr. ' || n, 1000 + n, 'wind_onshore', 'DE_AMPRION', $1::timestamptz
   from generate_series(1, $2::int) n`,
  `insert into offer (published_no, asset_id, published_at, ppa_type, average_annual_kwh, delivery_start,
     additional_info, state, country, cover_url, price_years, price_cents)
   select n, id, $1::timestamptz, 'PAY_AS_PRODUCED', 2500 * (1000 + n), ${START}, ${INFO}, 'Brandenburg', ${COUNTRY},
     'https://pictures.example/' || n || '.jpg', '{5,10,15}', array[6100 + n % 500, 5850 + n % 400, 5500]
   from (select id, substr(name, 14)::int as n from asset) a
   where n <= $2::int`,
  `insert into demand (published_no, id, published_at, contract_years, annual_kwh, additional_info, country, state,
     delivery_start)
   select n, gen_random_uuid(), $1::timestamptz, 5 + n % 10, 24000000 + n, ${INFO}, ${COUNTRY}, 'Hessen', ${START}
   from generate_series(1, $2::int) n`,
  `update market_list set version = $2::int where $1::timestamptz is not null`,
];

/** Creates a full market in a separate database. Returns the key of an account. */
async function createMarket(url: string): Promise<string> {
  await migrate(url, () => {});
  const db = openDatabase(url);
  try {
    const secret = await db.transaction(async (tx) => {
      for (const [at, text] of MAKE.entries()) {
        await tx.query(statement(`bench_market_${at}`, text), [new Date(OPENED_AT).toISOString(), RECORDS]);
      }
      const { no } = await createAccount(tx, { name: 'Bench' }, OPENED_AT);
      const owner = { type: 'account' as const, accountNo: no };
      return (await createApiKey(tx, { owner, name: 'bench', scopes: [], expiresAt: null }, OPENED_AT))
        .secret;
    });
    await vacuum(url, 'asset', 'offer', 'demand');
    return secret;
  } finally {
    await db.close();
  }
}

export async function* measureMarket({ databases, processes, bench }: Run): AsyncGenerator<Row> {
  const url = await databases.create('market');
  const key = await createMarket(url);
  const server = await processes.product('product with a market', url);
  const bare = await processes.limit(url);
  for (const [name, path] of Object.entries(PAGES)) {
    const targets: Target[] = [{ path, headers: { 'x-api-key': key } }];
    await assertSameBodies([server.market.port, bare.port], targets);
    const comparison = await bench.compare(
      bench.requests(server.market, targets),
      bench.requests(bare, targets),
    );
    yield comparisonRow(name, 'bare server', comparison, LEAST_OF_BARE);
  }
  await processes.end(bare);
  await processes.end(server);
}
