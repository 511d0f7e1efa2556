import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Message, Tso } from '@saldo/api';
import type { MessageFormat } from '@saldo/core/enums.ts';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import type { Schedule } from '@saldo/core/exchange/schedule.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { answerOutbox } from '@saldo/simulator/folders.ts';
import { type Behaviour, CONFORMING } from '@saldo/simulator/tso.ts';
import { type InboxRun, receiveDue } from '../src/exchange/process/receive.ts';
import { AT_REST_MS } from '../src/exchange/transport/at-rest.ts';
import { type Client, client, type TestPlatform } from './harness.ts';
import type { Nominated } from './nominated.ts';
import type { World, WorldBrp, WorldContract, WorldGroup } from './world.ts';

/** A balance group in a control area, with its own BRP and an API client for it. */
export type Place = { tso: Tso; group: WorldGroup; brp: WorldBrp; ask: Client };

export async function newPlace({ baseUrl, world }: TestPlatform, tso: Tso): Promise<Place> {
  const brp = await world.brp();
  return { tso, brp, group: await world.group(brp, [tso]), ask: client(baseUrl, brp.key) };
}

export async function agree(world: World, from: Place, to: Place): Promise<WorldContract> {
  const at = async ({ brp, group, tso }: Place) => world.customer(brp, { group, tso });
  return world.contract(await at(from), await at(to));
}

/** Imports the files of the inbox as if they were complete for long enough. */
export async function receiveAll({ db, clock, exchange, rest }: TestPlatform): Promise<InboxRun> {
  const seen = await receiveDue(db, clock, exchange, exchange.inbox);
  assert.equal(seen.received, 0, 'no file is imported when it is first seen');
  rest(AT_REST_MS);
  return receiveDue(db, clock, exchange, exchange.inbox);
}

/** The operator's side of the exchange. */
export function operating(platform: TestPlatform, operator: Client) {
  const { config, clock } = platform;
  return {
    send: async (body: { delivery_date?: string; tso?: Tso } = {}) => {
      const answer = await operator.post('/operator/v1/exchange/send', body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body as { messages: Message[]; faults: { tso: Tso; error: string }[] };
    },
    receive: (document: string | Buffer, type = 'application/xml') =>
      operator.post('/operator/v1/exchange/receive', document, { headers: { 'content-type': type } }),
    messages: async (query = ''): Promise<Message[]> =>
      (await operator(`/operator/v1/messages?limit=100${query}`)).body.messages,
    /** The TSOs answer all sent schedules, and the platform imports the answers. */
    answer: async (
      behaviour: Partial<Behaviour> = {},
      options: { format?: MessageFormat; isIntermediateOnly?: boolean } = {},
    ) => {
      const { format = null, isIntermediateOnly = false } = options;
      const settings = {
        behaviour: { ...CONFORMING, ...behaviour },
        format,
        isIntermediateOnly,
        isImmediate: true,
        rules: config.marketRules,
      };
      await answerOutbox(config.exchange, settings, clock.now());
      await receiveAll(platform);
    },
    /** The files in the outbox, by name. */
    outbox: async () => {
      const names = (await readdir(config.exchange.outboxDir)).filter((name) => name.endsWith('.XML'));
      const files = names.toSorted().map(async (name) => {
        return [name, await readFile(path.join(config.exchange.outboxDir, name))] as const;
      });
      return new Map(await Promise.all(files));
    },
  };
}

export async function readSchedule(document: Buffer, rules = BUILT_IN_RULES): Promise<Schedule> {
  const read = readDocument(document, rules);
  assert.ok(read.kind === 'ok' && read.document.kind === 'schedule', JSON.stringify(read));
  return read.document.schedule;
}

/** The slot numbers of a nomination whose matched amount is below the nominated one. */
export const unmatchedSlots = ({ slots }: Nominated) =>
  slots.filter((slot) => slot.amount !== slot.matched_amount).map(({ slot_number }) => slot_number);
