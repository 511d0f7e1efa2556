import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slotCount } from '@saldo/core/delivery-day.ts';
import { createBrpClient } from '@saldo/sdk';
import { client, problemOf, startTestPlatform } from './harness.ts';
import { kwhOf, listNominated, makeDeal, type NominationSlot, only } from './nominated.ts';

const platform = await startTestPlatform({ now: '2026-03-01T08:00:00Z' });
const { world } = platform;
const { seller, buyer, asSeller, asBuyer, contract, sellerGroup, buyerGroup, consumer } =
  await makeDeal(platform);
const DAYS = ['2026-03-29', '2026-03-30', '2026-10-25'];
for (const day of DAYS) {
  await world.volumes(contract, day, only(day, [1, slotCount(day)], 1234, 7));
}
await world.nominate();
const HEADER =
  'nomination_id,version,delivery_date,eic,tso,direction,counterparty_eic,slot_number,delivery_start,delivery_end,power_mw,amount_mwh';

const linesOf = (csv: string) => {
  assert.ok(csv.endsWith('\n'));
  const [header, ...lines] = csv.trimEnd().split('\n');
  assert.equal(header, HEADER);
  return lines.map((line) => line.split(','));
};

test('a nomination as CSV has a line per slot with the power, on days of 92, 96 and 100 slots', async () => {
  for (const [day, count] of [
    ['2026-03-29', 92],
    ['2026-03-30', 96],
    ['2026-10-25', 100],
  ] as const) {
    const [nomination] = await listNominated(asSeller, `&delivery_date=${day}`);
    assert.ok(nomination);
    const answer = await asSeller(`/v1/nominations/${nomination.id}/schedule?format=csv`);
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
    const lines = linesOf(answer.text);
    assert.equal(lines.length, count);
    for (const [
      at,
      [id, version, date, eic, tso, direction, other, slot, start, end, mw, mwh],
    ] of lines.entries()) {
      const expected: NominationSlot | undefined = nomination.slots[at];
      assert.ok(expected);
      assert.deepEqual([id, version, date, eic], [nomination.id, '1', day, sellerGroup.eic]);
      assert.deepEqual([tso, direction, other], ['DE_AMPRION', 'out', '11XSALDO-------Z']);
      assert.deepEqual([Number(slot), start, end], [at + 1, expected.delivery_start, expected.delivery_end]);
      assert.equal(kwhOf(Number(mw)), kwhOf(expected.amount) * 4);
      assert.equal(kwhOf(Number(mwh)), kwhOf(expected.amount));
      assert.match(`${mw} ${mwh}`, /^\d+\.\d{3} \d+\.\d{3}$/);
    }
  }
});

test('a nomination as an ESS series has both parties and every position once', async () => {
  for (const [ask, group, direction] of [
    [asSeller, sellerGroup, 'OUT'],
    [asBuyer, buyerGroup, 'IN'],
  ] as const) {
    const [nomination] = await listNominated(ask, '&delivery_date=2026-10-25');
    const answer = await ask(`/v1/nominations/${nomination?.id}/schedule?format=ess`);
    assert.equal(answer.headers.get('content-type'), 'application/xml; charset=utf-8');
    const values = (name: string) =>
      Array.from(answer.text.matchAll(new RegExp(`<${name} v="([^"]*)"`, 'g')), ([, value]) => value);
    assert.match(
      answer.text,
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<ScheduleTimeSeries>[^]*<\/ScheduleTimeSeries>\n?$/,
    );
    const operator = '11XSALDO-------Z';
    const [out, into] = direction === 'OUT' ? [group.eic, operator] : [operator, group.eic];
    assert.deepEqual([values('OutParty'), values('InParty')], [[out], [into]]);
    assert.deepEqual([values('OutArea'), values('InArea')], [['10YDE-RWENET---I'], ['10YDE-RWENET---I']]);
    assert.deepEqual(values('SendersTimeSeriesIdentification'), [`${operator}_${direction}`]);
    assert.deepEqual(values('TimeInterval'), ['2026-10-24T22:00Z/2026-10-25T23:00Z']);
    assert.deepEqual(
      values('Pos'),
      Array.from({ length: 100 }, (_, at) => String(at + 1)),
    );
    assert.deepEqual(
      values('Qty').map((mw) => kwhOf(Number(mw))),
      nomination?.slots.map(({ amount }) => kwhOf(amount) * 4),
    );
  }
});

