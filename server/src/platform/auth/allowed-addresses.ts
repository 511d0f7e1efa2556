import { BlockList, isIP, isIPv4 } from 'node:net';
import { LIMITS } from '@saldo/api';
import type { Message } from '@saldo/core/messages/message.ts';

type Network = { readonly address: string; readonly isIpv4: boolean; readonly prefix: number };

const widthOf = (isIpv4: boolean) => (isIpv4 ? 32 : 128);

/** An address is the network of itself. Null for any other text. An address with a zone means another host elsewhere. */
function parseNetwork(text: string): Network | null {
  const [, address = '', length] = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  if (isIP(address) === 0) return null;
  const isIpv4 = isIPv4(address);
  const prefix = length === undefined ? widthOf(isIpv4) : Number(length);
  return prefix > widthOf(isIpv4) ? null : { address, isIpv4, prefix };
}

/** The one form of an IPv6 address: lower case, without superfluous zeros. */
const canonicalIpv6 = (address: string) => new URL(`http://[${address}]`).hostname.slice(1, -1);

function bitsOf({ address, isIpv4 }: Network): bigint {
  if (isIpv4) return address.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
  const [head = [], tail = []] = canonicalIpv6(address)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function formatBits(bits: bigint, isIpv4: boolean): string {
  const [count, width] = isIpv4 ? [4, 8] : [8, 16];
  const parts = Array.from(
    { length: count },
    (_, at) => (bits >> BigInt((count - 1 - at) * width)) & ((1n << BigInt(width)) - 1n),
  );
  return isIpv4 ? parts.join('.') : canonicalIpv6(parts.map((part) => part.toString(16)).join(':'));
}

/** Why the text is no address or network. A network with host bits is one mistyped digit away from another network. */
export function networkFault(text: string): Message | null {
  const network = parseNetwork(text);
  if (network === null) return { key: 'field.network', text: text.slice(0, LIMITS.allowedAddresses.length) };
  const { isIpv4, prefix } = network;
  const hostBits = BigInt(widthOf(isIpv4) - prefix);
  const bits = bitsOf(network);
  const base = (bits >> hostBits) << hostBits;
  return bits === base ? null : { key: 'field.host_bits', network: `${formatBits(base, isIpv4)}/${prefix}` };
}

/** Whether an address is in one of the networks. An IPv4 address matches its network also when it is written as IPv6. */
export function addressMatcher(networks: readonly string[] | null): (address: string) => boolean {
  if (networks === null) return () => true;
  const list = new BlockList();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network === null) throw new Error(`${text} is no network`);
    list.addSubnet(network.address, network.prefix, network.isIpv4 ? 'ipv4' : 'ipv6');
  }
  return (address) => {
    const [plain = ''] = address.split('%', 1);
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  };
}
