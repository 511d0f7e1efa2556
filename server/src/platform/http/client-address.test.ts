import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAddress } from './client-address.ts';

test('addresses are stored whole, or as their network', () => {
  const forms = {
    '203.0.113.7': ['203.0.113.7', '203.0.113.0/24'],
    '::ffff:203.0.113.7': ['203.0.113.7', '203.0.113.0/24'],
    '2001:db8:1:2:3:4:5:6': ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    '2001:db8::1': ['2001:db8::1', '2001:db8:0::/48'],
    '::1': ['::1', '0:0:0::/48'],
    [`fe80::1%${'z'.repeat(1000)}`]: ['fe80::1', 'fe80:0:0::/48'],
  };
  for (const [address, [full, short]] of Object.entries(forms)) {
    assert.equal(formatAddress(address, 'full'), full);
    assert.equal(formatAddress(address, 'short'), short);
  }
});

test('what a proxy forwards instead of an address is not stored', () => {
  for (const text of ['', 'unknown', '203.0.113.7:4711', '"}\n', undefined])
    for (const form of ['full', 'short'] as const) assert.equal(formatAddress(text, form), 'unknown');
});
