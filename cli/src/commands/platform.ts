import { operatorEndpoints as api, type DeliveryDayCalendar } from '@saldo/api';
import { formatInstant, localInstant } from '@saldo/core/delivery-day.ts';
import { isProblem } from '@saldo/sdk';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { detailsOf, localTime, tableOf } from '../tables.ts';
import { UsageError } from '../usage.ts';
import { addExamples, addList, doing, type OpenSession } from './command.ts';

export function addPlatformCommands(program: Command, open: OpenSession): void {
  addList(program, open, {
    name: 'audit',
    endpoint: api.listAudit,
    about: 'list changes with actor and time; --json adds the user agent and the records before and after',
    examples: [
      'audit --subject cust_01jhm3vz1he1tr8kc5g7w2m0qp',
      'audit --action customer.updated --all --json',
    ],
    columns: [
      ['WHEN', ({ at }) => localTime(at)],
      ['ACTION', ({ action }) => action],
      ['SUBJECT', ({ subject }) => subject],
      ['ACTOR', ({ actor }) => actor],
      ['ADDRESS', ({ address }) => address],
      ['REQUEST', ({ request_id }) => request_id],
    ],
    from: (client) => client.audit,
  });
  const clock = program.command('clock').description('the clock of a sandbox');
  const get = clock.command('get').description('show the platform’s time');
  addExamples(get, 'clock get').action(
    doing(open, async (session) => session.show(await inSandbox((await session.operator()).clock.get()))),
  );
  const set = clock
    .command('set <instant>')
    .description('move the platform’s time, to an instant or to the German time of a day');
  addExamples(
    set,
    'clock set 2026-10-24T12:29:59Z',
    "clock set '2026-10-24 14:29'",
    "clock set 'today 11:00'",
  ).action(
    doing(open, async (session, { args: [given = ''] }) => {
      const now = await instantOf(session, given);
      await session.show(await inSandbox((await session.operator()).clock.set({ now })));
    }),
  );
  const day = program
    .command('delivery-day <day>')
    .description('slots and gates of a German delivery day')
    .option('--slots', 'show the slots too');
  addExamples(
    day,
    'delivery-day tomorrow',
    'delivery-day 2026-03-29 --slots',
    'delivery-day +2 --quiet',
  ).action(
    doing(open, async (session, { args: [date = ''] }) => {
      const { slots } = day.opts<{ slots?: boolean }>();
      await showDay(
        session,
        await (await session.client()).deliveryDays.get(await session.day(date)),
        slots === true,
      );
    }),
  );
}

/** Accepts an instant, which the API checks, or a day and its German time: `today 11:00`. */
async function instantOf(session: Session, text: string): Promise<string> {
  const [, day, hours, minutes] = /^(\S+) ([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (day === undefined) return text;
  return formatInstant(localInstant(await session.day(day), Number(hours) * 60 + Number(minutes)));
}

/** Only a sandbox has the clock's path. */
export async function inSandbox<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    if (!isProblem(error, 'not_found')) throw error;
    throw new UsageError('the platform is not a sandbox: this command needs a start with SANDBOX=on');
  });
}

async function showDay(session: Session, calendar: DeliveryDayCalendar, withSlots: boolean): Promise<void> {
  if (session.format !== 'text') return session.show(calendar);
  const { style } = session;
  const gates = tableOf(
    calendar.gates,
    [
      ['GATE', ({ phase }) => phase],
      ['CLOSES', ({ closes_at }) => localTime(closes_at)],
      ['NOW', ({ open }) => (open ? 'open' : 'closed')],
    ],
    style,
  );
  await session.print(`${detailsOf(calendar, style)}\n${gates}`);
  if (!withSlots) return;
  const slots = tableOf(
    calendar.slots,
    [
      ['SLOT', ({ slot_number }) => slot_number],
      ['START', ({ delivery_start }) => localTime(delivery_start)],
      ['START UTC', ({ delivery_start }) => delivery_start],
    ],
    style,
  );
  await session.print(`\n${slots}`);
}
