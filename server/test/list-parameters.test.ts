import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client, problemOf, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform();
const { world } = platform;
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const DAY = '2026-10-25';
await world.volumes(contract, DAY, 1_000);
await world.nominate();

const request = client(platform.baseUrl, seller.key);
const LISTS = [
  { path: '/v1/contracts', member: 'contracts' },
  { path: `/v1/contracts/${contract.id}/transactions`, member: 'transactions' },
  { path: '/v1/transactions', member: 'transactions' },
  { path: '/v1/nominations', member: 'nominations' },
  { path: '/v1/customers', member: 'customers' },
] as const;

test('a limit is a whole number from 1 to 100, written as such', async () => {
  const refused: [string, string][] = [
    ['limit=0', 'value_too_small'],
    ['limit=-1', 'value_too_small'],
    ['limit=-0', 'value_too_small'],
    [`limit=-1${'0'.repeat(400)}`, 'value_too_small'],
    ['limit=101', 'value_too_large'],
    ['limit=9007199254740993', 'value_too_large'],
    [`limit=1${'0'.repeat(400)}`, 'value_too_large'],
    ...['10.5', '1e1', '+5', '%2B5', '0x10', '', '%20', '%205', '5%00', '%D9%A5', 'NaN', 'Infinity'].map(
      (text): [string, string] => [`limit=${text}`, 'invalid_type'],
    ),
    ...['1_0', '--1', '1,2', 'ten'].map((text): [string, string] => [`limit=${text}`, 'invalid_type']),
    ['limit=5&limit=5', 'invalid_type'],
  ];
  for (const { path, member } of LISTS) {
    for (const [query, code] of refused) {
      const answer = await request(`${path}?${query}`);
      assert.deepEqual(
        problemOf(answer),
        { code: 'validation', errors: [`limit ${code}`] },
        `${path}?${query}`,
      );
    }
    for (const limit of ['1', '007', '100']) {
      const { body } = await request(`${path}?limit=${limit}`);
      assert.equal(body.pagination.limit, Number(limit));
      assert.ok(body[member].length > 0 && body[member].length <= Number(limit));
    }
  }
});

const TIMES = ['delivery_start', 'delivery_end'];
const NO_TIMES = [
  '',
  'x',
  '2026-02-30T00:00:00Z',
  '2026-10-25',
  '2026-10-25T00:00:00',
  '2026-10-25T24:00:00Z',
  '2026-10-25T00:00:60Z',
];
const MORE_NO_TIMES = [
  '2026-10-25T00:00:00%2B24:00',
  '2026-10-25%2000:00:00Z',
  '0000-01-01T00:00:00Z',
  '%2B010000-01-01T00:00:00Z',
];
const NO_DAYS = [
  '',
  'x',
  '2026-02-30',
  '2026-13-01',
  '2026-1-1',
  '20260203',
  '26-01-01',
  '0000-01-01',
  '2026-10-25T00:00:00Z',
  '%2B010000-01-01',
];
const EXTREMES = [
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00%2B23:59',
  '0001-01-01T00:00:00-23:59',
  '9999-12-31T23:59:59Z',
];
const MORE_EXTREMES = [
  '9999-12-31T23:59:59-23:59',
  '9999-12-31T23:59:59.999999999%2B23:59',
  '1893-04-01T00:00:00Z',
  '2026-10-25t00:00:00z',
];

test('a date or time that does not exist is rejected, and any other is accepted', async () => {
  for (const { path } of LISTS.slice(0, 4)) {
    const dayFilter = path === '/v1/contracts' ? 'active_on' : 'delivery_date';
    for (const time of TIMES) {
      for (const value of [...NO_TIMES, ...MORE_NO_TIMES]) {
        const answer = await request(`${path}?${time}=${value}`);
        assert.deepEqual(
          problemOf(answer),
          { code: 'validation', errors: [`${time} invalid_format`] },
          value,
        );
      }
      for (const value of [...EXTREMES, ...MORE_EXTREMES]) {
        for (const date of [
          '',
          `&${dayFilter}=0001-01-01`,
          `&${dayFilter}=9999-12-31`,
          `&${dayFilter}=${DAY}`,
        ]) {
          assert.equal(
            (await request(`${path}?${time}=${value}${date}`)).status,
            200,
            `${time}=${value}${date}`,
          );
        }
      }
    }
    for (const value of NO_DAYS) {
      const answer = await request(`${path}?${dayFilter}=${value}`);
      assert.deepEqual(
        problemOf(answer),
        { code: 'validation', errors: [`${dayFilter} invalid_format`] },
        value,
      );
    }
  }
});
