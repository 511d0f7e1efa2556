/** The clients of a campaign. Each client writes only its own records, sequentially, so that the order is known. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { slotCount } from '@saldo/core/delivery-day.ts';
import { mwhNumber, mwhText } from '@saldo/core/energy.ts';
import type { DayVolumes, Journal, Outcome, Write } from './journal.ts';
import type { Random } from './random.ts';
import { type Answer, detailOf, type OutcomeCounter, type RequestOptions, request } from './request.ts';
import { contractTerms, type World } from './world.ts';

const PAUSE_MS = 100;
const RETRY_AFTER_MS = 300;
/** Retry limit of requests with an idempotency key. The platform has to recover within this time. */
const RETRY_FOR_MS = 90_000;
const MAX_KWH = 5_000;
const SLOTS_OF_CORRECTION = 8;

/** The addresses of the product under test, as its clients know them. */
export type ProductAddresses = {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly outboxDir: string;
  readonly inboxDir: string;
};

export type Load = {
  readonly target: ProductAddresses;
  readonly world: World;
  readonly journal: Journal;
  readonly counter: OutcomeCounter;
  readonly random: Random;
};

export type Client = { step(): Promise<void> };

/** Runs all clients concurrently. `stop` waits for the writes in flight. */
export type RunningClients = {
  /** Fails with the first client that fails. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
};

export function startClients(clients: readonly Client[]): RunningClients {
  const stopping = new AbortController();
  const ended = Promise.all(
    clients.map(async (client) => {
      while (!stopping.signal.aborted) {
        await client.step();
        await delay(PAUSE_MS);
      }
    }),
  );
  // `stop` throws the failure. Without this handler Node would report it as unhandled first.
  ended.catch(() => {});
  return {
    ended,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

type Sending = Omit<RequestOptions, 'idempotencyKey'> & {
  readonly path: string;
  readonly isKeyed: boolean;
  /** A status that means that the write was rejected for a legitimate reason. */
  readonly expectedRefusal?: number;
};

/**
 * Sends a write and journals its outcome. With an idempotency key, the request is retried until the outcome is certain.
 */
async function perform(load: Load, client: string, write: Write, sending: Sending): Promise<Answer> {
  const { path, isKeyed, expectedRefusal, ...options } = sending;
  const idempotencyKey = isKeyed ? `faults-${randomUUID()}` : null;
  const id = load.journal.begin(client, write, idempotencyKey);
  const giveUpAt = Date.now() + RETRY_FOR_MS;
  const outcomes: Outcome[] = [];
  for (;;) {
    const answer = await request(`${load.target.baseUrl}${path}`, { ...options, idempotencyKey });
    outcomes.push(answer.outcome);
    const isExpected = 'status' in answer && answer.status === expectedRefusal;
    if (!isExpected) load.counter.count(answer);
    const isCertain = answer.outcome === 'acknowledged' || answer.outcome === 'refused';
    if (isCertain || !isKeyed || Date.now() > giveUpAt) {
      load.journal.append({
        entry: 'end',
        id,
        outcome: overall(outcomes),
        attempts: outcomes.length,
        ...(answer.outcome === 'acknowledged' && write.kind === 'creation' ? { record: answer.body.id } : {}),
        ...(answer.outcome === 'acknowledged' ? {} : { detail: detailOf(answer) }),
      });
      if (!isCertain) await delay(RETRY_AFTER_MS);
      return answer;
    }
    await delay(RETRY_AFTER_MS);
  }
}

/** The outcome of the last attempt if it is certain, else of any attempt that may have been applied. */
function overall(outcomes: readonly Outcome[]): Outcome {
  const last = outcomes.at(-1)!;
  if (last === 'acknowledged' || last === 'refused') return last;
  return outcomes.findLast((outcome) => outcome !== 'not_sent') ?? last;
}

