import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_SLOT_KWH, mwhNumber, mwhText } from '@saldo/core/energy.ts';
import { decodeId, ID_PREFIX, splitTransactionUuid, transactionIdWriter } from '@saldo/core/id.ts';
import fc from 'fast-check';
import pg from 'pg';
import { runs } from '../../test/runs.ts';
import { bodyOf, type Client, client, startTestPlatform, walk } from './harness.ts';
import { amountsOf, kwhOf, listNominated, makeDeal } from './nominated.ts';
import type { WorldContract } from './world.ts';

/** A sheet stores small volumes in fewer bytes than large ones, which must have no visible effect. */
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());

const DAYS = { '2026-03-29': 92, '2026-10-24': 96, '2026-10-25': 100 };
type Day = keyof typeof DAYS;
/** The largest volume of each size, and the smallest of the next. */
const EDGES = [0, 255, 256, 32_767, 32_768, 65_534, 65_535, 65_536, 16_777_215, 16_777_216, MAX_SLOT_KWH];

type Cell = { id: string; slot_number: number; version: number; status: string; volume: number };

function put({ id }: WorldContract, day: Day, kwh: readonly (number | null)[]) {
  const volumes = kwh.map((value) => (value === null ? null : mwhNumber(value)));
  return bodyOf(operator.put(`/operator/v1/contracts/${id}/days/${day}`, { volumes }));
}

const linesOf = (cells: readonly Cell[]) =>
  cells.map(({ slot_number, version, status, volume }) => `${slot_number}.${version} ${status} ${volume}`);

/** The view as an SQL user reads it, in the order of the lists. */
async function viewOf(contract: WorldContract): Promise<Cell[]> {
  const session = new pg.Client({ connectionString: platform.databaseUrl });
  await session.connect();
  const { rows } = await session.query(
    `select id, slot_number, version, status, volume::float8 as volume from transaction
     where contract_id = $1 order by slot_number, version`,
    [contract.id],
  );
  await session.end();
  return rows;
}

/** All versions of a day, by slot, then version, as lines. */
function expectedLines(revisions: readonly (readonly (number | null)[])[]): string[] {
  return revisions[0]!.flatMap((_, at) => {
    const chain: number[] = [];
    for (const volumes of revisions) {
      const kwh = volumes[at] ?? null;
      if (kwh !== null && kwh !== chain.at(-1)) chain.push(kwh);
    }
    return chain.map(
      (kwh, before) =>
        `${at + 1}.${before + 1} ${before + 1 < chain.length ? 'superseded' : 'valid'} ${mwhNumber(kwh)}`,
    );
  });
}

async function assertListed(contract: WorldContract, asSeller: Client, lines: string[]) {
  const listed: Cell[] = await walk(
    asSeller,
    `/v1/contracts/${contract.id}/transactions`,
    'transactions',
    100,
  );
  assert.deepEqual(linesOf(listed), lines);
  const viewed = await viewOf(contract);
  assert.deepEqual(linesOf(viewed), lines);
  assert.deepEqual(
    viewed.map(({ id }) => id),
    listed.map(({ id }) => id),
  );
  return listed;
}

test('the API, the history and the SQL view have volumes of every size unchanged', async () => {
  for (const [day, slots] of Object.entries(DAYS) as [Day, number][]) {
    const { contract, asSeller } = await makeDeal(platform);
    const small = Array.from({ length: slots }, (_, at) => at);
    const mixed = small.map((kwh, at) => EDGES[at] ?? kwh);
    // From small to large, back to small, and to large only in the last slot.
    const last = small.map((_, at) => (at === slots - 1 ? MAX_SLOT_KWH : null));
    const revisions = [small, mixed, small, last];
    for (const volumes of revisions) await put(contract, day, volumes);
    const listed = await assertListed(contract, asSeller, expectedLines(revisions));
    for (const { id, slot_number } of listed.filter(({ slot_number: slot }) =>
      [1, 6, slots].includes(slot),
    )) {
      const history = await asSeller(`/v1/transactions/${id}/history`);
      const chain = listed.filter((cell) => cell.slot_number === slot_number);
      assert.deepEqual(linesOf(history.body.transactions), linesOf(chain.toReversed()));
    }
    assert.equal((await put(contract, day, small.with(slots - 1, MAX_SLOT_KWH))).unchanged, slots);
  }
});

