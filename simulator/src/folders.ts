import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { MessageFormat } from '@saldo/core/enums.ts';
import { answerFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { answersTo, type Behaviour } from './tso.ts';

export type SimulatedFolders = { readonly outboxDir: string; readonly inboxDir: string };

export type SimulationOptions = {
  readonly behaviour: Behaviour;
  /** Null: the format of the schedule. */
  readonly format: MessageFormat | null;
  /** Omits the final confirmations. */
  readonly isIntermediateOnly: boolean;
  readonly rules: MarketRules;
};

const UNFINISHED = /^\.|\.(?:tmp|part)$/i;
const DONE = 'done';
const PRIVATE = { recursive: true, mode: 0o700 };

/**
 * Simulates one pass of the gateway and the TSOs: reads every schedule of the platform's outbox, writes the answers to
 * its inbox, and moves the schedule away. Returns a line for each file.
 */
export async function answerOutbox(
  { outboxDir, inboxDir }: SimulatedFolders,
  { behaviour, format: wanted, isIntermediateOnly, rules }: SimulationOptions,
  now: number,
): Promise<string[]> {
  const lines: string[] = [];
  await mkdir(inboxDir, PRIVATE);
  await mkdir(path.join(outboxDir, DONE), PRIVATE);
  for (const name of await waitingFiles(outboxDir)) {
    const file = path.join(outboxDir, name);
    const bytes = await readFile(file).catch(nullIfGone);
    if (bytes === null) continue;
    const read = readDocument(bytes, rules);
    const moveToDone = () => rename(file, path.join(outboxDir, DONE, name)).catch(nullIfGone);
    if (read.kind === 'unreadable' || read.document.kind !== 'schedule') {
      lines.push(`${name}: ${read.kind === 'unreadable' ? read.reason : 'not a schedule'}`);
      await moveToDone();
      continue;
    }
    const { schedule } = read.document;
    const { acknowledgement, intermediate, anomaly, final } = answersTo(schedule, behaviour, now);
    const given = [acknowledgement, intermediate, anomaly, isIntermediateOnly ? null : final];
    const answers = given.filter((answer) => answer !== null);
    for (const answer of answers) {
      const document = writeAnswer(answer, wanted ?? read.format, rules);
      await writeWhole(path.join(inboxDir, answerFileName(schedule, answer)), document);
    }
    await moveToDone();
    const said = answers.map((answer) =>
      'outcome' in answer ? `${answer.kind} ${answer.outcome}` : answer.kind,
    );
    lines.push(`${name}: ${said.join(', ')}`);
  }
  return lines;
}

/** Oldest first, without files that are still being written. */
async function waitingFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && !UNFINISHED.test(entry.name));
  const dated = await Promise.all(
    names.map(async ({ name }) => {
      const found = await stat(path.join(folder, name)).catch(nullIfGone);
      return found === null ? [] : [{ name, at: found.mtimeMs }];
    }),
  );
  return dated
    .flat()
    .toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/** The platform ignores names that start with a dot, so it never reads a partial file. */
async function writeWhole(file: string, text: string | Uint8Array): Promise<void> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}.tmp`);
  await writeFile(draft, text);
  await rename(draft, file);
}

/** Several processes may simulate on the same folders: a file that another one has moved is not an error. */
function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
