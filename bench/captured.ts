import type { Db } from '../server/src/platform/db/database.ts';
import type { Statement } from '../server/src/platform/db/statement.ts';

export type Query = { statement: Statement; values: readonly unknown[] };

/**
 * Captures the statement and values that the product sends to the database, so that the benchmark never copies them.
 */
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
