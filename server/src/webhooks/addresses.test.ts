import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress } from './addresses.ts';
import { whyNotEndpoint } from './url.ts';

const PRIVATE = [
  // Unspecified, loopback, private, shared, link-local.
  ...['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '10.0.0.1', '172.16.0.1', '172.31.255.255'],
  ...['192.168.0.1', '100.64.0.1', '100.127.255.255', '169.254.0.1', '169.254.169.254'],
  // Protocol assignments, documentation, benchmarks, multicast, reserved, broadcast.
  ...['192.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1', '198.18.0.1', '198.19.255.255'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  // The same in IPv6.
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fc00::1', 'fd12:3456:789a::1', 'fec0::1'],
  ...['ff02::1', 'ff0e::1', '2001:db8::1', '3fff::1', '3fff:fff::1', '100::1', '5f00::1'],
  // IPv4 in IPv6: mapped, compatible, translated, 6to4, Teredo. Also of public addresses.
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:0:127.0.0.1'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2002:a00:1::1'],
  ...['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:10::1', '2001:20::1'],
  // Not an address.
  ...['', 'localhost', '127.1', '2130706433', '1.2.3', '1.2.3.4.5'],
];
const PUBLIC = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.1', '169.253.255.255', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0'],
  ...['198.17.255.255', '198.20.0.0', '223.255.255.255', '2606:4700:4700::1111', '2001:4860:4860::8888'],
  ...['2001:200::1', '2a00:1450:4001::1', '2003:0:0:1::1'],
];

test('addresses that are not public are refused, in every notation', () => {
  for (const address of PRIVATE) assert.equal(isPublicAddress(address), false, address);
  for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address);
});

test('a URL with a private address is refused, however the address is written', () => {
  const hosts = [
    ...['127.0.0.1', '127.1', '0x7f000001', '0x7f.0.0.1', '017700000001', '2130706433', '0', '0.0.0.0'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:1]', '[64:ff9b::a00:1]', '[fe80::1]'],
    ...['10.0.0.1.', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1', '169.254.169.254:443'],
  ];
  for (const host of hosts) {
    assert.equal(whyNotEndpoint(`https://${host}/hook`, false)?.key, 'field.public_address', host);
    assert.equal(whyNotEndpoint(`https://${host}/hook`, true), null, host);
  }
  assert.equal(whyNotEndpoint('https://hooks.nordwind.example:8443/saldo?x=1', false), null);
  assert.equal(whyNotEndpoint('https://1.1.1.1/', false), null);
});

test('a URL is https, http only for trials, and has no credentials', () => {
  assert.deepEqual(whyNotEndpoint('http://x.example/', false), { key: 'field.url', schemes: ['https://'] });
  assert.equal(whyNotEndpoint('http://x.example/', true), null);
  for (const url of ['file:///etc/passwd', 'gopher://x.example/', 'https://', 'x', '//x.example/', 'data:,x'])
    assert.equal(whyNotEndpoint(url, true)?.key, 'field.url', url);
  for (const url of ['https://a@x.example/', 'https://a:b@x.example/', 'https://:b@x.example/'])
    assert.equal(whyNotEndpoint(url, true)?.key, 'field.url_with_user', url);
});
