import pg from 'pg';
import { parentOf } from '../server/faults/processes.ts';

/** The databases of a run, one per dataset. */
export class Databases {
  private readonly serverUrl: string;

  constructor(serverUrl: string) {
    this.serverUrl = serverUrl;
  }

  async create(name: string): Promise<string> {
    await this.connected((client) => client.query(`create database bench_${name}`));
    const url = new URL(this.serverUrl);
    url.pathname = `/bench_${name}`;
    return url.href;
  }

  async drop(name: string): Promise<void> {
    await this.connected((client) => client.query(`drop database bench_${name} with (force)`));
  }

  async facts(): Promise<{ version: string; postmaster: number }> {
    return this.connected(async (client) => {
      const { rows } = await client.query<{ version: string; pid: number }>(
        "select current_setting('server_version') as version, pg_backend_pid() as pid",
      );
      const { version = '', pid = 0 } = rows[0] ?? {};
      // The postmaster is the parent of every backend.
      return { version, postmaster: parentOf(pid) ?? 0 };
    });
  }

  private async connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.serverUrl });
    await client.connect();
    return work(client).finally(() => client.end());
  }
}
