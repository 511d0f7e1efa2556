/** Measures `POST /v1/schedules/check`: a BRP's own schedules of a day, and a message close to the size limit. */
import assert from 'node:assert/strict';
import { LIMITS, type ScheduleCheck } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { nominateDue } from '../server/src/nominations/actions.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { familyCpuSeconds, hasCpuTimes } from './cpu.ts';
import { median } from './measure.ts';
import type { BenchServer } from './servers.ts';
import { askedBy } from './targets.ts';
import { type BenchBrp, type BenchWorld, markAll } from './world.ts';

export type CheckMeasure = {
  readonly name: string;
  readonly megabytes: number;
  /** Series with the operator, and with others. */
  readonly series: number;
  readonly ms: number;
  /** CPU time of server and database; wall time on systems without CPU times. */
  readonly cpuMs: number;
};

/** Each measurement repeats a check until it is long enough for the clock of the system. */
const LEAST_MS = 1000;
/** Part of the size limit that a large message has. */
const LARGE_PART = 0.9;
const SERIES = /<ScheduleTimeSeries>[^]*?<\/ScheduleTimeSeries>\n/;

/** The message with more series, between the balance group and other parties, as a BRP with much other business has. */
function enlarged(message: string, operatorEic: string): { text: string; series: number } {
  const [series = ''] = SERIES.exec(message) ?? [];
  const added: string[] = [];
  const count = Math.floor((LIMITS.scheduleBytes * LARGE_PART - message.length) / series.length);
  for (let at = 0; at < count; at++) {
    added.push(
      series
        .replace(/(SendersTimeSeriesIdentification v=")[^"]*/, `$1SERIES-${at}`)
        .replaceAll(operatorEic, '11XNORDWIND----J'),
    );
  }
  return { text: message.replace(SERIES, (first) => first + added.join('')), series: count };
}

type Context = {
  readonly server: BenchServer;
  readonly postmaster: number;
  readonly say: (message: string) => void;
};

export async function measureChecks(
  { server, postmaster, say }: Context,
  world: BenchWorld,
  day: DeliveryDay,
): Promise<CheckMeasure[]> {
  const db = openDatabase(world.url);
  try {
    await markAll(db);
    await nominateDue(db, gatesOf(world.days[0]!, BUILT_IN_RULES).dayAhead - 60_000, BUILT_IN_RULES);
  } finally {
    await db.close();
  }
  const brp = world.brps.reduce((most, other) =>
    other.positions.length > most.positions.length ? other : most,
  );
  const address = `http://127.0.0.1:${server.port}/v1`;
  const headers = askedBy(brp);
  const read = async (query: string) =>
    (await fetch(`${address}/nominations/schedule?delivery_date=${day}${query}`, { headers })).text();
  const csv = await read('');
  const message = (format: string, { eic, positions: [first] }: BenchBrp) =>
    read(`&format=${format}&eic=${eic}&tso=${first!.tso}&message_version=1`);
  const [ess, cim] = [await message('ess', brp), await message('cim', brp)];
  const [, operatorEic = ''] = /,(?:out|in),([^,]{16}),/.exec(csv) ?? [];
  const large = enlarged(ess, operatorEic);

  const measure = async (name: string, body: string, type: string, others = 0): Promise<CheckMeasure> => {
    const check = async (): Promise<ScheduleCheck> => {
      const answer = await fetch(`${address}/schedules/check`, {
        method: 'POST',
        body,
        headers: { ...headers, 'content-type': type },
      });
      assert.equal(answer.status, 200, await answer.clone().text());
      return (await answer.json()) as ScheduleCheck;
    };
    const first = await check();
    assert.ok(first.compared.length > 0 && first.compared.every(({ slots }) => slots.length === 0));
    assert.equal(first.ignored, others);
    const used = () => familyCpuSeconds(server.pid) + familyCpuSeconds(postmaster);
    const [usedBefore, startedAt] = [used(), performance.now()];
    const times: number[] = [];
    while (performance.now() - startedAt < LEAST_MS || times.length < 3) {
      const from = performance.now();
      await check();
      times.push(performance.now() - from);
    }
    const ms = median(times);
    const cpuMs = hasCpuTimes ? ((used() - usedBefore) * 1000) / times.length : ms;
    const megabytes = body.length / 1e6;
    say(`${name}: ${cpuMs.toFixed(1)} ms of CPU time, ${megabytes.toFixed(2)} MB`);
    return { name, megabytes, series: first.compared.length + others, ms, cpuMs };
  };
  return [
    await measure('check of a day as CSV', csv, 'text/csv'),
    await measure('check of an ESS message', ess, 'application/xml'),
    await measure('check of a CIM message', cim, 'application/xml'),
    await measure('check of a large ESS message', large.text, 'application/xml', large.series),
  ];
}
