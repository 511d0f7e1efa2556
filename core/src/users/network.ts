/** An IPv6 customer owns a whole prefix, so all addresses in it count as one. */
const IPV6_PREFIX_GROUPS = 4;
/** The part of the last group that counts. */
const LAST_GROUP_MASK = { 48: 0, 56: 0xff00, 64: 0xffff };

/** The part of an address that its holder cannot change at will: an IPv4 address, or the first bits of IPv6. */
export function networkOf(address: string, prefixBits: 48 | 56 | 64 = 56): string {
  const [plain = ''] = address
    .toLowerCase()
    .replace(/^::ffff:(?=\d+\.)/, '')
    .split('%', 1);
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail?.split(':') ?? [])];
  const prefix = all.slice(0, IPV6_PREFIX_GROUPS).map((group) => Number.parseInt(group, 16) || 0);
  const last = (prefix[IPV6_PREFIX_GROUPS - 1] ?? 0) & LAST_GROUP_MASK[prefixBits];
  return [...prefix.slice(0, -1), last].map((group) => group.toString(16)).join(':');
}
