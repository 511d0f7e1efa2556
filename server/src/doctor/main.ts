/** Entry point of `saldo doctor`: prints its checks as JSON, which the command line formats. */

import { parseArgs } from 'node:util';
import { type Check, warning } from '@saldo/core/check.ts';
import { checkBackups } from './backups.ts';
import { checkDatabase } from './database.ts';
import { checkFolders, checkKeyFiles, checkListeners } from './machine.ts';
import { checkSettings } from './settings.ts';
import { checkTransports } from './transports.ts';

/** Settings that say where the data are: without them, other data would be checked. */
const PLACES = ['DATA_DIR', 'DATABASE_URL', 'DATABASE_DIRECT_URL', 'SECRETS_KEY_FILE', 'LEDGER_KEY_FILE'];

async function runChecks(env: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  const { values } = parseArgs({ options: { connect: { type: 'boolean' }, backups: { type: 'string' } } });
  const { checks, config, rejected } = checkSettings(env);
  if (config === null) return [...checks, notChecked('Everything else')];
  const listeners = await checkListeners(config);
  const transports = await checkTransports(config, values.connect === true);
  const here = [...checks, ...listeners];
  if (PLACES.some((name) => rejected.has(name)))
    return [...here, ...transports, notChecked('Folders, keys and database')];
  const { checks: database, isEmpty } = await checkDatabase(config);
  const backups = isEmpty ? [] : [await checkBackups(values.backups, Date.now())];
  return [
    ...here,
    ...checkFolders(config),
    ...checkKeyFiles(config, env),
    ...transports,
    ...database,
    ...backups,
  ];
}

const notChecked = (what: string) =>
  warning('settings', `${what} could not be checked.`, 'Correct the settings, and run saldo doctor again.');

process.stdout.write(`${JSON.stringify(await runChecks(process.env))}\n`);
