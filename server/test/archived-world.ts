import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { newPlace, operating, type Place } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';
import { only } from './nominated.ts';

/** A platform with volumes of three months: October 2025 with all that a month can have, September and November. */

/** Each table with the days of its rows. */
const TABLES = {
  sheet: 'delivery_day',
  sheet_status: 'delivery_day',
  invalidation: 'delivery_day',
  nomination: 'delivery_day',
  anomaly: '(select delivery_day from nomination n where n.id = nomination_id)',
};

export async function startArchivedWorld() {
  const folder = await temporaryFolder();
  const platform = await startTestPlatform({ now: '2025-10-20T08:00:00Z' });
  const { baseUrl, databaseUrl, clock, world } = platform;
  const operator = client(baseUrl, await world.operatorKey());
  const { send, answer } = operating(platform, operator);

  const db = await connect(databaseUrl);
  const [north, south] = [await newPlace(platform, 'DE_50HERTZ'), await newPlace(platform, 'DE_TENNET')];
  const at = ({ brp, group, tso }: Place) => world.customer(brp, { group, tso });
  const contract = await world.contract(await at(north), await at(south), { first: '2025-01-01' });
  const other = await world.pair();
  const moved = await world.contract(other.producer, other.consumer, { first: '2025-01-01' });

  for (const day of ['2025-09-30', '2025-10-01', '2025-11-01']) {
    await world.volumes(contract, day, 1000);
    await world.volumes(moved, day, 70_000);
  }
  // The days of the change of the clocks and around it: corrected, invalidated, sent, confirmed with differences.
  for (const day of ['2025-10-25', '2025-10-26', '2025-10-27']) {
    await world.volumes(contract, day, 2000);
    await world.volumes(moved, day, only(day, [1, 2, 3], 500, 40));
    await world.nominate();
    await world.volumes(contract, day, only(day, [5], 2500, 2000));
  }
  const [cell] = (await operator('/operator/v1/transactions?delivery_date=2025-10-26')).body.transactions;
  await world.invalidate(cell.id, '\u{feff}Zähler\tdefekt \\N „äöü"\n');
  await world.nominate();
  clock.set('2025-10-25T12:00:00Z');
  await send();
  const { eic } = north.group;
  await answer({ deviations: [{ eic, tso: 'DE_50HERTZ', day: null, slots: [7, 8], differenceKw: 12 }] });
  // A customer moves to another balance group: its volumes from the effective day on are reissued.
  const group = await world.group(other.seller);
  const body = { balance_group: { eic: group.eic, tso: 'DE_AMPRION' } };
  const asSeller = client(baseUrl, other.seller.key);
  const patched = await asSeller(`/v1/customers/${other.producer.id}`, { method: 'PATCH', body });
  assert.equal(patched.status, 200, patched.text);
  await world.nominate();
  await db.query(`update sheet set late_at = created_at + interval '1 microsecond',
    created_at = created_at + interval '123456 microseconds' where delivery_day = '2025-10-27' and revision = 1`);
  await db.query(`insert into anomaly (nomination_id, message_id, ours, theirs)
    select n.id, (select id from message limit 1), '{1,2,3}', null from nomination n
    where delivery_day = '2025-10-26' limit 1 on conflict do nothing`);

  const env = { DATABASE_URL: databaseUrl, ARCHIVE_DIR: path.join(folder, 'archive') };
  const saldo = (...args: string[]) => runCommand(args, { folder, env });
  const asked = async (...args: string[]) => {
    const run = await saldo(...args);
    assert.equal(run.code, 0, run.out + run.err);
    return run.out;
  };
  return {
    platform,
    world,
    operator,
    db,
    folder,
    env,
    saldo,
    asked,
    contract,
    moved,
    north,
    south,
    asSeller,
  };
}

export type ArchivedWorld = Awaited<ReturnType<typeof startArchivedWorld>>;

export async function connect(url: string): Promise<pg.Client> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  db.on('error', () => {});
  atEnd(() => db.end());
  return db;
}

/** A digest of all rows of a month, to the byte, and their numbers. */
export async function dump(db: pg.Client, month: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [table, day] of Object.entries(TABLES)) {
    const { rows } = await db.query<{ row: string }>(
      `select t::text as row from ${table} t where to_char(${day}, 'YYYY-MM') = $1 order by 1`,
      [month],
    );
    const digest = createHash('sha256').update(rows.map(({ row }) => row).join('\n'));
    found[table] = `${rows.length} ${digest.digest('hex')}`;
  }
  return found;
}

export const rowCounts = (dumped: Record<string, string>) =>
  Object.values(dumped).map((text) => Number(text.split(' ')[0]));
