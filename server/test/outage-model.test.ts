import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LatePositionDay, TSOS } from '@saldo/api';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { type MadeSchedule, readNewestSchedules } from '../src/exchange/process/schedules.ts';
import { operating } from './exchanging.ts';
import { client, startTestPlatform, walk } from './harness.ts';
import {
  assertNetsToZero,
  changes,
  fill,
  listVersions,
  type Market,
  Model,
  makeMarket,
  type NominatedOn,
  nominatedSaldos,
  nonZero,
  SLOTS,
  saldoKey,
  take,
} from './market-model.ts';
import { amountsOf, assertCauses, assertExplains } from './nominated.ts';

const platform = await startTestPlatform();
const { clock, db, exchange, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const exchanging = operating(platform, operator);

const DAYS_PER_RUN = 3;
/** From one second to more than a day without a job. */
const PAUSES_S = [1, 20 * 60, 4 * 3600, 11 * 3600, 15 * 3600, 26 * 3600];

/** Changes that may be netted one by one or together, then an outage, then schedules of some days. */
const round = fc.record({
  changes: fc.array(fc.record({ change: fc.oneof(...changes(DAYS_PER_RUN)), isNetted: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  }),
  pauseS: fc.constantFrom(...PAUSES_S),
  sent: fc.subarray([0, 1, 2]),
  rejecting: fc.option(fc.subarray([...TSOS]), { freq: 3 }),
});
const anyRun = fc.record({
  isSentFirst: fc.nat(4).map((one) => one > 0),
  rounds: fc.array(round, { minLength: 2, maxLength: 6 }),
});
type Run = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

/** The calendar of this test, which is not the one that is tested. */
const berlin = (day: string, time: string) =>
  Temporal.PlainDateTime.from(`${day}T${time}`).toZonedDateTime('Europe/Berlin').epochMilliseconds;
const plusDays = (day: string, days: number) => Temporal.PlainDate.from(day).add({ days }).toString();
const dayAheadGate = (day: string) => berlin(plusDays(day, -1), '14:30');
const closingOf = (day: string, slot: number) => berlin(day, '00:00') + (slot - 2) * 15 * 60_000;

/** All runs use one platform, and schedules are of a day, so each run has days of its own. One of the first has 92 slots. */
let firstDay = '2026-03-18';
function nextDays(): string[] {
  firstDay = plusDays(firstDay, 10);
  return Array.from({ length: DAYS_PER_RUN }, (_, at) => plusDays(firstDay, at));
}

class Outage {
  readonly market: Market;
  readonly days: readonly string[];
  readonly model: Model;
  /** What the model had in a slot when its day was last sent before the closing. */
  private readonly sent = new Map<string, string>();
  private readonly schedules = new Map<string, readonly MadeSchedule[]>();

  constructor(market: Market, days: readonly string[]) {
    this.market = market;
    this.days = days;
    this.model = new Model(market, days);
  }

  /** The first day whose day-ahead gate is open. */
  effectiveDay(): string {
    let day = this.days[0]!;
    while (clock.now() >= dayAheadGate(day)) day = plusDays(day, 1);
    return day;
  }

  wait(seconds: number): void {
    clock.set(new Date(clock.now() + seconds * 1000).toISOString());
  }

  /** Sends a day. Returns whether nothing is left to send. */
  async send(day: string): Promise<boolean> {
    const { faults } = await exchanging.send({ delivery_date: day });
    const reasons = faults.map(({ error }) => error);
    const isHeld = clock.now() >= dayAheadGate(day) && clock.now() < berlin(plusDays(day, -1), '16:00');
    const isOver = clock.now() >= berlin(plusDays(day, 1), '16:00');
    if (isHeld) for (const reason of reasons) assert.match(reason, /are held until the wait phase ends/);
    else if (isOver) for (const reason of reasons) assert.match(reason, /Every gate of .* is closed/);
    else assert.deepEqual(reasons, []);
    await this.assertFrozen(day);
    const isSent = reasons.length === 0;
    for (const slot of isSent ? SLOTS : [])
      if (clock.now() < closingOf(day, slot))
        this.sent.set(`${day} ${slot}`, this.model.chainLengths(day, slot));
    return isSent;
  }

  /** No file changes a bridge of a closed slot. */
  private async assertFrozen(day: string): Promise<void> {
    const newest = await db.transaction((tx) => readNewestSchedules(tx, exchange, day, { isSent: false }));
    const bridges = (made: MadeSchedule | undefined) =>
      made?.series.filter(({ businessType }) => businessType === 'A06') ?? [];
    for (const made of newest) {
      const former = this.schedules.get(day)?.find(({ schedule }) => schedule.tso === made.schedule.tso);
      for (const { identification, powersKw } of bridges(made)) {
        const before = bridges(former).find((one) => one.identification === identification)?.powersKw;
        for (const slot of SLOTS.filter((one) => made.message.createdAt >= closingOf(day, one)))
          assert.equal(
            powersKw[slot - 1],
            before?.[slot - 1] ?? 0,
            `${identification} slot ${slot} of ${day}`,
          );
      }
    }
    this.schedules.set(day, newest);
  }

  async net(): Promise<void> {
    const answer = await operator.post('/operator/v1/nominations/run', {});
    assert.equal(answer.status, 200, answer.text);
  }

  /** Everything is netted. Every slot nets to zero, and what is not nominated is listed as late. */
  async assertNetted(): Promise<NominatedOn[]> {
    const versions = await listVersions(this.market, this.days);
    const nominated = nominatedSaldos(versions);
    assertNetsToZero(nominated, this.days);
    const transactions = this.model.saldos();
    for (const day of this.days) {
      const path = `/operator/v1/nominations/late?delivery_date=${day}`;
      const late: LatePositionDay[] = await walk(operator, path, 'late', 100);
      for (const { eic, tso, slots } of late) {
        const key = saldoKey(eic, tso, day);
        for (const one of slots) {
          const at = SLOTS.indexOf(one.slot_number);
          assert.ok(clock.now() >= closingOf(day, one.slot_number), `slot ${one.slot_number} is closed`);
          assert.notEqual(one.difference, 0);
          assert.equal(kwhFromMwh(one.nominated), nominated.get(key)?.[at] ?? 0, key);
          assert.equal(kwhFromMwh(one.transactions), transactions.get(key)?.[at] ?? 0, key);
          const saldo = nominated.getOrInsertComputed(key, () => SLOTS.map(() => 0));
          saldo[at]! -= kwhFromMwh(one.difference);
        }
      }
      this.assertInTime(day, late);
    }
    assert.deepEqual(nonZero(nominated), transactions, 'what is valid is nominated or late');
    return versions;
  }

  /** A slot in which nothing has changed since it was sent in time has no late differences. */
  private assertInTime(day: string, late: readonly LatePositionDay[]): void {
    for (const slot of SLOTS) {
      if (this.sent.get(`${day} ${slot}`) !== this.model.chainLengths(day, slot)) continue;
      const isLate = late.some(({ slots }) => slots.some(({ slot_number }) => slot_number === slot));
      assert.ok(!isLate, `slot ${slot} of ${day} was sent in time`);
    }
  }

  /** The newest files have what is nominated. */
  assertScheduled(day: string, versions: readonly NominatedOn[]): void {
    for (const one of versions) {
      if (one.day !== day || one.status === 'superseded') continue;
      const { eic, tso, direction } = one;
      const made = this.schedules.get(day)?.find(({ schedule }) => schedule.tso === tso);
      const identification = `${eic}_${direction.toUpperCase()}`;
      const series = made?.series.find((candidate) => candidate.identification === identification);
      const scheduled = series?.powersKw.map((kw) => kw / 4) ?? one.slots.map(() => 0);
      assert.deepEqual(scheduled, amountsOf(one), `${day} ${tso} ${identification}`);
    }
  }

  async assertExplained(versions: readonly NominatedOn[]): Promise<void> {
    for (const version of versions) {
      const path = `/operator/v1/nominations/${version.id}`;
      assertExplains((await operator(`${path}/explanation`)).body);
      const before = versions.find(({ id }) => id === version.previous_nomination_id) ?? null;
      assertCauses((await operator(`${path}/causes`)).body, before, version);
    }
  }
}

/** After 16:00 no day is in its wait phase. */
function waitForEvening(): void {
  const today = Temporal.Instant.fromEpochMilliseconds(clock.now())
    .toZonedDateTimeISO('Europe/Berlin')
    .toPlainDate()
    .toString();
  clock.set(new Date(Math.max(clock.now(), berlin(today, '17:00'))).toISOString());
}

async function run({ isSentFirst, rounds }: Run): Promise<void> {
  const days = nextDays();
  clock.set(`${plusDays(days[0]!, -1)}T09:00:00Z`);
  const outage = new Outage(await makeMarket(platform, operator), days);
  const { market, model } = outage;
  await fill(market, model, days);
  if (isSentFirst) for (const day of days) await outage.send(day);
  for (const { changes: made, pauseS, sent, rejecting } of rounds) {
    for (const { change, isNetted } of made) {
      // Changes and schedules are never of the same instant.
      outage.wait(1);
      await take(market, model, change, { firstDay: '', effective: outage.effectiveDay() });
      if (isNetted) await outage.net();
    }
    outage.wait(pauseS);
    for (const day of sent) await outage.send(days[day]!);
    if (rejecting !== null)
      await exchanging.answer({ rejections: rejecting.map((tso) => ({ tso, day: null })) });
  }
  await outage.net();
  await outage.assertNetted();
  waitForEvening();
  const sent: string[] = [];
  for (const day of days) if (await outage.send(day)) sent.push(day);
  const versions = await outage.assertNetted();
  for (const day of sent) outage.assertScheduled(day, versions);
  await outage.assertExplained(versions);
}

test('after random changes and outages every slot nets to zero, files have what is nominated, and explanations add up', async () => {
  await fc.assert(fc.asyncProperty(anyRun, run), { numRuns: runs(30) });
});
