import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { operatorEndpoints as api, type InterchangeResult } from '@saldo/api';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { localTime, tableOf } from '../tables.ts';
import { addExamples, addList, doing, type OpenSession, showing } from './command.ts';

export function addInterchangeCommands(program: Command, open: OpenSession): void {
  const interchanges = program.command('interchanges').description('received MSCONS interchanges');
  addList(interchanges, open, {
    endpoint: api.listInterchanges,
    about: 'list interchanges, newest first',
    examples: ['interchanges list', 'interchanges list --all --json'],
    columns: [
      ['ID', ({ id }) => id],
      ['RECEIVED', ({ received_at }) => localTime(received_at)],
      ['SENDER', ({ sender }) => sender],
      ['REFERENCE', ({ reference }) => reference],
      ['STATE', ({ state }) => state],
      ['MESSAGES', ({ messages }) => messages],
      ['REJECTED', ({ rejected_messages }) => rejected_messages],
      ['UNKNOWN', ({ unknown_locations }) => unknown_locations],
      ['REASON', ({ reason }) => reason],
    ],
    from: (client) => client.interchanges,
  });
  const show = interchanges
    .command('show <interchange>')
    .description('show an interchange, its rejected messages and its remarks');
  addExamples(show, 'interchanges show icg_01k9x41m8qf4t9v6q3w7x1y0zk').action(
    showing(
      open,
      'operator',
      (client, id) => client.interchanges.get(id),
      async (session, interchange) => {
        await session.show(interchange);
        if (session.format !== 'text') return;
        await showRejectedMessages(session, interchange);
        await showPlaces(session, interchange.remarks, ['REMARK', ({ text }) => text]);
      },
    ),
  );
  const raw = interchanges
    .command('raw <interchange>')
    .description('print an interchange, byte for byte as it was received');
  addExamples(raw, 'interchanges raw icg_01k9x41m8qf4t9v6q3w7x1y0zk > lastgang.edi').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const { body } = await (await session.operator()).interchanges.raw(id);
      await pipeline(Readable.from(body), session.terminal.stdout, { end: false });
    }),
  );
}

type Place = { readonly message: number; readonly segment: number | null };

async function showPlaces<Item extends Place>(
  session: Session,
  items: readonly Item[],
  text: readonly [title: string, cell: (item: Item) => string],
): Promise<void> {
  if (items.length === 0) return;
  const table = tableOf<Item>(
    items,
    [['MESSAGE', ({ message }) => message], ['SEGMENT', ({ segment }) => segment, 'right'], text],
    session.style,
  );
  await session.print(`\n${table}`);
}

export async function showRejectedMessages(
  session: Session,
  { rejected, rejected_messages }: Pick<InterchangeResult, 'rejected' | 'rejected_messages'>,
): Promise<void> {
  await showPlaces(session, rejected, ['REASON', ({ reason }) => reason]);
  if (rejected.length < rejected_messages)
    session.note(`These are the first ${rejected.length} of ${rejected_messages} rejected messages.`);
}
