import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BoardArea, type ExchangeBoard, TSOS, type Tso } from '@saldo/api';
import { addDays, slotCount } from '@saldo/core/delivery-day.ts';
import { agree, newPlace, operating } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';

/** Tuesday, 20 October 2026, 10:00 in Germany. */
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world, clock } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, answer } = operating(platform, operator);
const [TODAY, TOMORROW] = ['2026-10-20', '2026-10-21'];

const wind = await newPlace(platform, 'DE_50HERTZ');
const city = await newPlace(platform, 'DE_50HERTZ');
const contract = await agree(world, wind, city);

const board = async (query = ''): Promise<ExchangeBoard> => {
  const { status, body, text } = await operator(`/operator/v1/exchange/board${query}`);
  assert.equal(status, 200, text);
  return body;
};
const areaOf = ({ days }: ExchangeBoard, day: string, tso: Tso): BoardArea => {
  const area = days.find(({ delivery_date }) => delivery_date === day)?.areas.find((one) => one.tso === tso);
  return area ?? assert.fail(`${day} ${tso}`);
};
const daysOf = ({ days }: ExchangeBoard) => days.map(({ delivery_date }) => delivery_date);

async function say(day: string, kwh: number): Promise<void> {
  await world.volumes(contract, day, kwh);
  await world.nominate();
}

test('the board has yesterday, today and tomorrow for all four TSOs, even without nominations', async () => {
  const empty = await board();
  assert.deepEqual(daysOf(empty), ['2026-10-19', TODAY, TOMORROW]);
  for (const { areas, gates, delivered } of empty.days) {
    assert.deepEqual(
      areas.map(({ tso, schedule, nominations }) => [tso, schedule, nominations]),
      TSOS.map((tso) => [tso, null, 0]),
    );
    assert.equal(gates.length, 4);
    assert.equal(delivered, undefined);
  }
  assert.equal(empty.more_from, null);
});

test('a cell follows its schedule from the first version to the confirmation of the second', async () => {
  await say(TOMORROW, 1000);
  const unsent = areaOf(await board(), TOMORROW, 'DE_50HERTZ');
  assert.deepEqual(
    [unsent.nominations, unsent.unsent, unsent.gate_closure, unsent.schedule],
    [2, 2, '2026-10-20T12:30:00Z', null],
  );
  await send({ delivery_date: TOMORROW });
  const sent = areaOf(await board(), TOMORROW, 'DE_50HERTZ');
  assert.deepEqual(
    [sent.unsent, sent.gate_closure, sent.schedule?.version, sent.schedule?.state, sent.acknowledged],
    [0, null, 1, 'sent', null],
  );
  await answer({}, { isIntermediateOnly: true });
  const confirmed = areaOf(await board(), TOMORROW, 'DE_50HERTZ');
  assert.equal(confirmed.acknowledged?.version, 1);
  assert.equal(confirmed.confirmed?.version, 1);
  assert.deepEqual([confirmed.is_final, confirmed.matched, confirmed.mismatched], [false, 2, 0]);

  clock.set('2026-10-20T08:10:00Z');
  await say(TOMORROW, 1001);
  await send({ delivery_date: TOMORROW });
  const second = areaOf(await board(), TOMORROW, 'DE_50HERTZ');
  assert.deepEqual(
    [
      second.schedule?.version,
      second.schedule?.state,
      second.acknowledged?.version,
      second.confirmed?.version,
    ],
    [2, 'sent', 1, 1],
    'the TSO has acknowledged and confirmed the version before',
  );
  const deviations = [{ eic: city.group.eic, tso: null, day: TOMORROW, slots: [45, 47], differenceKw: -50 }];
  await answer({ deviations });
  const differing = areaOf(await board(), TOMORROW, 'DE_50HERTZ');
  assert.deepEqual(
    [differing.schedule?.state, differing.confirmed?.version, differing.is_final],
    ['confirmed', 2, true],
  );
  assert.deepEqual([differing.matched, differing.mismatched], [1, 1]);
  assert.deepEqual(differing.mismatched_slots, [45, 47]);
  assert.equal(differing.nominations, 2);
  const { body } = await operator(
    `/operator/v1/exchange/mismatches?delivery_date=${TOMORROW}&tso=DE_50HERTZ`,
  );
  assert.equal(body.mismatches.length, differing.mismatched, 'the count is that of the list');
  assert.equal(areaOf(await board(), TOMORROW, 'DE_TENNET').mismatched, 0);
});

test('what all groups deliver in a quarter-hour is on request, with the 100 of the day on which the clock goes back', async () => {
  await say('2026-10-25', 250);
  const { days } = await board('?include_slots=true');
  const delivered = new Map(days.map((day) => [day.delivery_date, day.delivered]));
  assert.deepEqual(
    delivered.get(TOMORROW),
    Array.from({ length: 96 }, () => 1.001),
  );
  assert.deepEqual(
    delivered.get('2026-10-25'),
    Array.from({ length: slotCount('2026-10-25') }, () => 0.25),
  );
  assert.deepEqual(
    delivered.get(TODAY),
    Array.from({ length: 96 }, () => 0),
  );
});

test('later days with nominations are on the board, at most 14 in all, and the next one is named', async () => {
  const later = Array.from({ length: 12 }, (_, at) => addDays('2026-11-01', at));
  for (const day of later) await world.volumes(contract, day, 100);
  await world.nominate();
  const full = await board();
  assert.deepEqual(daysOf(full), ['2026-10-19', TODAY, TOMORROW, '2026-10-25', ...later.slice(0, 10)]);
  assert.equal(full.more_from, '2026-11-11');
});

test('a rejected schedule is shown as rejected, with the version that the TSO acknowledged before', async () => {
  const day = '2026-11-02';
  await send({ delivery_date: day });
  await answer({}, { isIntermediateOnly: true });
  clock.set('2026-10-20T08:20:00Z');
  await say(day, 101);
  await send({ delivery_date: day });
  await answer({ rejections: [{ tso: 'DE_50HERTZ', day }] });
  const { schedule, acknowledged } = areaOf(await board(), day, 'DE_50HERTZ');
  assert.deepEqual([schedule?.version, schedule?.state, acknowledged?.version], [2, 'rejected', 1]);
});
