import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, client, startTestPlatform } from './harness.ts';

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

/** Lists whose records have slots. */
const hasSlots = (path: string) => /transactions|nominations/.test(path);

test('a limit or slot number is a whole number from 1 to 100, written as such', async () => {
  const noNumbers = ['10.5', '1e1', '+5', '%2B5', '0x10', '', '%20', '%205', '5%00', '%D9%A5', 'NaN'];
  const refused: [text: string, code: string][] = [
    ...['0', '-1', '-0', `-1${'0'.repeat(400)}`].map((text): [string, string] => [text, 'value_too_small']),
    ...['101', '9007199254740993', `1${'0'.repeat(400)}`].map((text): [string, string] => [
      text,
      'value_too_large',
    ]),
    ...[...noNumbers, 'Infinity', '1_0', '--1', '1,2', 'ten'].map((text): [string, string] => [
      text,
      'invalid_type',
    ]),
  ];
  for (const { path, member } of LISTS) {
    const names = ['limit', ...(hasSlots(path) ? ['slot_number_from', 'slot_number_to'] : [])];
    for (const name of names) {
      for (const [text, code] of refused)
        assertRefused(await request(`${path}?${name}=${text}`), `${name} ${code}`);
      assertRefused(await request(`${path}?${name}=5&${name}=5`), `${name} invalid_type`);
      for (const number of [1, 100])
        assert.equal((await request(`${path}?${name}=${number}`)).status, 200, `${path} ${name}`);
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
        assertRefused(await request(`${path}?${time}=${value}`), `${time} invalid_format`);
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
      assertRefused(await request(`${path}?${dayFilter}=${value}`), `${dayFilter} invalid_format`);
    }
  }
});
