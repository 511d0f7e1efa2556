import type { Db } from '../server/src/platform/db/database.ts';
import type { Statement } from '../server/src/platform/db/statement.ts';

export type Query = { statement: Statement; values: readonly unknown[] };

/** What the product would send to the database: its own text and values, never a copy of them. */
export async function captured(use: (db: Db) => Promise<unknown>): Promise<Query> {
  let query: Query | null = null;
  const take = async (statement: Statement, values: readonly unknown[] = []) => {
    query = { statement, values };
    return [];
  };
  const queries = { query: take, arrays: take };
  await use({ ...queries, hot: queries });
  if (query === null) throw new Error('the product sent no query');
  return query;
}
