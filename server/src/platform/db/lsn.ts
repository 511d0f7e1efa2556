/** A position in the write-ahead log. A server that has replayed it has all changes that were committed before it. */
export type Lsn = bigint;

/** Of text such as `1/6B3748`: the upper and the lower 32 bits. */
export function parseLsn(text: string): Lsn {
  const [upper = '', lower = ''] = text.split('/');
  return (BigInt(`0x${upper}`) << 32n) | BigInt(`0x${lower}`);
}

export const laterOf = (one: Lsn, other: Lsn): Lsn => (one > other ? one : other);
