import { DELIVERY_STATES, type WebhookDelivery, type WebhookEndpoint } from '@saldo/api';
import { type Command, Option } from 'commander';
import { countOf } from '../fields.ts';
import { type Column, localTime } from '../tables.ts';
import { harmless } from '../terminal.ts';
import { addExamples, doing, type OpenSession, showing, showSecret } from './command.ts';
import { addListen } from './webhook-listen.ts';

const ENDPOINT_COLUMNS: readonly Column<WebhookEndpoint>[] = [
  ['ID', ({ id }) => id],
  ['STATUS', ({ status, disabled_reason }) => disabled_reason ?? status],
  ['FAILING SINCE', ({ failing_since }) => failing_since && localTime(failing_since)],
  ['TYPES', ({ types }) => types.join(' ')],
  ['URL', ({ url }) => url],
  ['DESCRIPTION', ({ description }) => description],
];

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  ['ID', ({ id }) => id],
  ['CREATED', ({ created_at }) => localTime(created_at)],
  ['EVENT', ({ event_id }) => event_id],
  ['TYPE', ({ event_type }) => event_type],
  ['STATE', ({ state }) => state],
  ['TRIES', ({ attempts }) => attempts],
  ['STATUS', ({ status_code }) => status_code],
  ['MS', ({ duration_ms }) => duration_ms],
  ['NEXT TRY', ({ next_attempt_at }) => next_attempt_at && localTime(next_attempt_at)],
  ['ERROR', ({ error }) => error],
];

const MAX_PAGE = 100;
const EXAMPLE = 'whe_01k9x3w8v5e2ntq0v9bgr4kx7c';

/** Works with a key of any kind: the endpoints are those of its owner. */
export function addWebhookCommands(program: Command, open: OpenSession): void {
  const webhooks = program.command('webhooks').description('endpoints that events are sent to');
  addEndpoints(webhooks, open);
  addChanges(webhooks, open);
  addDeliveries(webhooks, open);
  addReplay(webhooks, open);
  addListen(webhooks, open);
}

const withTypes = (command: Command) =>
  command.option('--types <type...>', 'types of events, such as nomination.* or customer.updated');

function addEndpoints(webhooks: Command, open: OpenSession): void {
  const list = webhooks.command('list').description('list your webhook endpoints');
  addExamples(list, 'webhooks list').action(
    doing(open, async (session) => {
      const { webhookEndpoints } = await session.own();
      const { webhook_endpoints: records } = await webhookEndpoints.list({ limit: MAX_PAGE });
      await session.showTable(records, ENDPOINT_COLUMNS, 'There are no webhook endpoints.');
    }),
  );
  const create = webhooks
    .command('create <url>')
    .description('create an endpoint with an https URL; its secret is shown once');
  withTypes(create).option('--description <text>', 'what the endpoint is for');
  addExamples(
    create,
    'webhooks create https://hooks.nordwind.example/saldo',
    "webhooks create https://… --types 'nomination.*' customer.updated --quiet",
  ).action(
    doing(open, async (session, { args: [url = ''] }) => {
      const body = { url, ...create.opts<{ types?: string[]; description?: string }>() };
      await showSecret(session, await (await session.own()).webhookEndpoints.create(body));
    }),
  );
}

function addChanges(webhooks: Command, open: OpenSession): void {
  const rotate = webhooks
    .command('rotate <endpoint>')
    .description('new secret; the old one signs for 24 hours too');
  addExamples(rotate, `webhooks rotate ${EXAMPLE}`).action(
    showing(open, 'own', (client, id) => client.webhookEndpoints.rotateSecret(id), showSecret),
  );
  for (const [name, status] of [
    ['enable', 'enabled'],
    ['disable', 'disabled'],
  ] as const) {
    const command = webhooks.command(`${name} <endpoint>`).description(`${name} an endpoint`);
    addExamples(command, `webhooks ${name} ${EXAMPLE}`).action(
      showing(open, 'own', (client, id) => client.webhookEndpoints.update(id, { status })),
    );
  }
  const remove = webhooks.command('delete <endpoint>').description('delete an endpoint and its deliveries');
  addExamples(remove, `webhooks delete ${EXAMPLE}`).action(
    doing(open, async (session, { args: [id = ''] }) => {
      await (await session.own()).webhookEndpoints.delete(id);
      session.note(`${harmless(id)} is deleted.`);
    }),
  );
  const test = webhooks.command('test <endpoint>').description('send a test event now, and show the answer');
  test.addHelpText('after', '\nThe exit code is 1 when the endpoint did not accept the event.\n');
  addExamples(test, `webhooks test ${EXAMPLE}`).action(
    doing(open, async (session, { args: [id = ''] }) => {
      const result = await (await session.own()).webhookEndpoints.test(id);
      await session.show(result);
      if (!result.succeeded) session.endWith(1);
    }),
  );
}

function addDeliveries(webhooks: Command, open: OpenSession): void {
  const deliveries = webhooks
    .command('deliveries <endpoint>')
    .description('list deliveries, newest first; --json adds the answers')
    .addOption(new Option('--state <state>', 'only this state').choices(DELIVERY_STATES))
    .option('--limit <number>', `maximum number of records, up to ${MAX_PAGE}`, countOf, 20);
  addExamples(deliveries, `webhooks deliveries ${EXAMPLE} --state failed`).action(
    doing(open, async (session, { args: [id = ''] }) => {
      const given = deliveries.opts<{ state?: WebhookDelivery['state']; limit: number }>();
      const query = { ...given, limit: Math.min(given.limit, MAX_PAGE), order: 'newest_first' as const };
      const page = await (await session.own()).webhookEndpoints.deliveries(id, query);
      await session.showTable(page.deliveries, DELIVERY_COLUMNS, 'No deliveries match.');
    }),
  );
  const retry = webhooks.command('retry <endpoint> <delivery>').description('try a delivery again now');
  addExamples(retry, `webhooks retry ${EXAMPLE} whd_01k9x41m8qf4t9v6q3w7x1y0zk`).action(
    showing(open, 'own', (client, id, delivery) => client.webhookEndpoints.retry(id, delivery)),
  );
}

function addReplay(webhooks: Command, open: OpenSession): void {
  const replay = webhooks.command('replay <endpoint>').description('send events of the feed again');
  replay.option('--after <event or time>', 'only events after this event or time');
  replay.option('--before <event or time>', 'only events before this event or time');
  addExamples(
    withTypes(replay),
    `webhooks replay ${EXAMPLE} --after 2026-11-15T13:00:00Z`,
    `webhooks replay ${EXAMPLE} --after evt_01m7fmt31rf7krgde08br5b6y1 --types 'nomination.*'`,
  ).action(
    doing(open, async (session, { args: [id = ''] }) => {
      const { webhookEndpoints } = await session.own();
      let body = replay.opts<{ after?: string; before?: string; types?: string[] }>();
      let deliveries = 0;
      for (;;) {
        const step = await webhookEndpoints.replay(id, body);
        deliveries += step.deliveries;
        if (step.next_after === null) break;
        body = { ...body, after: step.next_after };
      }
      await session.show({ deliveries });
    }),
  );
}
