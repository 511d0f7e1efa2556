import { randomUUID } from 'node:crypto';
import { chmod, open, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { type Database, statement } from './db/database.ts';
import { type DemoAccess, loadDemo } from './demo/load.ts';
import { createOperatorKey, ensureOperatorKey, hasAnyBrp } from './features/parties/actions.ts';
import { inviteFirstOperator } from './features/users/actions.ts';

const FIRST_START_LOCK = statement(
  'lock_first_start',
  "select pg_advisory_xact_lock(hashtext('saldo first start'))",
);

const demoFile = (config: Config) => path.join(config.dataDir, 'demo.json');

/** What can be told only at the start that made it. */
export type FirstAccess = {
  readonly newOperatorKey: string | null;
  /** For the first user of the portal. */
  readonly invitation: { readonly email: string; readonly token: string } | null;
};

/**
 * Makes what an empty platform needs: the operator's key and first user, and the demo world if it is wanted. Gives what
 * is new back to be told once. Processes that start at the same time wait for the first one.
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
    const newOperatorKey = await ensureOperatorKey(tx, config.operatorKey, clock.now());
    if (!config.demo || (await hasAnyBrp(tx))) {
      const invitation = await inviteFirstOperator(tx, config.operatorEmail, clock.now());
      return { newOperatorKey, invitation };
    }
    say('Loading the demo world…');
    const operatorKey = config.operatorKey ?? newOperatorKey ?? (await createOperatorKey(tx, clock.now()));
    const operator = { key: operatorKey, eic: config.operator.eic };
    const access = await loadDemo(tx, operator, clock.now());
    // Written before the commit: secrets cannot be told again, and a file without its world is overwritten.
    await writePrivately(demoFile(config), `${JSON.stringify(access, null, 2)}\n`);
    return { newOperatorKey: null, invitation: null };
  });
}

const OTHERS = 0o007;

/** A mode that exists may be meant, for a gateway that runs as another user: it is reported and not changed. */
async function warnOfOpenFolders({ exchange }: Config, say: (message: string) => void): Promise<void> {
  if (process.platform === 'win32') return;
  for (const [name, dir] of [
    ['OUTBOX_DIR', exchange.outboxDir],
    ['INBOX_DIR', exchange.inboxDir],
  ] as const) {
    if (((await stat(dir)).mode & OTHERS) === 0) continue;
    say(`Every user of this machine can open ${name}. Close it with: chmod o-rwx '${dir}'`);
  }
}

/** Readable for its owner only, from the first moment on, and whole or not there at all. */
async function writePrivately(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, 'wx', 0o600);
  await handle.writeFile(text);
  await handle.sync();
  await handle.close();
  await chmod(draft, 0o600);
  await rename(draft, file);
}

/** Null when this platform has no demo world. */
export async function readDemoAccess(config: Config): Promise<DemoAccess | null> {
  if (!config.demo) return null;
  try {
    return JSON.parse(await readFile(demoFile(config), 'utf8')) as DemoAccess;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
