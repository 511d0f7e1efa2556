import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './body-arrivals.ts';

test('addresses of one IPv6 network of 64 bits count together, others separately', () => {
  const networks = {
    '203.0.113.7': '203.0.113.7',
    '::ffff:203.0.113.7': '::ffff:203.0.113.7',
    '2001:db8::1': '2001:db8:0:0',
    '2001:0DB8:0:0:ffff::': '2001:db8:0:0',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2',
    '2001:db8:1:2::': '2001:db8:1:2',
    '2001::1:2:3:4:5': '2001:0:0:1',
    '::1': '0:0:0:0',
    '1::': '1:0:0:0',
    'not an address': 'not an address',
  };
  for (const [ip, network] of Object.entries(networks)) assert.equal(networkOf(ip), network, ip);
});
