import pg from 'pg';
import { parentOf } from '../server/faults/processes.ts';
import type { Contestant } from './measure.ts';

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

  private connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return connected(this.serverUrl, work);
  }
}

const WITHOUT_AUTOVACUUM = `select format('alter table %I set (autovacuum_enabled = off)', relname) as command
  from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`;
/** Of tables of which a fifth is new, as autovacuum does. */
const VACUUM = `select format('vacuum (analyze) %I', relname) as command from pg_stat_user_tables
  where n_mod_since_analyze > n_live_tup / 5`;

/**
 * For imports that are compared: Postgres vacuums and checkpoints before each round. It would otherwise do so during one of
 * two rounds, and double the cost of the database in it.
 */
export async function maintainBetweenRounds(url: string): Promise<(contestant: Contestant) => Contestant> {
  const runAll = (commands: string) =>
    connected(url, async (client) => {
      const { rows } = await client.query<{ command: string }>(commands);
      for (const { command } of rows) await client.query(command);
      await client.query('checkpoint');
    });
  await runAll(WITHOUT_AUTOVACUUM);
  return (contestant) => ({
    ...contestant,
    async prepare() {
      await contestant.prepare?.();
      await runAll(VACUUM);
    },
  });
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}
