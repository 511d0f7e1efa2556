import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type DeliveryDay, formatInstant } from '@saldo/core/delivery-day.ts';
import type { MessageFormat, Tso } from '@saldo/core/enums.ts';
import type { Answer } from '@saldo/core/exchange/answer.ts';
import type { ReadResult } from '@saldo/core/exchange/documents/document.ts';
import { answerFileName, scheduleFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import { type ReadStatusRequest, readStatusRequest } from '@saldo/core/exchange/documents/status-request.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import {
  DONE_FOLDER,
  draftName,
  isSidecar,
  isUnfinished,
  sidecarName,
} from '@saldo/core/exchange/exchange-folders.ts';
import { compactDay } from '@saldo/core/exchange/schedule.ts';
import { type MarketRules, tsoCodes } from '@saldo/core/market-rules.ts';
import { formatMessage } from '@saldo/core/messages/message.ts';
import { acknowledgementOf, answersTo, answerTimes, type Behaviour, finalTypeOf } from './tso.ts';

export type SimulatedFolders = { readonly outboxDir: string; readonly inboxDir: string };

export type SimulationOptions = {
  readonly behaviour: Behaviour;
  /** Null: the format of the schedule. */
  readonly format: MessageFormat | null;
  /** Omits the final confirmations. */
  readonly isIntermediateOnly: boolean;
  /** Whether all answers come at once instead of at the times of a TSO. */
  readonly isImmediate: boolean;
  readonly rules: MarketRules;
};

/** Answers that the TSO sends later wait in this folder of the outbox, with their time before their name. */
const DUE = 'due';
const DUE_FORM = /^(\d+)_(.*)$/;
const PRIVATE = { recursive: true, mode: 0o700 };

/**
 * Simulates one pass of the gateway and the TSOs: reads every schedule and status request of the platform's outbox,
 * writes the answers to its inbox when their time has come, and moves the file away. Returns a line for each file.
 */
export async function answerOutbox(
  { outboxDir, inboxDir }: SimulatedFolders,
  options: SimulationOptions,
  now: number,
): Promise<string[]> {
  const lines: string[] = [];
  const dueDir = path.join(outboxDir, DUE);
  const doneDir = path.join(outboxDir, DONE_FOLDER);
  for (const folder of [inboxDir, dueDir, doneDir]) await mkdir(folder, PRIVATE);
  for (const name of await waitingFiles(outboxDir)) {
    const file = path.join(outboxDir, name);
    const bytes = await readFile(file).catch(nullIfGone);
    if (bytes === null) continue;
    lines.push(`${name}: ${await answerFile(bytes, outboxDir, options, now)}`);
    for (const moved of [name, sidecarName(name)])
      await rename(path.join(outboxDir, moved), path.join(doneDir, moved)).catch(nullIfGone);
  }
  await sendDue(dueDir, inboxDir, options.isImmediate ? Number.POSITIVE_INFINITY : now);
  return lines;
}