/** Imports, corrects and invalidates the volumes of its contracts. */
export function volumeClient(load: Load, name: string, contracts: readonly string[]): Client {
  const { random, world } = load;
  const key = world.operatorKey;
  const newDay = (contract: string, day: string): DayVolumes => {
    const slots = slotCount(day);
    const isWhole = random.integer(1, 5) === 1;
    const written = new Set(Array.from({ length: SLOTS_OF_CORRECTION }, () => random.integer(1, slots)));
    const kwh = Array.from({ length: slots }, (_, at) =>
      isWhole || written.has(at + 1) ? random.integer(0, MAX_KWH) : null,
    );
    return { contract, day, kwh };
  };
  const put = async () => {
    const day = newDay(random.pick(contracts), random.pick(world.days));
    const volumes = volumesOf(day);
    const path = `/operator/v1/contracts/${day.contract}/days/${day.day}`;
    const write = { kind: 'volumes', way: 'put', days: [day] } as const;
    await perform(load, name, write, { path, key, method: 'PUT', body: { volumes }, isKeyed: false });
  };
  const importDays = async () => {
    const way = random.pick(['csv', 'ndjson'] as const);
    const days = random
      .shuffle(contracts.flatMap((contract) => world.days.map((day) => [contract, day] as const)))
      .slice(0, random.integer(2, 4))
      .map(([contract, day]) => newDay(contract, day));
    await perform(
      load,
      name,
      { kind: 'volumes', way, days },
      {
        path: '/operator/v1/volumes',
        key,
        method: 'POST',
        body: way === 'csv' ? csvOf(days) : ndjsonOf(days),
        contentType: way === 'csv' ? 'text/csv' : 'application/x-ndjson',
        isKeyed: random.integer(0, 1) === 1,
      },
    );
  };
  const invalidate = async () => {
    const [contract, day] = [random.pick(contracts), random.pick(world.days)];
    const slot = random.integer(1, slotCount(day));
    const filter = `contract_id=${contract}&delivery_date=${day}&status=valid&slot_number_from=${slot}&slot_number_to=${slot}`;
    const found = await request(`${load.target.baseUrl}/operator/v1/transactions?${filter}`, { key });
    load.counter.count(found);
    const transaction = found.outcome === 'acknowledged' ? found.body.transactions[0]?.id : undefined;
    if (transaction === undefined) return;
    const path = `/operator/v1/transactions/${transaction}/invalidate`;
    const body = { reason: 'fault campaign' };
    const write = { kind: 'invalidation', contract, day, slot, transaction } as const;
    // A 409 is legitimate: an earlier write of unknown outcome may commit between the read and the invalidation.
    await perform(load, name, write, {
      path,
      key,
      method: 'POST',
      body,
      isKeyed: true,
      expectedRefusal: 409,
    });
  };
  return { step: () => random.pick([put, put, importDays, importDays, invalidate])() };
}

const csvOf = (days: readonly DayVolumes[]): string =>
  ['contract,delivery_date,slot,volume', ...days.flatMap(csvLines)].map((line) => `${line}\n`).join('');

const csvLines = ({ contract, day, kwh }: DayVolumes): string[] =>
  kwh.flatMap((value, at) => (value === null ? [] : [`${contract},${day},${at + 1},${mwhText(value)}`]));

const ndjsonOf = (days: readonly DayVolumes[]): string =>
  days
    .map((day) => ({ contract: day.contract, delivery_date: day.day, volumes: volumesOf(day) }))
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

const volumesOf = ({ kwh }: DayVolumes) => kwh.map((value) => (value === null ? null : mwhNumber(value)));

/** Changes the metadata of customers with the keys of their BRPs. */
export function customerClient(load: Load): Client {
  const patched = load.world.patched.slice(0, -1);
  return { step: () => patchCustomer(load, 'customers', load.random.pick(patched)).then(() => {}) };
}

/** Probe: the campaign repeats this write to detect that writes work again. */
export const probe = (load: Load, timeoutMs: number): Promise<Answer> =>
  patchCustomer(load, 'probe', load.world.patched.at(-1)!, timeoutMs);

function patchCustomer(
  load: Load,
  name: string,
  { customer, key }: { customer: string; key: string },
  timeoutMs?: number,
): Promise<Answer> {
  const value = randomUUID();
  return perform(
    load,
    name,
    { kind: 'customer', customer, value },
    {
      path: `/v1/customers/${customer}`,
      key,
      method: 'PATCH',
      body: { metadata: { last_write: value } },
      isKeyed: false,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
  );
}

/**
 * Creates parties, customers and contracts: mostly with an idempotency key, sometimes without a key and without
 * retries.
 */
export function creationClient(load: Load): Client {
  const { world, random } = load;
  const bodies = {
    brp: (name: string) => ({ name }),
    customer: (name: string) => {
      const { brp, eic, tso } = random.pick(world.parties);
      return { brp_id: brp, name, balance_group: { eic, tso } };
    },
    contract: (name: string) => {
      const [seller, buyer] = random.shuffle(world.parties);
      return contractTerms(name, seller!.customer, buyer!.customer, world.days);
    },
  };
  return {
    async step() {
      const of = random.pick(['brp', 'customer', 'contract'] as const);
      const name = `faults-${randomUUID()}`;
      await perform(
        load,
        'creations',
        { kind: 'creation', of, name },
        {
          path: `/operator/v1/${of}s`,
          key: world.operatorKey,
          method: 'POST',
          body: bodies[of](name),
          isKeyed: random.integer(1, 5) > 1,
        },
      );
    },
  };
}