test('a slot that does not exist on the day of a sheet is no transaction, in sheets of either size', async () => {
  for (const kwh of [1, MAX_SLOT_KWH]) {
    const { contract, asSeller } = await makeDeal(platform);
    await put(
      contract,
      '2026-03-29',
      Array.from({ length: 92 }, () => kwh),
    );
    const [first] = await viewOf(contract);
    const key = splitTransactionUuid(decodeId(ID_PREFIX.transaction, first?.id ?? '') ?? '');
    assert.ok(key);
    const idOf = transactionIdWriter(key.sheetId);
    assert.equal((await asSeller(`/v1/transactions/${idOf(92)}/history`)).status, 200);
    for (const slot of [93, 100]) {
      assert.equal((await asSeller(`/v1/transactions/${idOf(slot)}/history`)).status, 404);
      assert.equal((await asSeller(`/v1/transactions/${idOf(slot)}`)).status, 404);
    }
  }
});

test('each edge value alone is read back unchanged', async () => {
  for (const edge of EDGES) {
    const { contract, asSeller } = await makeDeal(platform);
    const volumes = Array.from({ length: 96 }, (_, at) => (at === 40 ? edge : at === 41 ? 7 : null));
    await put(contract, '2026-10-24', volumes);
    await assertListed(contract, asSeller, expectedLines([volumes]));
  }
});

const anyKwh = fc.oneof(fc.nat({ max: 3 }), fc.constantFrom(...EDGES), fc.nat({ max: MAX_SLOT_KWH }));
const anyDay = fc.array(fc.option(anyKwh, { freq: 2 }), { minLength: 96, maxLength: 96 });

test('imports of volumes of any size are stored, corrected and netted to the kWh', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyDay, { minLength: 1, maxLength: 4 }), async (revisions) => {
      const { contract, asSeller } = await makeDeal(platform);
      for (const volumes of revisions) {
        const lines = volumes.flatMap((kwh, at) =>
          kwh === null ? [] : [`${contract.id},2026-10-24,${at + 1},${mwhText(kwh)}\n`],
        );
        const answer = await operator.post(
          '/operator/v1/volumes',
          `contract,delivery_date,slot,volume\n${lines.join('')}`,
          { headers: { 'content-type': 'text/csv' } },
        );
        assert.equal(answer.body.rejected_lines, 0, answer.text);
      }
      await assertListed(contract, asSeller, expectedLines(revisions));
      const counting = revisions[0]!.map(
        (_, at) => revisions.findLast((volumes) => volumes[at] !== null)?.[at] ?? 0,
      );
      await world.nominate();
      const [nomination] = await listNominated(asSeller);
      assert.deepEqual(nomination ? amountsOf(nomination) : counting.map(() => 0), counting);
      if (!nomination) return;
      const { slots } = (await asSeller(`/v1/nominations/${nomination.id}/explanation`)).body;
      const explained = slots.map(({ transactions }: { transactions: { volume: number }[] }) =>
        transactions.map(({ volume }) => kwhOf(volume)),
      );
      assert.deepEqual(
        explained,
        counting.map((kwh) => (kwh === 0 ? [] : [kwh])),
      );
    }),
    { numRuns: runs(15) },
  );
});

test('the database refuses volumes that are no whole day', async () => {
  const { contract } = await makeDeal(platform);
  await put(
    contract,
    '2026-10-24',
    Array.from({ length: 96 }, () => 1),
  );
  const session = new pg.Client({ connectionString: platform.databaseUrl });
  await session.connect();
  for (const volumes of [
    "'\\x02'",
    "'\\x0200ff'",
    'substring(volumes from 1 for 192)',
    "'\\x03' || substring(volumes from 2)",
  ]) {
    await assert.rejects(
      session.query(`update sheet set volumes = ${volumes} where contract_no = $1`, [contract.no]),
      /sheet_volumes_are_a_day/,
    );
  }
  await session.end();
});
