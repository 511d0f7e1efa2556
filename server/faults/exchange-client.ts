/** Requests schedules, and simulates the gateway that empties the outbox and the TSOs that answer. */
import { hash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Answer as TsoAnswer } from '@saldo/core/exchange/answer.ts';
import { answerFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import type { Schedule } from '@saldo/core/exchange/schedule.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { writeIntoFolder } from '../src/exchange/transport/folders.ts';
import { HandoverFailed } from '../src/exchange/transport/transport.ts';
import type { Client, Load } from './clients.ts';
import { request } from './request.ts';

type Waiting = { readonly schedule: Schedule; readonly answer: TsoAnswer; readonly way: 'inbox' | 'request' };

export type ExchangeClient = Client & {
  /** Moves all files out of the outbox and journals each of them. */
  takeFiles(): Promise<void>;
};

export function exchangeClient(load: Load): ExchangeClient {
  const { target, world, journal, random, counter } = load;
  const key = world.operatorKey;
  const waiting: Waiting[] = [];
  let steps = 0;

  async function send(): Promise<void> {
    const body = { delivery_date: world.days[steps % world.days.length] };
    const url = `${target.baseUrl}/operator/v1/exchange/send`;
    const answer = await request(url, { key, method: 'POST', body });
    counter.count(answer);
    if (answer.outcome !== 'acknowledged') return;
    const made = answer.body.messages as { id: string; file_name: string }[];
    const messages = made.map(({ id, file_name }) => ({ id, file: file_name }));
    if (messages.length > 0) journal.append({ entry: 'sent', messages });
  }

  async function takeFiles(): Promise<void> {
    const names = await readdir(target.outboxDir).catch(() => []);
    for (const name of names.filter((one) => /^[^.].*\.XML$/.test(one)).toSorted()) {
      const file = path.join(target.outboxDir, name);
      const bytes = await readFile(file);
      journal.append({ entry: 'file', name, sha256: hash('sha256', bytes) });
      await rm(file);
      await rm(`${file}.json`, { force: true });
      waiting.push(...answersFor(name, bytes));
    }
  }

  /** Always acknowledges, and sends a final confirmation half of the time. A few answers are sent over HTTP. */
  function answersFor(name: string, bytes: Buffer): Waiting[] {
    // The answers to the schedule itself are on their way.
    if (name.includes('_SRQ_')) return [];
    const read = readDocument(bytes, BUILT_IN_RULES);
    if (read.kind !== 'ok' || read.document.kind !== 'schedule')
      throw new Error(`${name} is not a schedule.`);
    const { schedule } = read.document;
    const { acknowledgement, final } = answersTo(schedule, CONFORMING, Date.now());
    if (acknowledgement.outcome !== 'accepted') throw new Error(`${name} does not net to zero.`);
    const way = random.pick(['inbox', 'inbox', 'request'] as const);
    const given = final !== null && random.integer(0, 1) === 1 ? [acknowledgement, final] : [acknowledgement];
    return given.map((answer) => ({ schedule, answer, way }));
  }

  async function answerNext(): Promise<void> {
    const next = waiting[0];
    if (!next) return;
    const isDelivered = next.way === 'inbox' ? await putIntoInbox(next) : await post(next);
    if (isDelivered) waiting.shift();
  }

  async function putIntoInbox({ schedule, answer }: Waiting): Promise<boolean> {
    const file = answerFileName(schedule, answer);
    try {
      await writeIntoFolder(target.inboxDir, file, Buffer.from(writeAnswer(answer, 'ess')));
    } catch (error) {
      // The disk is full; retry later.
      if (error instanceof HandoverFailed) return false;
      throw error;
    }
    journal.append({ entry: 'answer', answer: answer.id, file });
    return true;
  }

  async function post({ answer }: Waiting): Promise<boolean> {
    const url = `${target.baseUrl}/operator/v1/exchange/receive`;
    const body = writeAnswer(answer, 'ess');
    const received = await request(url, { key, method: 'POST', body, contentType: 'application/xml' });
    counter.count(received);
    if (received.outcome === 'acknowledged')
      journal.append({ entry: 'answer', answer: answer.id, file: null });
    return received.outcome === 'acknowledged';
  }

  return {
    takeFiles,
    async step() {
      if (steps++ % 4 === 0) await send();
      await takeFiles();
      await answerNext();
      await answerNext();
    },
  };
}
