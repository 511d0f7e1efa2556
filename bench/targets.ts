import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Target } from './connection.ts';
import type { BenchBrp, BenchWorld } from './world.ts';

/** Number of different requests of a kind, so that neither processor nor database caches favour repetitions. */
const VARIETY = 500;

/** The product needs the key. The bare server, which has no keys, identifies the caller by the number. */
export const askedBy = (brp: BenchBrp) => ({ 'x-api-key': brp.key, 'x-brp-no': String(brp.no) });

/** Spread over the whole dataset with a step that reaches every position before it repeats one. */
function spread<T>(values: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(values.length * 0.618));
  const coprime = (a: number, b: number): boolean => (b === 0 ? a === 1 : coprime(b, a % b));
  let stride = step;
  while (!coprime(values.length, stride)) stride++;
  return Array.from(
    { length: Math.min(count, values.length) },
    (_, at) => values[(at * stride) % values.length]!,
  );
}

export const contractPages = (world: BenchWorld): Target[] =>
  spread(world.contracts, VARIETY).map(({ id, seller }) => ({
    path: `/v1/contracts/${id}/transactions?limit=100`,
    headers: askedBy(seller),
  }));

export function dayPages(world: BenchWorld): Target[] {
  // A BRP with fewer contracts would get an incomplete page, which is another request.
  const brps = world.brps.filter(({ contracts }) => contracts.length > 2);
  const all = brps.flatMap((brp) => world.days.map((day) => ({ brp, day })));
  return spread(all, VARIETY).map(({ brp, day }) => ({
    path: `/v1/transactions?limit=100&delivery_date=${day}`,
    headers: askedBy(brp),
  }));
}

const singleContracts = (world: BenchWorld): Target[] =>
  spread(world.contracts, VARIETY).map(({ id, seller }) => ({
    path: `/v1/contracts/${id}`,
    headers: askedBy(seller),
  }));

const singleCustomers = (world: BenchWorld): Target[] =>
  spread(
    world.brps.flatMap((brp) => brp.positions.map(({ customerId }) => ({ brp, customerId }))),
    VARIETY,
  ).map(({ brp, customerId }) => ({
    path: `/v1/customers/${encodeId(ID_PREFIX.customer, customerId)}`,
    headers: askedBy(brp),
  }));

type Targets = Readonly<Record<string, (world: BenchWorld) => Target[]>>;
export const PAGES: Targets = { 'contract’s transactions': contractPages, 'day’s transactions': dayPages };
export const SINGLE_RECORDS: Targets = {
  'single contract': singleContracts,
  'single customer': singleCustomers,
};