/** Puts the answers to a schedule or a status request into the folder of due answers and returns what they are. */
async function answerFile(
  bytes: Buffer,
  outboxDir: string,
  options: SimulationOptions,
  now: number,
): Promise<string> {
  const { behaviour, format, isIntermediateOnly, isImmediate, rules } = options;
  const dueDir = path.join(outboxDir, DUE);
  const asked = readStatusRequest(new TextDecoder().decode(bytes), rules);
  const read =
    asked === null ? readDocument(bytes, rules) : await findNewestSchedule(outboxDir, asked, rules);
  if (asked !== null) await acknowledgeRequest(asked, dueDir, options, now);
  if (read === null) return 'no schedule was answered yet';
  if (read.kind === 'unreadable') return `${formatMessage(read.fault, 'en')}.`;
  if (read.document.kind !== 'schedule') return 'not a schedule';
  const { schedule } = read.document;
  const times = isImmediate ? now : answerTimes(schedule, now, rules);
  const { acknowledgement, intermediate, anomaly, final } = answersTo(schedule, behaviour, times, rules);
  const given = [acknowledgement, intermediate, anomaly, isIntermediateOnly ? null : final];
  const all = given.filter((answer) => answer !== null);
  const isGiven = (one: Answer) => one.kind !== 'anomaly' && (isImmediate || one.createdAt <= now);
  // A status request gets the last answer to its schedule up to now.
  const answers = asked === null ? all : all.filter(isGiven).slice(-1);
  // A schedule that is accepted replaces the earlier versions, which then need no answer any more.
  if (asked === null && acknowledgement.outcome === 'accepted')
    await removeAnswers(dueDir, scheduleFileName(schedule));
  for (const answer of answers) {
    const document = writeAnswer(answer, format ?? read.format, rules, finalTypeOf(schedule.tso));
    await writeWhole(path.join(dueDir, `${answer.createdAt}_${answerFileName(schedule, answer)}`), document);
  }
  return answers
    .map((answer) => {
      const name = 'outcome' in answer ? `${answer.kind} ${answer.outcome}` : answer.kind;
      return isImmediate || answer.createdAt <= now ? name : `${name} at ${formatInstant(answer.createdAt)}`;
    })
    .join(', ');
}

async function acknowledgeRequest(
  request: ReadStatusRequest,
  dueDir: string,
  { format, rules }: SimulationOptions,
  now: number,
): Promise<void> {
  const answer = acknowledgementOf(request, rules, now);
  const { day, operatorEic } = request;
  const codes = tsoCodes(rules, request.tso, day);
  const name = answerFileName({ day, operatorEic, codes, version: null }, answer);
  const document = writeAnswer(answer, format ?? request.format, rules);
  await writeWhole(path.join(dueDir, `${answer.createdAt}_${name}`), document);
}

async function removeAnswers(dueDir: string, fileName: string): Promise<void> {
  const stem = fileName.slice(0, -'001.XML'.length);
  for (const name of await readdir(dueDir)) {
    if (DUE_FORM.exec(name)?.[2]?.startsWith(stem)) await unlink(path.join(dueDir, name)).catch(nullIfGone);
  }
}

/** Moves the answers whose time has come into the inbox, which may be on another file system. */
async function sendDue(dueDir: string, inboxDir: string, now: number): Promise<void> {
  const waiting = (await readdir(dueDir)).flatMap((name) => {
    const [, at, answerName] = DUE_FORM.exec(name) ?? [];
    return answerName === undefined || Number(at) > now ? [] : [{ name, at: Number(at), answerName }];
  });
  for (const { name, answerName } of waiting.toSorted((a, b) => a.at - b.at)) {
    const file = path.join(dueDir, name);
    const bytes = await readFile(file).catch(nullIfGone);
    if (bytes === null) continue;
    await writeWhole(path.join(inboxDir, answerName), bytes);
    await unlink(file).catch(nullIfGone);
  }
}

/** The newest answered version of a TSO's schedule of a day. Null if there is none. */
async function findNewestSchedule(
  outboxDir: string,
  { tso, day }: { tso: Tso; day: DeliveryDay },
  rules: MarketRules,
): Promise<ReadResult | null> {
  const doneDir = path.join(outboxDir, DONE_FOLDER);
  const infix = `_${tsoCodes(rules, tso, day).party}_`;
  const names = (await readdir(doneDir)).filter(
    (name) => name.startsWith(`${compactDay(day)}_TPS_`) && name.includes(infix) && name.endsWith('.XML'),
  );
  const newest = names.toSorted().at(-1);
  if (newest === undefined) return null;
  return readDocument(await readFile(path.join(doneDir, newest)), rules);
}

/** Oldest first, without files that are still being written. */
async function waitingFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter(
    (entry) => entry.isFile() && !isUnfinished(entry.name) && !isSidecar(entry.name),
  );
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
  const draft = path.join(path.dirname(file), draftName(path.basename(file), randomUUID()));
  await writeFile(draft, text);
  await rename(draft, file);
}

/** Several processes may simulate on the same folders: a file that another one has moved is not an error. */
function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
