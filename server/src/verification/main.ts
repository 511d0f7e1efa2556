/** Entry point of `saldo verify`. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { explainQuery } from '../backup/explain.ts';
import { openSource } from '../backup/place.ts';
import { createProgress, formatCount, secondsSince } from '../backup/progress.ts';
import { readLedgerKeyFile } from '../start/config.ts';
import { readLedgerKey } from '../start/ledger-key-file.ts';
import type { Seal } from './seals.ts';
import { type Verification, verifyLedger } from './verify.ts';

/** The codes of the command line. */
const EXIT = { differs: 1, problem: 3, interrupted: 130 } as const;

const say = (text: string) => process.stdout.write(`${text}\n`);
const progress = createProgress(process.stderr);
const iso = (instant: number) => new Date(instant).toISOString();
const count = (number: number, noun: string, plural = `${noun}s`) =>
  `${formatCount(number)} ${number === 1 ? noun : plural}`;

class SealsFileError extends Error {}

/** An answer of `GET /v1/ledger/seals`, or of several ones: a list of seals, or one seal. */
async function readSeals(file: string): Promise<Seal[]> {
  const text = await readFile(file, 'utf8');
  try {
    const content = JSON.parse(text) as { seals?: Seal[] } | Seal[] | Seal;
    const seals = [content]
      .flat()
      .flatMap((part) => ('seals' in part && part.seals ? part.seals : [part as Seal]));
    if (seals.length > 0 && seals.every(isSeal)) return seals;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new SealsFileError(`${file} has no seals: it should be an answer of GET /v1/ledger/seals.`);
}

const isSeal = (seal: Partial<Seal>): boolean =>
  Number.isSafeInteger(seal.tree_size) &&
  [seal.root_hash, seal.sealed_at, seal.signature, seal.public_key].every((text) => typeof text === 'string');

function report(result: Verification, startedAt: number): void {
  const { differences, agreeing, seals, oldest, newest, unsealed, older } = result;
  for (const line of differences.lines) say(line);
  const hidden = differences.count - differences.lines.length;
  if (hidden > 0) say(`… and ${formatCount(hidden)} more.`);
  const period = oldest === null || newest === null ? '' : `, oldest ${iso(oldest)}, newest ${iso(newest)}`;
  const all = `${count(agreeing, 'entry agrees', 'entries agree')}, ${count(seals, 'seal')}${period}`;
  const rest = [
    ...(unsealed > 0 ? [`${count(unsealed, 'entry is', 'entries are')} not sealed yet.`] : []),
    ...(older > 0 ? [`${formatCount(older)} would be older than the ledger and are not in it.`] : []),
  ];
  say(
    [
      differences.count > 0 ? `${count(differences.count, 'difference')} found.` : '',
      `${all}; ${secondsSince(startedAt)} s.`,
      ...rest,
    ]
      .join(' ')
      .trim(),
  );
  if (differences.count > 0) process.exitCode = EXIT.differs;
}

/** No validation here: the command line tool has validated the arguments. */
async function main(signal: AbortSignal): Promise<void> {
  const startedAt = Date.now();
  const { values } = parseArgs({ options: { since: { type: 'string' }, seals: { type: 'string' } } });
  const kept = values.seals === undefined ? [] : await readSeals(values.seals);
  const since = values.since === undefined ? null : Date.parse(values.since);
  const keyFile = readLedgerKeyFile(process.env);
  const ownKey = existsSync(keyFile) ? readLedgerKey(keyFile).publicKey.toString('base64') : null;
  const source = await openSource(process.env, (message) => process.stderr.write(`${message}\n`));
  try {
    const result = await verifyLedger(source.url, { since, kept, ownKey, progress, signal });
    progress.stop();
    report(result, startedAt);
  } finally {
    await source.close();
  }
}

const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort());
await main(interrupt.signal).catch((error: unknown) => {
  progress.stop();
  const isInterrupted = interrupt.signal.aborted;
  const reason = error instanceof SealsFileError ? error.message : explainQuery(error);
  process.stderr.write(`Not verified: ${isInterrupted ? 'Interrupted.' : reason}\n`);
  process.exitCode = isInterrupted ? EXIT.interrupted : EXIT.problem;
});
