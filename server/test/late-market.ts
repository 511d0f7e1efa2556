import assert from 'node:assert/strict';
import type { LatePositionDay, Message, Tso } from '@saldo/api';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import type { Schedule } from '@saldo/core/exchange/schedule.ts';
import { readSchedule } from './exchanging.ts';
import { type Client, client, type TestPlatform, walk } from './harness.ts';
import { amountsOf, flat, kwhOf, listNominated, type Nominated } from './nominated.ts';
import { newEic } from './world.ts';

/** A balance group in a control area with one customer, and an API client of its BRP. */
export type Party = { brp: string; eic: string; tso: Tso; customer: string; ask: Client };

/** A market in which everything is done over HTTP, on the clock of a sandbox. */
export async function sandboxMarket({ baseUrl, world }: TestPlatform) {
  const operator = client(baseUrl, await world.operatorKey());

  async function call(method: string, path: string, body: unknown) {
    const answer = await operator(`/operator/v1${path}`, { method, body });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  }

  async function newBrp(name: string): Promise<Pick<Party, 'brp' | 'ask'>> {
    const { id: brp } = await call('POST', '/brps', { name });
    const { secret } = await call('POST', '/api-keys', { owner: { type: 'brp', id: brp }, name: 'test' });
    return { brp, ask: client(baseUrl, secret) };
  }

  /** A new party, of a new BRP or of the BRP of another party. */
  async function party(tso: Tso, other?: Party): Promise<Party> {
    const { brp, ask } = other ?? (await newBrp(`BRP of ${tso}`));
    const eic = newEic();
    await call('POST', '/balance-groups', { brp_id: brp, eic, name: eic, tsos: [tso] });
    const body = { brp_id: brp, name: `Customer of ${eic}`, balance_group: { eic, tso } };
    const { id: customer } = await call('POST', '/customers', body);
    const active = await ask.patch(`/v1/customers/${customer}`, { status: 'active' });
    assert.equal(active.status, 200, active.text);
    return { brp, eic, tso, customer, ask };
  }

  let contracts = 0;
  async function agree(seller: Party, buyer: Party): Promise<string> {
    const { id } = await call('POST', '/contracts', {
      external_id: `LATE-${++contracts}`,
      type: 'ppa',
      seller_customer_id: seller.customer,
      buyer_customer_id: buyer.customer,
      delivery_start: '2025-12-31T23:00:00Z',
      delivery_end: '2026-12-31T23:00:00Z',
    });
    return id;
  }

  /** Sets a day of a contract in kWh, and nets the change. */
  async function say(contract: string, day: string, kwh: readonly (number | null)[]) {
    const volumes = kwh.map((one) => (one === null ? null : one / 1000));
    await call('PUT', `/contracts/${contract}/days/${day}`, { volumes });
    return call('POST', '/nominations/run', {});
  }

  /** Moves the customer of a party to the balance group of another one of the same BRP, and nets the change. */
  async function move({ ask, customer }: Party, { eic, tso }: Party) {
    const body = { balance_group: { eic, tso } };
    const answer = await ask.patch(`/v1/customers/${customer}`, body);
    assert.equal(answer.status, 200, answer.text);
    return call('POST', '/nominations/run', {});
  }

  /** Sends the day and returns the new messages as `TSO version`. */
  async function send(day: string): Promise<string[]> {
    const { messages, faults } = await call('POST', '/exchange/send', { delivery_date: day });
    assert.deepEqual(faults, []);
    return (messages as Message[]).map(({ tso, version }) => `${tso} ${version}`).toSorted();
  }

  /** The newest schedule of each TSO. All of them net to zero. */
  async function schedules(day: string): Promise<Map<Tso, Schedule>> {
    const { messages } = (
      await operator(`/operator/v1/messages?delivery_date=${day}&type=schedule&limit=100`)
    ).body;
    const newest = new Map<Tso, Schedule>();
    for (const { id, tso } of messages) {
      const { text } = await operator(`/operator/v1/messages/${id}/raw`);
      newest.set(tso, await readSchedule(Buffer.from(text)));
    }
    for (const schedule of newest.values()) assertBalanced(schedule);
    return newest;
  }

  const current = async ({ ask, eic }: Party, day: string): Promise<Nominated[]> =>
    (await listNominated(ask, `&delivery_date=${day}&eic=${eic}`)).filter(
      ({ status }) => status !== 'superseded',
    );

  /** The nominated saldo in kWh per slot, signed. */
  async function saldo(of: Party, day: string): Promise<number[]> {
    const total = flat(day, 0);
    for (const { direction, slots } of await current(of, day)) {
      for (const [at, { amount }] of slots.entries())
        total[at]! += (direction === 'out' ? 1 : -1) * kwhOf(amount);
    }
    return total;
  }

  /** The nominated saldos of all parties sum to zero in every slot. */
  async function assertNetsToZero(parties: readonly Party[], day: string): Promise<void> {
    const saldos = await Promise.all(parties.map((one) => saldo(one, day)));
    for (const at of flat(day, 0).keys()) {
      assert.equal(
        saldos.reduce((sum, one) => sum + one[at]!, 0),
        0,
        `slot ${at + 1} of ${day}`,
      );
    }
  }

  return {
    operator,
    call,
    setClock: (now: string) => call('PUT', '/clock', { now }),
    party,
    agree,
    say,
    move,
    send,
    schedules,
    current,
    saldo,
    assertNetsToZero,
    late: async (query = ''): Promise<LatePositionDay[]> =>
      walk(operator, `/operator/v1/nominations/late${query}`, 'late', 1),
  };
}

/** Every slot of a file nets to zero. */
function assertBalanced({ tso, day, series }: Schedule): void {
  const area = { DE_AMPRION: 'AMP', DE_TENNET: 'TTG', DE_TRANSNET_BW: 'TBW', DE_50HERTZ: '50H' }[tso];
  const isIncoming = (id: string) => id.endsWith('_OUT') || id.endsWith(`_${area}`);
  for (const at of flat(day, 0).keys()) {
    const net = series.reduce(
      (kw, { identification, powersKw }) => kw + (isIncoming(identification) ? 1 : -1) * powersKw[at]!,
      0,
    );
    assert.equal(net, 0, `${tso} slot ${at + 1}`);
  }
}

/** The newest file of the TSO has exactly these amounts. A nomination of zeros needs no series. */
export function assertScheduled(files: Map<Tso, Schedule>, nominations: readonly Nominated[]): void {
  for (const nomination of nominations) {
    const { eic, tso, direction, slots } = nomination;
    const identification = `${eic}_${direction.toUpperCase()}`;
    const series = files.get(tso)?.series.find((one) => one.identification === identification);
    const amounts = amountsOf(nomination);
    const scheduled = series?.powersKw.map((kw) => kw / 4) ?? slots.map(() => 0);
    assert.deepEqual(scheduled, amounts, `${tso} ${identification}`);
  }
}

export const bridge = (files: Map<Tso, Schedule>, tso: Tso, identification: string) =>
  files.get(tso)?.series.find((series) => series.identification === identification)?.powersKw;

/** A late position-day as its balance group and, per slot, nominated, transactions and difference in kWh. */
export const summarize = ({ eic, slots }: LatePositionDay) => [
  eic,
  slots.map(({ slot_number, nominated, transactions, difference }) =>
    [slot_number, ...[nominated, transactions, difference].map(kwhFromMwh)].join(' '),
  ),
];
