import type { SaldoEvent } from '@saldo/api';
import { signWebhook } from '@saldo/sdk';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { localTime } from '../tables.ts';
import { harmless } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

/** As the platform waits for a receiver. */
const TIMEOUT_MS = 15_000;
const SECRET_BYTES = 32;

type ListenOptions = { forwardTo: string; types?: string[]; after: string; secret?: string };

/** Forwards events to an address that the platform cannot reach, such as a developer's own machine. */
export function addListen(webhooks: Command, open: OpenSession): void {
  const listen = webhooks
    .command('listen')
    .description('follow your events and forward each, signed, to a local address')
    .requiredOption('--forward-to <url>', 'where events are sent')
    .option('--types <type...>', 'types of events, such as nomination.* or customer.updated')
    .option('--after <event>', 'the id of an event: forward all events after it', 'latest')
    .option('--secret <secret>', 'the secret that signs; by default a new one');
  addExamples(
    listen,
    'webhooks listen --forward-to http://127.0.0.1:3000/hooks',
    "webhooks listen --forward-to http://127.0.0.1:3000/hooks --types 'nomination.*'",
  ).action(
    doing(open, async (session) => {
      const { forwardTo, types, after, secret = newSecret() } = listen.opts<ListenOptions>();
      if (!URL.canParse(forwardTo) || !/^https?:/.test(forwardTo)) {
        throw new UsageError('--forward-to must be a URL that begins with http:// or https://');
      }
      const { events } = await session.own();
      // The receiver needs the secret, so that --quiet shows it too.
      session.complain(`Forwarding events to ${harmless(forwardTo)}, signed with ${harmless(secret)}`);
      const filter = types === undefined ? {} : { types };
      for await (const event of events.follow({ ...filter, after })) {
        await report(session, event, await forward(session, forwardTo, event, secret));
      }
    }),
  );
}

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
}

type Forwarded = { status: number | null; error: string | null };

/** A failed event is reported and not tried again: the next run may start `--after` it. */
async function forward(
  { terminal }: Session,
  url: string,
  event: SaldoEvent,
  secret: string,
): Promise<Forwarded> {
  const body = JSON.stringify(event);
  const headers = { 'content-type': 'application/json', ...(await signWebhook(event.id, body, secret)) };
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return { status: response.status, error: response.ok ? null : `status ${response.status}` };
  } catch (error) {
    terminal.signal.throwIfAborted();
    const { message, cause } = error as Error;
    return { status: null, error: cause instanceof Error ? cause.message : message };
  }
}

async function report(session: Session, event: SaldoEvent, { status, error }: Forwarded): Promise<void> {
  const { id, type, occurred_at } = event;
  if (session.format === 'json')
    return session.printJson({ event_id: id, type, status_code: status, error }, true);
  if (session.format === 'quiet') return session.print(`${id}\n`);
  const outcome =
    error === null ? session.style('green', String(status)) : session.style('red', harmless(error));
  await session.print(`${localTime(occurred_at)}  ${id}  ${session.style('bold', type)}  ${outcome}\n`);
}
