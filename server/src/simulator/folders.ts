import type { MessageFormat } from '@saldo/core/enums.ts';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import { answerFileName, writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { inboxFolder, outboxFolder } from '../features/exchange/transport.ts';
import { answersTo, type Behaviour } from './tso.ts';

export type SimulatedFolders = { readonly outboxDir: string; readonly inboxDir: string };

export type SimulationOptions = {
  readonly behaviour: Behaviour;
  /** Null: the format of the schedule. */
  readonly format: MessageFormat | null;
  /** Omits the final confirmations. */
  readonly isIntermediateOnly: boolean;
};

/**
 * Simulates one pass of the gateway and the TSOs: reads every schedule of the platform's outbox, writes the answers to
 * its inbox, and moves the schedule away. Returns a line for each file.
 */
export async function answerOutbox(
  { outboxDir, inboxDir }: SimulatedFolders,
  { behaviour, format: wanted, isIntermediateOnly }: SimulationOptions,
  now: number,
): Promise<string[]> {
  const inbox = outboxFolder(inboxDir);
  const lines: string[] = [];
  for (const file of await inboxFolder(outboxDir).files()) {
    const bytes = await file.read();
    if (bytes === null) continue;
    const read = readDocument(bytes);
    if (read.kind === 'unreadable' || read.document.kind !== 'schedule') {
      lines.push(`${file.name}: ${read.kind === 'unreadable' ? read.reason : 'not a schedule'}`);
      await file.moveToDone();
      continue;
    }
    const { schedule } = read.document;
    const { acknowledgement, intermediate, anomaly, final } = answersTo(schedule, behaviour, now);
    const given = [acknowledgement, intermediate, anomaly, isIntermediateOnly ? null : final];
    const answers = given.filter((answer) => answer !== null);
    for (const answer of answers) {
      const document = writeAnswer(answer, wanted ?? read.format);
      await inbox.deliver(answerFileName(schedule, answer), Buffer.from(document));
    }
    await file.moveToDone();
    const said = answers.map((answer) =>
      'outcome' in answer ? `${answer.kind} ${answer.outcome}` : answer.kind,
    );
    lines.push(`${file.name}: ${said.join(', ')}`);
  }
  return lines;
}
