import type pg from 'pg';
import { begin, withConnection } from '../backup/connection.ts';
import { type CopyFormat, type Row, RowStream } from './row-stream.ts';

const MODE = 'isolation level repeatable read, read only';

export type Select = { readonly select: string; readonly format?: CopyFormat };

/** One state of the database, read over several connections at once. A running server changes nothing in it. */
export type Snapshot = {
  /** Runs `work` with the rows of each statement, each over a connection of its own. */
  streams<T>(selects: readonly Select[], work: (streams: readonly RowStream[]) => Promise<T>): Promise<T>;
  rows(select: string): Promise<Row[]>;
};

export const withSnapshot = <T>(
  url: string,
  signal: AbortSignal,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> => {
  const connected = <R>(use: (client: pg.Client) => Promise<R>) =>
    withConnection(url, signal, use, 'saldo verify');
  return connected(async (client) => {
    await begin(client, MODE);
    const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
    const imported = <R>(use: (other: pg.Client) => Promise<R>) =>
      connected(async (other) => {
        await begin(other, MODE);
        await other.query(`set transaction snapshot '${rows[0]!.id}'`);
        try {
          return await use(other);
        } catch (error) {
          // A connection with rows that are not read would wait for them.
          other.connection.stream.destroy();
          throw error;
        }
      });
    const streams: Snapshot['streams'] = ([first, ...others], use) =>
      first === undefined
        ? use([])
        : imported((other) => {
            const stream = new RowStream(other, first.select, first.format);
            return streams(others, (rest) => use([stream, ...rest]));
          });
    return work({
      streams,
      rows: (select) =>
        streams([{ select }], async ([stream]) => {
          const found: Row[] = [];
          for (let row = await stream!.next(); row !== null; row = await stream!.next()) found.push(row);
          return found;
        }),
    });
  });
};