test('without a format the Accept header decides, and CSV is the default', async () => {
  const [nomination] = await listNominated(asSeller, '&delivery_date=2026-03-30');
  const typeFor = async (accept: string, query = '') => {
    const answer = await asSeller(`/v1/nominations/${nomination?.id}/schedule${query}`, {
      headers: { accept },
    });
    assert.equal(answer.status, 200);
    assert.equal(/Accept(,|$)/.test(answer.headers.get('vary') ?? ''), query === '');
    return answer.headers.get('content-type')?.split(';', 1)[0];
  };
  assert.equal(await typeFor('*/*'), 'text/csv');
  assert.equal(await typeFor('application/json'), 'text/csv');
  assert.equal(await typeFor('application/xml'), 'application/xml');
  assert.equal(await typeFor('text/xml, */*'), 'application/xml');
  assert.equal(await typeFor('text/xml;q=0.9, */*'), 'text/csv', 'the highest weight wins');
  assert.equal(await typeFor('text/csv;q=0, */*'), 'application/xml');
  assert.equal(await typeFor('text/csv;q=0.1, application/xml;q=0'), 'text/csv');
  assert.equal(await typeFor('text/csv, application/xml'), 'text/csv');
  assert.equal(await typeFor('application/xml', '?format=csv'), 'text/csv');
  const wrong = await asSeller(`/v1/nominations/${nomination?.id}/schedule?format=xlsx`);
  assert.deepEqual(problemOf(wrong), { code: 'validation', errors: ['format invalid_enum_value'] });
});

test('the CSV of a day has the current versions of all own balance groups, and no others', async () => {
  const day = '2026-03-31';
  const second = await world.group(seller, ['DE_TENNET']);
  const place = await world.customer(seller, { group: second, tso: 'DE_TENNET' });
  const other = await world.contract(place, consumer);
  await world.volumes(contract, day, 100);
  await world.volumes(other, day, 50);
  await world.nominate();
  await world.volumes(contract, day, 200);
  await world.nominate();
  const { text } = await asSeller(`/v1/nominations/schedule?delivery_date=${day}`);
  const lines = linesOf(text);
  assert.equal(lines.length, 2 * 96);
  const seen = new Map(lines.map(([, version, , eic, , , , , , , mw]) => [eic, `${version} ${mw}`]));
  assert.deepEqual(Object.fromEntries(seen), { [sellerGroup.eic]: '2 0.800', [second.eic]: '1 0.200' });
  const empty = await asSeller('/v1/nominations/schedule?delivery_date=2027-01-01');
  assert.equal(empty.text, `${HEADER}\n`);
  const missing = await asSeller('/v1/nominations/schedule');
  assert.deepEqual(problemOf(missing), { code: 'validation', errors: ['delivery_date required'] });
  const wrong = await asSeller(`/v1/nominations/schedule?delivery_date=${day}&format=xlsx`);
  assert.deepEqual(problemOf(wrong), { code: 'validation', errors: ['format invalid_enum_value'] });
});

test('a BRP never gets another one’s schedule', async () => {
  const [nomination] = await listNominated(asSeller, '&delivery_date=2026-03-30');
  for (const path of [`/v1/nominations/${nomination?.id}/schedule`, '/v1/nominations/nom_x/schedule']) {
    const answer = await asBuyer(path);
    assert.deepEqual([answer.status, problemOf(answer).code], [404, 'nomination_not_found']);
  }
  const { text } = await asBuyer('/v1/nominations/schedule?delivery_date=2026-03-30');
  assert.deepEqual(new Set(linesOf(text).map(([, , , eic]) => eic)), new Set([buyerGroup.eic]));
  const stranger = await world.brp();
  const nothing = await client(
    platform.baseUrl,
    stranger.key,
  )('/v1/nominations/schedule?delivery_date=2026-03-30');
  assert.deepEqual(linesOf(nothing.text), []);
});

test('the SDK returns schedules as text', async () => {
  const brp = createBrpClient({ baseUrl: platform.baseUrl, apiKey: buyer.key });
  const csv = await brp.nominations.daySchedule({ delivery_date: '2026-10-25' });
  assert.equal(linesOf(csv).length, 100);
  const [nomination] = await listNominated(asBuyer, '&delivery_date=2026-10-25');
  const ess = await brp.nominations.schedule(nomination?.id ?? '', { format: 'ess' });
  assert.match(ess, /<ScheduleTimeSeries>/);
  assert.equal(linesOf(await brp.nominations.schedule(nomination?.id ?? '')).length, 100);
});
