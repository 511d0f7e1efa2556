import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@saldo/postgres/embedded.ts';
import pg from 'pg';
import { SALDO } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { ensurePortal } from '../src/start/portal-build.ts';
import { newSecretsKey, writeSecretsKeys } from '../src/start/secrets-key-file.ts';
import { databaseUrl, TEMPLATE, TEST_SERVER_VARIABLE } from './databases.ts';
import { bundlePrograms, TEST_FOLDER_VARIABLE } from './programs.ts';

let embedded: EmbeddedPostgres | null = null;
let folder: string | null = null;

/**
 * One Postgres for all test files, with a migrated template that each file's database is copied from. The portal is
 * built once, for the tests that start the whole product.
 */
export async function globalSetup(): Promise<void> {
  // Every test file is a process that loads the same hundred modules: share the compile cache.
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
    new URL('../../node_modules/.cache/compiled', import.meta.url),
  );
  await ensurePortal(path.join(tmpdir(), 'saldo-portal'), () => {});
  folder = await mkdtemp(path.join(tmpdir(), 'saldo-test-'));
  process.env[TEST_FOLDER_VARIABLE] = folder;
  await bundlePrograms();
  await writeSecretsKeys(path.join(folder, 'secrets.key'), [newSecretsKey()]);
  let server = process.env['DATABASE_URL'];
  if (!server) {
    // These data are temporary. Durability is tested separately, on another database.
    const settings = {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      wal_level: 'minimal',
      max_wal_senders: '0',
      max_connections: '200',
    };
    embedded = await startEmbeddedPostgres({ application: SALDO, dataDir: folder, say: () => {}, settings });
    server = embedded.url;
  }
  process.env[TEST_SERVER_VARIABLE] = server;
  // Servers that tests start as processes get the database of the test.
  delete process.env['DATABASE_URL'];
  await onServer(server, `drop database if exists ${TEMPLATE}`, `create database ${TEMPLATE}`);
  await migrate(databaseUrl(server, TEMPLATE), () => {});
}

export async function globalTeardown(): Promise<void> {
  if (embedded) await embedded.stop();
  else await onServer(process.env[TEST_SERVER_VARIABLE] ?? '', `drop database if exists ${TEMPLATE}`);
  if (folder) await rm(folder, { recursive: true, force: true });
}

async function onServer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const text of statements) await client.query(text);
  await client.end();
}
