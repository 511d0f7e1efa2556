/**
 * Sends mutated answers of TSOs to a real server and checks after each one that it is still up, applied nothing but what
 * the document says, and loaded nothing. `npm run fuzz -- [documents] [seed]`.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Message, Nomination } from '@saldo/api';
import { addDays, type DeliveryDay, dayOf, slotCount } from '@saldo/core/delivery-day.ts';
import { kwhFromMatchedKw, kwhFromMwh } from '@saldo/core/energy.ts';
import type { Answer } from '@saldo/core/exchange/answer.ts';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import type { Schedule, Series } from '@saldo/core/exchange/schedule.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { answersTo, EXEMPLARY } from '@saldo/simulator/tso.ts';
import { createRandom, type Random } from '../faults/random.ts';
import { type Product, startProduct } from '../test/product.ts';
import { expectedKw } from './expectation.ts';
import { mutate } from './mutate.ts';

const KEY = 'operator-key-of-the-fuzz-run';
const SELLER = '11XFUZZPLANT---X';
const BUYER = '11XFUZZBUY-----S';
/** A new version of the schedule after so many documents, so that no answer blocks the following ones for long. */
const PER_VERSION = 250;
/** A page of nominations, superseded ones included, shows all versions of a day up to this number. */
const MAX_VERSIONS = 90;
const REPORT_EVERY = 5000;
/** Final confirmations on one day, all other answers on another. */
const LANES = [true, false];

type Lane = {
  day: DeliveryDay;
  contract: string;
  isFinal: boolean;
  random: Random;
  sent: number;
  version: number;
  /** The seller's matched amounts in kWh; null without any. */
  matched: number[] | null;
};
type Totals = {
  documents: number;
  applied: number;
  ignored: number;
  failed: number;
  changed: number;
  faults: string[];
};

