/** Entry point of `saldo secrets rotate`, `saldo secrets reset` and `saldo secrets status`. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { explainQuery } from '../backup/explain.ts';
import { openSource } from '../backup/place.ts';
import { createSealer, keyIdOf } from '../platform/auth/sealed-secrets.ts';
import {
  countByKey,
  type Rewritten,
  replaceLost,
  reseal,
  sealPlain,
} from '../platform/auth/stored-secrets.ts';
import { readSecretsKeyFile } from '../start/config.ts';
import { SEALED_COLUMNS } from '../start/sealed-columns.ts';
import { newSecretsKey, readSecretsKeys, writeSecretsKeys } from '../start/secrets-key-file.ts';
import { refuseMissingKeys, withSecretsLock } from '../start/start-secrets.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);
const idsOf = (keys: readonly Buffer[]) => keys.map(keyIdOf);
const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

async function resealWith(client: pg.Client, keys: readonly Buffer[]): Promise<Rewritten> {
  const [first = ''] = idsOf(keys);
  const result = await reseal(client, SEALED_COLUMNS, createSealer(keys), first);
  if (result.count > 0) say(`Sealed ${count(result.count, 'secret')} with the key ${first}.`);
  return result;
}

/**
 * The file has the new key before anything is sealed with it, and keeps the earlier ones: after a kill at any step every
 * secret can be opened, and the next run goes on with the key that is first.
 */
async function rotate(client: pg.Client, file: string, isForgetting: boolean): Promise<void> {
  await refuseMissingKeys(client, file);
  let keys = readSecretsKeys(file);
  let result = await resealWith(client, keys);
  if (result.count === 0 && !isForgetting) {
    keys = [newSecretsKey(), ...keys];
    await writeSecretsKeys(file, keys);
    say(
      `The key ${idsOf(keys)[0]} is the first one of ${file} now. Keep a copy of the file apart from backups.`,
    );
    result = await resealWith(client, keys);
  }
  for (const use of result.unreadable) say(`This secret is damaged and keeps its key: ${use}`);
  if (result.unreadable.length > 0) process.exitCode = 1;
  const needed = await countByKey(client, SEALED_COLUMNS);
  const isNeeded = (key: Buffer, at: number) => at === 0 || needed.has(keyIdOf(key));
  const old = idsOf(keys.filter((key, at) => !isNeeded(key, at)));
  if (old.length === 0) return;
  const named = `${old.length === 1 ? 'the key' : 'the keys'} ${old.join(', ')}`;
  if (isForgetting) {
    await writeSecretsKeys(file, keys.filter(isNeeded));
    say(
      `Removed ${named}. Backups that need ${old.length === 1 ? 'it' : 'them'} need a copy of the earlier file.`,
    );
  } else say(`Only earlier backups need ${named}. To remove: saldo secrets rotate --forget`);
}

/** Makes new secrets in place of those whose key is lost, so that the server can be started. */
async function reset(client: pg.Client, file: string): Promise<void> {
  if (!existsSync(file)) await writeSecretsKeys(file, [newSecretsKey()]);
  const keys = readSecretsKeys(file);
  await client.query('begin');
  const replaced = await replaceLost(client, SEALED_COLUMNS, idsOf(keys));
  await sealPlain(client, SEALED_COLUMNS, createSealer(keys));
  await client.query('commit');
  if (replaced.size === 0) say(`Nothing was changed: ${file} has the key of every secret.`);
  for (const [consequence, uses] of replaced) say([consequence, ...uses.map((use) => `  ${use}`)].join('\n'));
}

async function showStatus(client: pg.Client, file: string): Promise<void> {
  const counts = await countByKey(client, SEALED_COLUMNS);
  const known = existsSync(file) ? idsOf(readSecretsKeys(file)) : [];
  const secretsOf = (id: string) => count(counts.get(id) ?? 0, 'secret');
  for (const [at, id] of known.entries()) say(`${id}  ${secretsOf(id)}${at === 0 ? ', seals new ones' : ''}`);
  for (const id of counts.keys()) if (!known.includes(id)) say(`${id}  ${secretsOf(id)}, missing in ${file}`);
}

/** No validation here: the command line tool has validated the arguments. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { forget: { type: 'boolean', default: false } },
  });
  const [command] = positionals;
  const file = readSecretsKeyFile(process.env);
  const source = await openSource(process.env, () => {});
  try {
    await withSecretsLock(source.url, (client) => {
      if (command === 'rotate') return rotate(client, file, values.forget);
      return command === 'reset' ? reset(client, file) : showStatus(client, file);
    });
  } finally {
    await source.close();
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`Not completed: ${explainQuery(error)}\n`);
  process.exitCode = 1;
});
