import { BlockList, isIPv4 } from 'node:net';

/** Blocks that are not public, by the special-purpose registry of IANA. */
const PRIVATE_IPV4 = [
  ['0.0.0.0', 8], // this network, unspecified
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers (CGNAT)
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, with the metadata services of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

/**
 * Public addresses are a part of one block. Everything outside of it is refused: loopback, unspecified, link-local,
 * unique local and multicast addresses, and IPv4 addresses in a mapped or translated form.
 */
const GLOBAL_UNICAST_IPV6 = ['2000::', 3] as const;
const PRIVATE_IPV6 = [
  ['2001::', 23], // protocol assignments, with Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which contains an IPv4 address
  ['3fff::', 20], // documentation
] as const;

const refused = new BlockList();
for (const [network, prefix] of PRIVATE_IPV4) refused.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of PRIVATE_IPV6) refused.addSubnet(network, prefix, 'ipv6');
const globalIpv6 = new BlockList();
globalIpv6.addSubnet(...GLOBAL_UNICAST_IPV6, 'ipv6');

/** Whether webhooks may be sent to an IP address in any notation that the resolver or a URL has. */
export const isPublicAddress = (address: string): boolean =>
  isIPv4(address)
    ? !refused.check(address, 'ipv4')
    : globalIpv6.check(address, 'ipv6') && !refused.check(address, 'ipv6');
