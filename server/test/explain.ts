import type pg from 'pg';
import type { Statement } from '../src/platform/db/statement.ts';

/** A statement and the values that it was executed with. */
export type Asked = { readonly statement: Statement; readonly values: readonly unknown[] };

export type PlanNode = { readonly [name: string]: unknown; readonly Plans?: readonly PlanNode[] };

export const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

export const numberIn = (node: PlanNode, name: string): number => Number(node[name] ?? 0);

const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? `{${value.join()}}`
    : value instanceof Uint8Array
      ? `\\x${value.toHex()}`
      : String(value);

/**
 * The plan of a statement. It is prepared first, because only a prepared statement has a generic plan, as on the server's
 * read connections: `client` must have their settings. With `analyze` the statement is executed.
 */
export async function explain(
  client: pg.Client,
  { statement: { text }, values }: Asked,
  options: 'analyze, buffers, ' | '' = '',
): Promise<PlanNode> {
  const literal = (value: unknown) => (value === null ? 'null' : client.escapeLiteral(textOf(value)));
  const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
  await client.query(`prepare asked as ${text}`);
  const { rows } = await client.query(`explain (${options}format json) execute asked ${given}`);
  await client.query('deallocate asked');
  return rows[0]['QUERY PLAN'][0].Plan;
}
