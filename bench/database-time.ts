/** Measures the time of the product's own queries inside of the database, as reported by Postgres. */
import pg from 'pg';
import { readerConfig } from '../server/src/platform/db/connection.ts';
import type { Db } from '../server/src/platform/db/database.ts';
import type { Statement } from '../server/src/platform/db/statement.ts';

type Explained = [{ 'Execution Time': number; 'Planning Time': number }];

/**
 * A handle for the product's query functions that records the time of each statement. It executes the statement and
 * then explains it with the same values, the connection settings of the product and a generic plan. The first
 * execution warms the cache, so the time is that of cached pages.
 */
export class TimedDb implements Db {
  private readonly client: pg.Client;
  private readonly prepared = new Set<string>();
  private milliseconds = 0;
  readonly hot = this;

  constructor(url: string) {
    this.client = new pg.Client(readerConfig(url));
    // A failed run stops Postgres before this connection: its loss must not hide the failure.
    this.client.on('error', () => {});
  }

  async open(): Promise<void> {
    await this.client.connect();
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** Milliseconds of all statements that this work executed. */
  async timeOf(work: (db: Db) => Promise<unknown>): Promise<number> {
    this.milliseconds = 0;
    await work(this);
    return this.milliseconds;
  }

  async query<R extends Record<string, unknown>>(statement: Statement, values: readonly unknown[] = []) {
    const { rows } = await this.client.query({ ...statement, values: [...values] });
    await this.explain(statement, values);
    return rows as R[];
  }

  async arrays<R extends readonly unknown[]>(statement: Statement, values: readonly unknown[] = []) {
    const { rows } = await this.client.query({ ...statement, values: [...values], rowMode: 'array' });
    await this.explain(statement, values);
    return rows as unknown as R[];
  }

  private async explain({ name, text }: Statement, values: readonly unknown[]): Promise<void> {
    const explained = `explained_${name}`;
    if (!this.prepared.has(explained)) {
      await this.client.query(`prepare ${explained} as ${text}`);
      this.prepared.add(explained);
    }
    const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
    const { rows } = await this.client.query<{ 'QUERY PLAN': Explained }>(
      `explain (analyze, timing off, format json) execute ${explained} ${given}`,
    );
    const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
    if (!plan) throw new Error(`${name} was not explained`);
    this.milliseconds += plan['Execution Time'] + plan['Planning Time'];
  }
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return pg.escapeLiteral(value);
  throw new Error(`a value of type ${typeof value} cannot be explained`);
}
