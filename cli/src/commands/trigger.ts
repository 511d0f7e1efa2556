import type { EventType, Message, SimulatedAnswer } from '@saldo/api';
import type { OperatorClient } from '@saldo/sdk';
import { Argument, type Command } from 'commander';
import { UsageError } from '../usage.ts';
import { addExamples, doing, type OpenSession } from './command.ts';
import { inSandbox } from './platform.ts';

const NOTES = `
Only in a sandbox (SANDBOX=on), with a key of the operator. The event is real: the simulated TSO answers the schedule, or the record
is changed, so that receivers of the event find the record as it says. Feeds and webhooks of the operator and of the BRP get it.`;

/** Makes the change that the event is about. Returns the records that show it. */
type Trigger = (client: OperatorClient, id: string | undefined) => Promise<object>;

const ANSWERABLE: readonly Message['state'][] = ['sent', 'delivered', 'acknowledged'];

/** The newest schedule that its TSO has not confirmed or rejected. */
async function findSchedule({ messages }: OperatorClient): Promise<string> {
  const filter = { direction: 'out', type: 'schedule', order: 'newest_first' } as const;
  const pages = await Promise.all(ANSWERABLE.map((state) => messages.list({ ...filter, state, limit: 1 })));
  const found = pages
    .flatMap((page) => page.messages)
    .toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1));
  if (found[0] === undefined)
    throw new UsageError('no schedule waits for an answer: send one with saldo exchange send, or give --id');
  return found[0].id;
}

const answering =
  (answer: SimulatedAnswer): Trigger =>
  async (client, id) =>
    client.exchange.simulateAnswer(id ?? (await findSchedule(client)), { answer });

const updateCustomer: Trigger = async ({ customers }, id) => {
  const [first] = id === undefined ? (await customers.list({ limit: 1 })).customers : [];
  const chosen = id ?? first?.id;
  if (chosen === undefined)
    throw new UsageError('there is no customer: create one with saldo customers create');
  const { metadata } = await customers.get(chosen);
  return customers.update(chosen, { metadata: { ...metadata, triggered_at: new Date().toISOString() } });
};

const TRIGGERS: Partial<Record<EventType, Trigger>> = {
  'nomination.matched': answering('match'),
  'nomination.mismatched': answering('mismatch'),
  'nomination.rejected': answering('rejection'),
  'customer.updated': updateCustomer,
};

export function addTriggerCommand(program: Command, open: OpenSession): void {
  const trigger = program
    .command('trigger')
    .description('cause an event in a sandbox')
    .addArgument(new Argument('<type>', 'the type of the event').choices(Object.keys(TRIGGERS)))
    .option(
      '--id <id>',
      'the message of the schedule, or the customer; default: the newest schedule, the first customer',
    )
    .addHelpText('after', NOTES);
  addExamples(
    trigger,
    'trigger nomination.mismatched',
    'trigger nomination.rejected --id msg_01jhm5b2m8f4t9v6q3w7x1y0zk',
    'trigger customer.updated --quiet',
  ).action(
    doing(open, async (session, { args: [type = ''] }) => {
      const client = await session.operator();
      await inSandbox(client.clock.get());
      const { id } = trigger.opts<{ id?: string }>();
      await session.show((await TRIGGERS[type as EventType]?.(client, id)) ?? {});
      session.note(`${type} is in the feeds, and on its way to the webhooks.`);
    }),
  );
}
