import type { SeriesKind } from '@saldo/api';
import type { Database } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/db/new-id.ts';
import { statement } from '../src/platform/db/statement.ts';
import type { World, WorldContract } from './world.ts';

export type WorldSeries = { readonly no: number; readonly id: string };

const INSERT_SERIES = statement(
  'test_insert_series',
  `insert into series (id, kind, asset_id, name, created_at) values ($1, $2, $3, $4, now()) returning no, id`,
);

/** A series of a new plant. */
export async function newSeries({ db, asset }: World, kind: SeriesKind): Promise<WorldSeries> {
  const { uuid } = await asset();
  const values = [newId(), kind, uuid, `${kind} of a plant`];
  const [made] = await db.transaction((tx) => tx.query<WorldSeries>(INSERT_SERIES, values));
  return made!;
}

export type WorldSource = { forecast?: WorldSeries; meter?: WorldSeries; firstDay?: string };

const INSERT_SOURCE = statement(
  'test_insert_source',
  `insert into contract_source (contract_no, first_day, forecast_no, meter_no, share_millionths)
   values ($1, $2, $3, $4, 1000000)`,
);

/** The volumes of days are not computed. */
export async function setSource(db: Database, { no }: WorldContract, source: WorldSource): Promise<void> {
  const { forecast, meter, firstDay = '-infinity' } = source;
  const values = [no, firstDay, forecast?.no ?? null, meter?.no ?? null];
  await db.transaction((tx) => tx.query(INSERT_SOURCE, values));
}
