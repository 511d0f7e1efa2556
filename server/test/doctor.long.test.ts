import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { Check } from '@saldo/core/check.ts';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { startTestPlatform } from './harness.ts';
import { startReplication } from './replication.ts';
import { until } from './until.ts';

const folder = await temporaryFolder();
const [primary, standby = assert.fail()] = await startReplication(1);

test('a standby as DATABASE_URL is a failure beside all other checks of the database', async () => {
  await startTestPlatform({ environment: { DATABASE_URL: primary.url } });
  const [{ position } = assert.fail()] = await primary.run<{ position: string }>(
    'select pg_current_wal_flush_lsn()::text as position',
  );
  await until(async () => {
    const [row] = await standby.run<{ replayed: boolean }>(
      `select pg_last_wal_replay_lsn() >= '${position}' as replayed`,
    );
    return row?.replayed;
  });
  const { out } = await runCommand(['doctor', '--json'], {
    folder,
    env: {
      DATA_DIR: path.join(folder, 'data'),
      ...{ PORT: '0', CUSTOMER_PORT: '0', ADMIN_PORT: '0' },
      DATABASE_URL: standby.url,
      DATABASE_READ_URL: standby.url,
    },
  });
  const checks = JSON.parse(out) as Check[];
  const failures = checks.filter(({ status }) => status === 'failed').map(({ fact }) => fact);
  assert.deepEqual(failures, ['The database is a standby.']);
  const found = checks.map(({ name, fact }) => `${name}: ${fact}`).join('\n');
  for (const part of [/^database: PostgreSQL .* answers\.$/m, /^migrations: All migrations/m, /^clock: /m])
    assert.match(found, part);
  const replica = checks.find(({ name }) => name === 'replicas');
  assert.deepEqual([replica?.status, /is 0\.0 s behind/.test(replica?.fact ?? '')], ['ok', true], found);
});
