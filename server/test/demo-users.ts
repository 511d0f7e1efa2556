import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DemoAccess } from '../src/demo/load.ts';
import type { Owner } from '../src/platform/auth/principal.ts';
import { createUser } from '../src/users/actions.ts';
import { hashPassword } from '../src/users/passwords.ts';
import { setPassword } from '../src/users/sessions.ts';
import { temporaryFolder } from './clean-up.ts';
import type { TestPlatform } from './harness.ts';

export const DEMO_USERS: DemoAccess['users'] = [
  { email: 'operator@demo.example', password: 'the password of the operator', role: 'operator' },
  { email: 'dispatch@demo.example', password: 'the password of the dispatcher', role: 'brp' },
  { email: 'reader@demo.example', password: 'the password of the reader', role: 'brp' },
  { email: 'account@demo.example', password: 'the password of the account', role: 'account' },
];

/** The environment of a platform whose data folder has the file of the demo, but whose database has no demo data. */
export async function demoEnvironment(): Promise<Record<string, string>> {
  const dataDir = await temporaryFolder();
  const access: DemoAccess = { operator_key: '', brps: [], accounts: [], users: DEMO_USERS };
  await writeFile(path.join(dataDir, 'demo.json'), JSON.stringify(access));
  return { DATA_DIR: dataDir, DEMO: 'on' };
}

/** Creates the users of that file, with its passwords. */
export async function createDemoUsers({ db, clock, world }: TestPlatform): Promise<void> {
  const owners: Record<string, Owner> = {
    operator: { type: 'operator' },
    brp: { type: 'brp', brpNo: (await world.brp()).no },
    account: { type: 'account', accountNo: (await world.account()).no },
  };
  for (const { email, password, role } of DEMO_USERS) {
    const user = { email, name: email, owner: owners[role]!, permissions: 'admin' as const };
    const hash = await hashPassword(password);
    await db.transaction(async (tx) => {
      await setPassword(tx, (await createUser(tx, user, clock.now())).id, hash);
    });
  }
}