async function main(): Promise<void> {
  const [documents = 100_000, seed = 1] = process.argv.slice(2).map(Number);
  const folder = await mkdtemp(path.join(tmpdir(), 'saldo-fuzz-'));
  let loads = 0;
  const listener = createServer((_request, response) => {
    loads++;
    response.end();
  }).listen(0, '127.0.0.1');
  const product = await startProduct({
    DATA_DIR: path.join(folder, 'data'),
    DEMO: 'off',
    SALDO_OPERATOR_KEY: KEY,
    RATE_LIMIT: '1000000',
    LOG_LEVEL: 'error',
  });
  const totals: Totals = { documents: 0, applied: 0, ignored: 0, failed: 0, changed: 0, faults: [] };
  try {
    const { port } = listener.address() as AddressInfo;
    const run = new Run(product, folder, `127.0.0.1:${port}`, totals);
    const contract = await run.signContract();
    // Beyond the days that jobs send by themselves.
    const lanes = LANES.map(
      (isFinal, at): Lane => ({
        day: addDays(dayOf(Date.now()), 30 + at),
        contract,
        isFinal,
        random: createRandom(seed * 2 + at),
        sent: 0,
        version: 0,
        matched: null,
      }),
    );
    await Promise.all(lanes.map((lane) => run.follow(lane, documents / lanes.length)));
    const errors = product
      .log()
      .split('\n')
      .filter((line) => /"level":(?:50|60)/.test(line));
    if (errors.length > 0) totals.faults.push(`the log has ${errors.length} errors: ${errors[0]}`);
    if (product.child.exitCode !== null)
      totals.faults.push(`the server ended with ${product.child.exitCode}`);
  } finally {
    listener.close();
    await product.end('SIGTERM');
  }
  if (loads > 0) totals.faults.push(`${loads} loads of what a document refers to`);
  const { faults, ...counts } = totals;
  process.stdout.write(`${JSON.stringify({ seed, ...counts, loads, faults: faults.length })}\n`);
  for (const fault of faults.slice(0, 20)) process.stdout.write(`fault: ${fault}\n`);
  if (faults.length === 0) await rm(folder, { recursive: true, force: true });
  else process.stdout.write(`The documents are kept in ${folder}.\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

class Run {
  private readonly product: Product;
  private readonly folder: string;
  private readonly listener: string;
  private readonly totals: Totals;

  constructor(product: Product, folder: string, listener: string, totals: Totals) {
    this.product = product;
    this.folder = folder;
    this.listener = listener;
    this.totals = totals;
  }

  private async ask<T>(method: string, place: string, body?: object): Promise<T> {
    const answer = await fetch(`${this.product.baseUrl}/operator/v1${place}`, {
      method,
      headers: { 'x-api-key': KEY, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${place}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async signContract(): Promise<string> {
    const customers: string[] = [];
    for (const eic of [SELLER, BUYER]) {
      const brp = await this.ask<{ id: string }>('POST', '/brps', { name: eic });
      await this.ask('POST', '/balance-groups', { brp_id: brp.id, eic, name: eic, tsos: ['DE_TENNET'] });
      const balance_group = { eic, tso: 'DE_TENNET' };
      const place = { brp_id: brp.id, name: eic, status: 'active', balance_group };
      customers.push((await this.ask<{ id: string }>('POST', '/customers', place)).id);
    }
    const contract = await this.ask<{ id: string }>('POST', '/contracts', {
      external_id: 'FUZZ',
      type: 'ppa',
      seller_customer_id: customers[0],
      buyer_customer_id: customers[1],
      delivery_start: '2026-01-01T00:00:00+01:00',
      delivery_end: '2046-01-01T00:00:00+01:00',
    });
    return contract.id;
  }

  async follow(lane: Lane, count: number): Promise<void> {
    let schedule = await this.send(lane);
    while (lane.sent < count) {
      if (lane.sent % PER_VERSION === PER_VERSION - 1) schedule = await this.send(lane);
      await this.tryOne(lane, schedule);
      lane.sent++;
      if (++this.totals.documents % REPORT_EVERY === 0)
        process.stderr.write(`${JSON.stringify(this.totals)}\n`);
    }
  }

  /** Nominates another volume and sends it as a new version of the schedule. */
  private async send(lane: Lane): Promise<Schedule> {
    if (lane.version === MAX_VERSIONS) {
      lane.day = addDays(lane.day, LANES.length);
      lane.version = 0;
    }
    const volume = 100 + ++lane.version;
    const volumes = Array.from({ length: slotCount(lane.day) }, () => volume);
    await this.ask('PUT', `/contracts/${lane.contract}/days/${lane.day}`, { volumes });
    await this.ask('POST', '/nominations/run', { delivery_date: lane.day });
    const { messages } = await this.ask<{ messages: Message[] }>('POST', '/exchange/send', {
      delivery_date: lane.day,
    });
    const raw = await fetch(`${this.product.baseUrl}/operator/v1/messages/${messages[0]?.id}/raw`, {
      headers: { 'x-api-key': KEY },
    });
    const read = readDocument(Buffer.from(await raw.arrayBuffer()), BUILT_IN_RULES);
    if (read.kind !== 'ok' || read.document.kind !== 'schedule') throw new Error('we send schedules');
    lane.matched = null;
    return read.document.schedule;
  }

  private async tryOne(lane: Lane, schedule: Schedule): Promise<void> {
    const own = schedule.series.find(({ outParty }) => outParty === SELLER);
    if (own === undefined) throw new Error('the schedule has the series of the seller');
    const document = mutate(this.answer(lane, schedule), lane.random, this.listener);
    const name = `${lane.day}-${lane.sent}.xml`;
    const response = await fetch(`${this.product.baseUrl}/operator/v1/exchange/receive`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/xml' },
      body: new Uint8Array(document),
    });
    const body = (await response.json()) as { message?: Message; type?: string };
    const { matched: before } = lane;
    // A rejected document changes nothing; asking after every tenth one is enough to know.
    if (response.status === 200 || lane.sent % 10 === 0) lane.matched = await this.matched(lane.day);
    const fault = this.judge(response.status, body, document.toString(), own, before, lane.matched);
    if (fault === null) return;
    this.totals.faults.push(`${name}: ${fault}`);
    await writeFile(path.join(this.folder, name), document);
  }

  /** The text of an intact answer. */
  private answer(lane: Lane, schedule: Schedule): string {
    const { random } = lane;
    const at = Date.now() + lane.sent * 1000;
    const deviations = [
      {
        eic: SELLER,
        tso: null,
        day: null,
        slots: [random.integer(1, 92)],
        differenceKw: -random.integer(0, 300),
      },
    ];
    const given = answersTo(schedule, { ...EXEMPLARY, deviations: random.pick([deviations, []]) }, at);
    const answers: (Answer | null)[] = lane.isFinal
      ? [given.final, given.final, given.anomaly]
      : [given.acknowledgement, given.intermediate, given.intermediate, given.anomaly];
    const found = answers.filter((answer) => answer !== null);
    return writeAnswer({ ...random.pick(found), id: `F-${lane.sent}` }, random.pick(['ess', 'cim'] as const));
  }

  /** The seller's matched amounts in kWh; null without any. */
  private async matched(day: DeliveryDay): Promise<number[] | null> {
    const { nominations } = await this.ask<{ nominations: Nomination[] }>(
      'GET',
      `/nominations?delivery_date=${day}&eic=${SELLER}&include_slots=true&limit=100`,
    );
    const current = nominations.find(({ status }) => status !== 'superseded');
    const slots = current?.slots ?? [];
    return slots.some(({ matched_amount }) => matched_amount === null)
      ? null
      : slots.map(({ matched_amount }) => kwhFromMwh(matched_amount ?? 0));
  }

  private judge(
    status: number,
    { message, type }: { message?: Message; type?: string },
    document: string,
    own: Series,
    before: number[] | null,
    after: number[] | null,
  ): string | null {
    const code = type?.split('/').at(-1);
    const isChanged = JSON.stringify(before) !== JSON.stringify(after);
    if (status === 400 && (code === 'unreadable_message' || code === 'validation')) {
      this.totals.failed++;
      return isChanged ? 'an unreadable document changed a nomination' : null;
    }
    if (status !== 200 || message === undefined) return `answered with ${status} ${code}`;
    this.totals[message.state === 'applied' ? 'applied' : 'ignored']++;
    if (isChanged) this.totals.changed++;
    if (message.state !== 'applied' || message.type !== 'confirmation') {
      return isChanged ? `an ${message.state} ${message.type} changed a nomination` : null;
    }
    const kw = expectedKw(document, own.identification, own.powersKw);
    const expected = kw === null ? before : kw.map(kwhFromMatchedKw);
    return JSON.stringify(after) === JSON.stringify(expected)
      ? null
      : `matched ${JSON.stringify(after)} instead of ${JSON.stringify(expected)}`;
  }
}

await main();
