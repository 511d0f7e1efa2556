import assert from 'node:assert/strict';
import { slotCount } from '@saldo/core/delivery-day.ts';
import { statement } from '../src/platform/db/statement.ts';
import { operating } from './exchanging.ts';
import { type Client, client, type TestPlatform } from './harness.ts';
import { type Market, makeMarket, SLOTS } from './market-model.ts';

/**
 * Takes snapshots of lists as of now while everything changes, and compares them afterwards: with the same reads, to the
 * byte, and with the rows of the database.
 */

type ListOfRecords = { readonly path: string; readonly member: string; readonly filters: readonly string[] };

const DAYS = ['2026-10-24', '2026-10-25'];

/** The lists that take `as_of`, below `/v1` and `/operator/v1`. */
const LISTS: readonly ListOfRecords[] = [
  {
    path: '/transactions',
    member: 'transactions',
    filters: ['', 'status=valid&', 'status=invalid&', 'status=superseded&', `delivery_date=${DAYS[1]}&`],
  },
  {
    path: '/nominations',
    member: 'nominations',
    filters: [
      '',
      'status=pending&',
      'status=superseded&',
      'status=match&include_slots=true&',
      'include_slots=true&',
    ],
  },
];

/** A pseudo-random number below `below`, the same in each run (xorshift). */
function randomNumbers(seed: number) {
  let state = seed;
  return (below: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

type Pages = {
  readonly texts: string[];
  readonly records: { readonly id: string; readonly status: string }[];
};

/** Reads a list to its end, page by page. Each record is in it once. */
async function readPages(request: Client, query: string, member: string): Promise<Pages> {
  const pages: Pages = { texts: [], records: [] };
  for (let after = ''; ; ) {
    const { status, text, body } = await request(query + after);
    assert.equal(status, 200, text);
    pages.texts.push(text);
    pages.records.push(...body[member]);
    if (!body.pagination.has_more) break;
    after = `&after=${encodeURIComponent(body.pagination.next_cursor)}`;
  }
  assert.equal(new Set(pages.records.map(({ id }) => id)).size, pages.records.length, query);
  return pages;
}

/** Each change once, in turn, with what it is allowed to answer while others change the same. */
function writersOf(market: Market, random: (below: number) => number) {
  const { platform, operator, brps, positions, customers, contracts } = market;
  const exchange = operating(platform, operator);
  const dayOfDeal = () => ({
    contract: contracts[random(contracts.length)]!,
    day: DAYS[random(DAYS.length)]!,
  });
  const expect = async (asked: Promise<{ status: number; text: string }>, ...statuses: number[]) => {
    const { status, text } = await asked;
    assert.ok(statuses.includes(status), text);
  };
  const write = async () => {
    const { contract, day } = dayOfDeal();
    const volumes = Array.from({ length: slotCount(day) }, (_, at) =>
      SLOTS.includes(at + 1) && random(3) > 0 ? random(9) / 1000 : null,
    );
    await expect(operator.put(`/operator/v1/contracts/${contract.id}/days/${day}`, { volumes }), 200, 409);
  };
  const upload = async () => {
    const { day } = dayOfDeal();
    const lines = contracts.flatMap(({ id }) =>
      SLOTS.map((slot) => `${id},${day},${slot},${random(9) / 1000}`),
    );
    const csv = ['contract,delivery_date,slot,volume', ...lines].join('\n');
    await expect(
      operator.post('/operator/v1/volumes', csv, { headers: { 'content-type': 'text/csv' } }),
      200,
    );
  };
  const invalidate = async () => {
    const { contract, day } = dayOfDeal();
    const query = `contract_id=${contract.id}&delivery_date=${day}&status=valid&limit=1`;
    const [found] = (await operator(`/operator/v1/transactions?${query}`)).body.transactions;
    if (found === undefined) return;
    await expect(
      operator.post(`/operator/v1/transactions/${found.id}/invalidate`, { reason: 'test' }),
      200,
      409,
    );
  };
  const patch = (body: object, ...statuses: number[]) =>
    expect(
      operator.patch(`/operator/v1/customers/${customers[random(customers.length)]!.id}`, body),
      ...statuses,
    );
  const move = () => {
    const { eic, tso, brp } = positions[random(positions.length)]!;
    return patch({ brp_id: brps[brp]!.brp.id, balance_group: { eic, tso } }, 200);
  };
  const setStatus = () => patch({ status: random(3) === 0 ? 'deactivated' : 'active' }, 200, 409);
  const nominate = async () => {
    await expect(operator.post('/operator/v1/nominations/run', {}), 200);
    await exchange.send({ delivery_date: DAYS[random(DAYS.length)]! });
    await exchange.answer();
  };
  return { concurrent: [write, upload, invalidate, move, setStatus], nominate };
}

type Snapshot = {
  readonly reader: number;
  readonly query: string;
  readonly member: string;
  readonly pages: Pages;
};

/** Changes and snapshots at the same time. */
export async function compareSnapshots(platform: TestPlatform, instants: number, seed = 0): Promise<void> {
  const operator = client(platform.baseUrl, await platform.world.operatorKey());
  const market = await makeMarket(platform, operator);
  const readers = [operator, ...market.brps.map(({ request }) => request)];
  const random = randomNumbers(0x5a1d0 + seed);
  const { concurrent, nominate } = writersOf(market, random);
  const run = { isDone: false };
  const repeat = async (change: () => Promise<void>) => {
    while (!run.isDone) await change();
  };
  const changing = Promise.all([
    ...[1, 2, 3].map(() => repeat(() => concurrent[random(concurrent.length)]!())),
    repeat(nominate),
  ]);
  const snapshots: Snapshot[] = [];
  const take = async () => {
    for (let taken = 0; taken < instants; taken++) {
      const asOf = new Date(platform.clock.now()).toISOString();
      const reader = random(readers.length);
      for (const { path, member, filters } of LISTS) {
        const filter = filters[random(filters.length)]!;
        const base = reader === 0 ? '/operator/v1' : '/v1';
        const query = `${base}${path}?${filter}as_of=${asOf}&limit=${20 + random(80)}`;
        snapshots.push({ reader, query, member, pages: await readPages(readers[reader]!, query, member) });
      }
    }
  };
  await Promise.race([take(), changing]).finally(() => {
    run.isDone = true;
  });
  await changing;

  for (const { reader, query, member, pages } of snapshots) {
    const again = await readPages(readers[reader]!, query, member);
    assert.deepEqual(again.texts, pages.texts, query);
  }
  assert.ok(
    snapshots.some(({ pages }) => pages.texts.length > 1),
    'some lists have several pages',
  );
  await compareWithRows(market, snapshots);
}

const VERSIONS = statement(
  'test_versions_with_instants',
  `with invalidated as materialized (
     select typeid('txn', encode(set_byte(uuid_send(s.id), 15, slot), 'hex')::uuid) as id, i.invalidated_at
     from invalidation i
     join sheet s on s.contract_no = i.contract_no and s.delivery_day = i.delivery_day and s.revision = i.revision
     cross join unnest(i.slots) as slot)
   select t.id, concat_ws(' ', t.contract_id, t.delivery_day, t.slot_number) as cell, t.version, t.created_at,
     t.delivery_day, t.sender_eic, t.receiver_eic, i.invalidated_at
   from transaction t left join invalidated i on i.id = t.id`,
);

type VersionRow = {
  readonly id: string;
  /** Contract, day and slot. */
  readonly cell: string;
  readonly version: number;
  readonly created_at: number;
  readonly invalidated_at: number | null;
  readonly delivery_day: string;
  readonly sender_eic: string;
  readonly receiver_eic: string;
};

/** The status that follows from the versions of a cell and their instants. Null before the version was made. */
function statusAt(row: VersionRow, next: VersionRow | undefined, instant: number): string | null {
  if (row.created_at > instant) return null;
  if (next !== undefined && next.created_at <= instant) return 'superseded';
  return row.invalidated_at !== null && row.invalidated_at <= instant ? 'invalid' : 'valid';
}

/** Compares each snapshot of transactions with what follows from the rows. */
async function compareWithRows(
  { platform, positions }: Market,
  snapshots: readonly Snapshot[],
): Promise<void> {
  const rows = await platform.db.query<VersionRow>(VERSIONS);
  const versions = new Map(rows.map((row) => [`${row.cell} ${row.version}`, row]));
  for (const { reader, query, pages } of snapshots.filter(({ member }) => member === 'transactions')) {
    const asked = new URL(query, 'http://localhost').searchParams;
    const instant = Date.parse(asked.get('as_of') ?? '');
    const own = new Set(positions.filter(({ brp }) => brp === reader - 1).map(({ eic }) => eic));
    const expected = rows.flatMap((row) => {
      const status = statusAt(row, versions.get(`${row.cell} ${row.version + 1}`), instant);
      const isSeen = reader === 0 || own.has(row.sender_eic) || own.has(row.receiver_eic);
      const isAsked = (name: string, value: string) => (asked.get(name) ?? value) === value;
      if (status === null || !isSeen || !isAsked('status', status)) return [];
      return isAsked('delivery_date', row.delivery_day) ? [`${row.id} ${status}`] : [];
    });
    const found = pages.records.map(({ id, status }) => `${id} ${status}`);
    assert.deepEqual(found.toSorted(), expected.toSorted(), query);
  }
}
