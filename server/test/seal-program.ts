/** A process that seals the ledger without a pause, as the job of the platform does every 30 seconds: for tests that kill it. */
import { setImmediate as next } from 'node:timers/promises';
import { sealDue } from '../src/ledger/seal.ts';
import { systemClock } from '../src/platform/clock.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { readLedgerKey } from '../src/start/ledger-key-file.ts';

const [databaseUrl = '', keyFile = ''] = process.argv.slice(2);
const db = openDatabase(databaseUrl);
const key = readLedgerKey(keyFile);
for (;;) {
  await sealDue(db, key, systemClock);
  await next();
}
