import type { SaldoEvent } from '@saldo/api';
import type { Command } from 'commander';
import { localTime } from '../tables.ts';
import { harmless, type Style } from '../terminal.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

/** Works with a key of any kind: the events are those of its owner. */
export function addEventCommands(program: Command, open: OpenSession): void {
  const events = program.command('events').description('changes, as they happen');
  const follow = events
    .command('follow')
    .description('print new events until it is interrupted; --json prints one JSON object a line');
  follow.option('--types <type...>', 'types of events, such as nomination.* or customer.updated');
  follow.option('--after <place>', 'the id of an event: print all events after it', 'latest');
  addExamples(
    follow,
    'events follow',
    'events follow --types exchange.alarm nomination.rejected --json',
    'events follow --after evt_01m7fmt31rf7krgde08br5b6y1',
  ).action(
    doing(open, async (session) => {
      const { events: feed } = await session.own();
      for await (const event of feed.follow(follow.opts<{ after: string; types?: string[] }>())) {
        if (session.format === 'json') await session.printJson(event, true);
        else if (session.format === 'quiet') await session.print(`${event.id}\n`);
        else await session.print(`${lineOf(event, session.style)}\n`);
      }
    }),
  );
}

/** Time, type, and the members of the data in the order of the API. */
function lineOf({ occurred_at, type, data }: SaldoEvent, style: Style): string {
  const { object: _, ...members } = data;
  const shown = Object.entries(members).flatMap(([name, value]) =>
    value === null ? [] : [`${style('dim', `${name}=`)}${harmless(String(value))}`],
  );
  return [localTime(occurred_at), style('bold', type), ...shown].join('  ');
}
