import type { BinaryWriter } from './binary-writer.ts';

/** A value in Thrift's compact protocol, the format of Parquet's metadata. */
export type ThriftValue = { readonly type: number; write(out: BinaryWriter): void };

const TYPE = { true: 1, false: 2, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 };
/** A list of up to this many elements has its length in its first byte. */
const SHORT_LIST = 14;

export const i32 = (value: number): ThriftValue => ({ type: TYPE.i32, write: (out) => out.zigzag(value) });

export const i64 = (value: number): ThriftValue => ({ type: TYPE.i64, write: (out) => out.zigzag(value) });

/** As the member of a structure, whose header carries the value. */
export const bool = (value: boolean): ThriftValue => ({
  type: value ? TYPE.true : TYPE.false,
  write: () => {},
});

export const binary = (bytes: Uint8Array): ThriftValue => ({
  type: TYPE.binary,
  write(out) {
    out.varint(bytes.length);
    out.append(bytes);
  },
});

export const text = (value: string): ThriftValue => binary(Buffer.from(value));

/** The elements have the same type. */
export const list = (elements: readonly ThriftValue[]): ThriftValue => ({
  type: TYPE.list,
  write(out) {
    const type = elements[0]?.type ?? TYPE.struct;
    if (elements.length <= SHORT_LIST) out.byte((elements.length << 4) | type);
    else {
      out.byte(0xf0 | type);
      out.varint(elements.length);
    }
    for (const element of elements) element.write(out);
  },
});

/** Members by field number, in ascending order less than 16 apart; those that are null are omitted. */
export const struct = (members: Readonly<Record<number, ThriftValue | null>>): ThriftValue => ({
  type: TYPE.struct,
  write(out) {
    let last = 0;
    for (const [number, value] of Object.entries(members)) {
      if (value === null) continue;
      out.byte(((Number(number) - last) << 4) | value.type);
      value.write(out);
      last = Number(number);
    }
    out.byte(0);
  },
});
