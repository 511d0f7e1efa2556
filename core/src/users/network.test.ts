import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { networkOf } from './network.ts';

test('an IPv4 address is itself, also when it is written as IPv6', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      assert.equal(networkOf(address), address);
      assert.equal(networkOf(`::ffff:${address}`), address);
      assert.equal(networkOf(`::FFFF:${address}`), address);
    }),
  );
});

const group = fc.integer({ min: 0, max: 0xffff });

test('IPv6 addresses are the same network when their first 56 bits are, and only then', () => {
  const write = (groups: readonly number[]) => groups.map((value) => value.toString(16)).join(':');
  const groups = fc.array(group, { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, groups, fc.nat({ max: 55 }), (one, other, bit) => {
      const [a = 0, b = 0, c = 0, d = 0] = one;
      const neighbour = [a, b, c, (d & 0xff00) | ((other[3] ?? 0) & 0xff), ...other.slice(4)];
      assert.equal(networkOf(write(one)), networkOf(write(neighbour)));
      const changed = one.map((value, at) => (at === bit >> 4 ? value ^ (0x8000 >> (bit & 15)) : value));
      assert.notEqual(networkOf(write(one)), networkOf(write(changed)));
    }),
  );
});

test('every way to write an IPv6 address gives the same network', () => {
  for (const [one, other] of [
    ['2001:db8::1', '2001:0DB8:0:0:0:0:0:1'],
    ['2001:db8::', '2001:db8:0:00ff:1:2:3:4'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['fe80::1%eth0', 'fe80::2'],
    ['1:2:3:4500::', '1:2:3:45ab:5:6:7:8'],
    ['::3:4:5:6:7:8', '0:0:3:4:5:6:7:8'],
  ] as const) {
    assert.equal(networkOf(one), networkOf(other), `${one} ${other}`);
  }
  assert.notEqual(networkOf('2001:db8::1'), networkOf('2001:db8:0:100::1'));
});

test('a network of 64 bits has its first four groups', () => {
  const networks = {
    '203.0.113.7': '203.0.113.7',
    '::ffff:203.0.113.7': '203.0.113.7',
    '2001:db8::1': '2001:db8:0:0',
    '2001:0DB8:0:0:ffff::': '2001:db8:0:0',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2',
    '2001:db8:1:2::': '2001:db8:1:2',
    '2001::1:2:3:4:5': '2001:0:0:1',
    '::1': '0:0:0:0',
    '1::': '1:0:0:0',
    'not an address': 'not an address',
  };
  for (const [ip, network] of Object.entries(networks)) assert.equal(networkOf(ip, 64), network, ip);
});
