import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressMatcher, networkFault } from './allowed-addresses.ts';

test('addresses and networks are accepted, and everything else has a reason', () => {
  for (const text of [
    '203.0.113.7',
    '203.0.113.0/24',
    '203.0.113.7/32',
    '0.0.0.0/0',
    '2001:db8::7',
    '2001:DB8::/32',
    '::/0',
    '::1/128',
    '2001:db8:0:8000::/49',
    '64:ff9b::192.0.2.0/120',
  ])
    assert.equal(networkFault(text), null, text);
  for (const text of [
    '',
    'localhost',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.0/33',
    '203.0.113.0/024',
    '203.0.113.0/',
    '203.0.113.0/-1',
    '203.0.113.0/24/24',
    ' 203.0.113.7',
    '203.0.113.7\n',
    '010.0.0.0/8',
    '2001:db8::/129',
    '2001:db8::1::2',
    'fe80::1%eth0',
    '*',
  ])
    assert.deepEqual(networkFault(text), { key: 'field.network', text }, text);
});

test('the reason of host bits names the network', () => {
  const networks = {
    '203.0.113.7/24': '203.0.113.0/24',
    '203.0.113.255/31': '203.0.113.254/31',
    '10.1.2.3/0': '0.0.0.0/0',
    '2001:db8::7/64': '2001:db8::/64',
    '2001:db8:0:ffff::/49': '2001:db8:0:8000::/49',
    '::1/0': '::/0',
    '64:ff9b::192.0.2.7/120': '64:ff9b::c000:200/120',
  };
  for (const [text, network] of Object.entries(networks))
    assert.deepEqual(networkFault(text), { key: 'field.host_bits', network }, text);
});

test('an address matches its networks, also as IPv4 in IPv6, and text that is no address matches nothing', () => {
  const isAllowed = addressMatcher(['203.0.113.0/24', '198.51.100.7', '2001:db8::/32', '::1']);
  for (const address of [
    '203.0.113.0',
    '203.0.113.255',
    '::ffff:203.0.113.9',
    '::FFFF:cb00:7109',
    '198.51.100.7',
    '2001:db8:ffff::1',
    '2001:0DB8::1%eth0',
    '::1',
  ])
    assert.equal(isAllowed(address), true, address);
  for (const address of ['203.0.114.0', '::ffff:203.0.114.0', '198.51.100.8', '2001:db9::', '::2', '', 'x'])
    assert.equal(isAllowed(address), false, address);
  assert.equal(addressMatcher(null)('x'), true);
  assert.equal(addressMatcher(['0.0.0.0/0'])('2001:db8::1'), false);
});
