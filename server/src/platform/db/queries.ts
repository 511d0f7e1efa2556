import type { RowShape } from './read.ts';
import type { HotStatement, Statement } from './statement.ts';

type Row = Record<string, unknown>;

export type Queries<S extends Statement> = {
  /** Rows as objects. */
  query<R extends Row>(statement: S, values?: readonly unknown[]): Promise<R[]>;
  /** Rows as arrays of columns, for large answers. */
  arrays<R extends readonly unknown[]>(statement: S, values?: readonly unknown[]): Promise<R[]>;
};

/** The first argument of query functions: the database itself or a transaction. */
export type Db = Queries<Statement> & {
  /** Pipelined: many reads share a connection, so a slow statement would delay the others. */
  readonly hot: Queries<HotStatement>;
};

/**
 * Reads that no replica answers. Whatever follows the order of commits needs it: a replica knows neither the locks nor
 * the sequences of the primary.
 */
export type PrimaryDb = Db & { readonly isPrimary: true };

/** An open transaction. Only `transaction` and `rolledBack` create one. */
export type Tx = PrimaryDb & {
  readonly inTransaction: true;
  /** Runs a `copy … from stdin` with rows in text format, the fastest way to insert many rows. */
  copy(text: string, rows: Buffer): Promise<void>;
  /** Runs `work` directly before the commit, when everything else of the transaction is done. */
  beforeCommit(work: () => Promise<void>): void;
};

export type Run = <R>(statement: Statement, values: readonly unknown[], shape: RowShape) => Promise<R[]>;

export const queriesOn = (run: Run): Queries<Statement> => ({
  query: (statement, values = []) => run(statement, values, 'object'),
  arrays: (statement, values = []) => run(statement, values, 'array'),
});
