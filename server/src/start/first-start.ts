import { existsSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type DemoAccess, loadDemo } from '../demo/load.ts';
import { ensureOperatorKey, hasAnyBrp, hasOperatorKey, renewFirstKey } from '../parties/actions.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { inviteOperator } from '../users/actions.ts';
import { hasOperatorUser } from '../users/store.ts';
import type { Config } from './config.ts';
import { writePrivateFile } from './private-file.ts';

const FIRST_START_LOCK = statement(
  'lock_first_start',
  "select pg_advisory_xact_lock(hashtext('saldo first start'))",
);

/** The credentials of the demo. */
export const demoFile = (config: Config) => path.join(config.dataDir, 'demo.json');

/** New secrets, which can be printed only at the start that created them: the database stores only their hashes. */
export type FirstAccess = {
  readonly newOperatorKey: string | null;
  /** Invitation of the first portal user. */
  readonly invitation: { readonly email: string; readonly token: string } | null;
};

/** A BRP also shows it: the time of the last use is written some seconds later, and may be lost in a crash. */
const IS_ACCESS_USED = statement(
  'is_access_used',
  `select exists (select from api_key where owner = 'operator' and last_used_at is not null)
     or exists (select from app_user where role = 'operator' and password_hash is not null)
     or exists (select from brp) as is_used`,
);

async function isAccessUsed(db: Db): Promise<boolean> {
  const [row] = await db.query<{ is_used: boolean }>(IS_ACCESS_USED);
  return row?.is_used === true;
}

/**
 * Creates the data that an empty platform needs: the operator's key and first user, and the demo world if enabled.
 * Returns the new secrets, to be printed. Until one of them has been used, each start replaces both: the output of the
 * start before may be lost. Processes that start concurrently wait for the first one.
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
    const now = clock.now();
    const isUsed = await isAccessUsed(tx);
    const newOperatorKey = await prepareKey(tx, config, isUsed, now);
    if (!config.demo || (await hasAnyBrp(tx))) {
      const isInvited = isUsed && (await hasOperatorUser(tx));
      const invitation = isInvited ? null : await inviteOperator(tx, config.operatorEmail, now);
      return { newOperatorKey, invitation };
    }
    say('Loading the demo world…');
    const operatorKey = config.operatorKey ?? newOperatorKey ?? (await renewFirstKey(tx, now));
    const operator = { key: operatorKey, eic: config.operator.eic };
    const access = await loadDemo(tx, operator, config.marketRules, now);
    // Write before the commit: the secrets cannot be read again, while a file without a committed world is replaced. An older
    // file is removed, because its mode would be kept.
    await rm(demoFile(config), { force: true });
    await writePrivateFile(demoFile(config), `${JSON.stringify(access, null, 2)}\n`);
    return { newOperatorKey: null, invitation: null };
  });
}

async function prepareKey(
  tx: Tx,
  { operatorKey, isProduction }: Config,
  isUsed: boolean,
  now: number,
): Promise<string | null> {
  if (operatorKey !== null) {
    await ensureOperatorKey(tx, operatorKey, now);
    return null;
  }
  const isNeeded = !isProduction && !(isUsed && (await hasOperatorKey(tx)));
  return isNeeded ? renewFirstKey(tx, now) : null;
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

/** Whether a start of this platform has loaded the demo data. */
export const hasDemo = (config: Config): boolean => config.demo && existsSync(demoFile(config));

export const hasDemoSignIn = (config: Config): boolean => config.demoSignIn !== 'off' && hasDemo(config);

/** Whether the data are not real, so that answers of TSOs may be simulated. */
export const isTrial = (config: Config): boolean => config.sandbox || hasDemo(config);

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
