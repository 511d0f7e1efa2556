/** Measures the move of a customer to another balance group, with a year of stored volumes that follow it. */
import { addDays, type DeliveryDay, formatInstant, localInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { createApiKey, createBalanceGroup, operatorKeyNamed } from '../server/src/parties/actions.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import { familyCpuSeconds } from './cpu.ts';
import { GOALS } from './goals.ts';
import { count, digits, median, type Row, spreadOf, times, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import { contractPages } from './targets.ts';
import { type BenchBrp, type BenchWorld, createWorld, loadVolumes } from './world.ts';

/** The largest BRP has one customer, with 51 contracts of 103. */
const CONTRACTS = 103;
const DAYS = 365;
const ROUNDS = 8;
const NEW_EIC = '11XBENCHMOVE---3';
/**
 * Few connections, with a quarter of the requests that they can have answered: the move itself takes one of two cores, and
 * the p99 of a saturated machine would measure the load, not the move.
 */
const READERS = 2;
const LOAD = 0.25;

/** The time of each move, its CPU time, and the p99 of other BRPs' pages with and without a move at the same time. */
export async function* measureMove(run: Run): AsyncGenerator<Row> {
  const { databases, processes, generator, postmaster } = run;
  const url = await databases.create('move');
  const world = await createWorld(url, { contracts: CONTRACTS, days: DAYS });
  await loadVolumes(world);
  const [mover] = world.brps as [BenchBrp, ...BenchBrp[]];
  const { customerId } = mover.positions[0]!;
  const contracts = mover.contracts.length;
  const operatorKey = await prepare(world, mover);
  const server = await processes.product('product with a moving customer', url, { SANDBOX: 'on' });
  try {
    const send = async (method: string, path: string, key: string, body: object) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    };
    const now = formatInstant(localInstant(addDays(world.days[0] as DeliveryDay, -2), 10 * 60));
    await send('PUT', '/operator/v1/clock', operatorKey, { now });
    const move = (eic: string) => {
      const path = `/v1/customers/${encodeId(ID_PREFIX.customer, customerId)}`;
      return send('PATCH', path, mover.key, { balance_group: { eic, tso: 'DE_AMPRION' } });
    };
    /** Before the next round, every nomination has followed. */
    const net = () => send('POST', '/operator/v1/nominations/run', operatorKey, {});
    const targets = contractPages({
      ...world,
      contracts: world.contracts.filter(({ seller }) => seller !== mover),
    });
    const load = (milliseconds: number, perSecond?: number) =>
      generator.load({ port: server.port, targets, connections: READERS, milliseconds, perSecond });
    await load(2000);
    const perSecond = ((await load(2000)).requests / 2) * LOAD;
    const used = () => familyCpuSeconds(server.pid) + familyCpuSeconds(postmaster);
    const [seconds, cpuSeconds]: [number[], number[]] = [[], []];
    const p99s = { quiet: [] as number[], moving: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      p99s.quiet.push((await load(3000, perSecond)).p99Ms);
      const startedAt = performance.now();
      const moved = move(round % 2 === 0 ? NEW_EIC : mover.eic).then(() =>
        seconds.push((performance.now() - startedAt) / 1000),
      );
      const reading = load(3000, perSecond);
      await moved;
      p99s.moving.push((await reading).p99Ms);
      await net();
    }
    // Alone, because the CPU time of requests at the same time would count.
    for (const eic of [NEW_EIC, mover.eic]) {
      const before = used();
      await move(eic);
      cpuSeconds.push(used() - before);
      await net();
    }
    const what = `a move of ${contracts} contracts with ${count(contracts * DAYS)} stored days`;
    const inSeconds = digits(1, 's');
    const cpuTime = `${inSeconds(median(cpuSeconds))} of CPU time`;
    yield valueRow(`${what}: the slowest`, Math.max(...seconds), inSeconds, GOALS.moveSeconds, cpuTime);
    const ratio = spreadOf(p99s.moving.map((moving, at) => moving / p99s.quiet[at]!));
    const latencies = `${median(p99s.moving).toFixed(1)} ms, ${median(p99s.quiet).toFixed(1)} ms without a move`;
    yield valueRow('p99 of other pages during a move', ratio, times, GOALS.moveP99OfOthers, latencies);
  } finally {
    await processes.end(server);
  }
}

/** A second balance group for the BRP, and an operator key. */
async function prepare(world: BenchWorld, mover: BenchBrp): Promise<string> {
  const db = openDatabase(world.url);
  try {
    return await db.transaction(async (tx) => {
      const group = { brpNo: mover.no, eic: NEW_EIC, name: 'Moved', tsos: ['DE_AMPRION' as const] };
      await createBalanceGroup(tx, group, Date.now());
      await tx.query(statement('bench_analyze', 'analyze'));
      const key = operatorKeyNamed('bench');
      return (await createApiKey(tx, key, Date.now())).secret;
    });
  } finally {
    await db.close();
  }
}
