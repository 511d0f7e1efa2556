import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config.ts';
import { type DemoAccess, loadDemo } from './demo/load.ts';
import { createOperatorKey, ensureOperatorKey, hasAnyBrp } from './parties/actions.ts';
import type { Clock } from './platform/clock.ts';
import type { Database } from './platform/db/database.ts';
import { statement } from './platform/db/statement.ts';
import { inviteFirstOperator } from './users/actions.ts';

const FIRST_START_LOCK = statement(
  'lock_first_start',
  "select pg_advisory_xact_lock(hashtext('saldo first start'))",
);

const demoFile = (config: Config) => path.join(config.dataDir, 'demo.json');

/** New secrets, which can be printed only at the start that created them: the database stores only their hashes. */
export type FirstAccess = {
  readonly newOperatorKey: string | null;
  /** Invitation of the first portal user. */
  readonly invitation: { readonly email: string; readonly token: string } | null;
};

/**
 * Creates the data that an empty platform needs: the operator's key and first user, and the demo world if enabled.
 * Returns the new secrets, to be printed once. Processes that start concurrently wait for the first one.
 */
export async function prepareFirstStart(
  db: Database,
  config: Config,
  clock: Clock,
  say: (message: string) => void,
): Promise<FirstAccess> {
  await warnOfOpenFolders(config, say);
  return db.transaction(async (tx) => {
    await tx.query(FIRST_START_LOCK);
    const newOperatorKey =
      config.isProduction && config.operatorKey === null
        ? null
        : await ensureOperatorKey(tx, config.operatorKey, clock.now());
    if (!config.demo || (await hasAnyBrp(tx))) {
      const invitation = await inviteFirstOperator(tx, config.operatorEmail, clock.now());
      return { newOperatorKey, invitation };
    }
    say('Loading the demo world…');
    const operatorKey = config.operatorKey ?? newOperatorKey ?? (await createOperatorKey(tx, clock.now()));
    const operator = { key: operatorKey, eic: config.operator.eic };
    const access = await loadDemo(tx, operator, config.marketRules, clock.now());
    // Write before the commit: the secrets cannot be read again, while a file without a committed world is overwritten.
    await writePrivately(demoFile(config), `${JSON.stringify(access, null, 2)}\n`);
    return { newOperatorKey: null, invitation: null };
  });
}

const OTHERS = 0o007;

/** Reports an open mode but does not change it: a gateway that runs as another user may need it. */
async function warnOfOpenFolders({ exchange }: Config, say: (message: string) => void): Promise<void> {
  if (process.platform === 'win32' || !exchange.hasFolders) return;
  for (const [name, dir] of [
    ['OUTBOX_DIR', exchange.outboxDir],
    ['INBOX_DIR', exchange.inboxDir],
  ] as const) {
    if (((await stat(dir)).mode & OTHERS) === 0) continue;
    say(`Every user of this machine can open ${name}. Close it with: chmod o-rwx '${dir}'`);
  }
}

/** Writes a file atomically, readable only by its owner at every moment. */
async function writePrivately(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true });
  await chmod(draft, 0o600);
  await rename(draft, file);
}

/** Whether the data are not real, so that answers of TSOs may be simulated. */
export const isTrial = (config: Config): boolean =>
  config.sandbox || (config.demo && existsSync(demoFile(config)));

/** Null without a demo world. */
export async function readDemoAccess(config: Config): Promise<DemoAccess | null> {
  if (!config.demo) return null;
  try {
    return JSON.parse(await readFile(demoFile(config), 'utf8')) as DemoAccess;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
