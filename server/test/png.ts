import { crc32, deflateSync } from 'node:zlib';

const [WIDTH, HEIGHT] = [320, 180] as const;

/** A PNG of one colour. Different names have different colours. */
export function pngImage(name: string): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Bit depth 8, colour type RGB.
  header.set([8, 2], 8);
  const color = Buffer.alloc(4);
  color.writeUInt32BE(crc32(name));
  // The first byte of a row is the filter type: none.
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(WIDTH * 3, color.subarray(0, 3))]);
  const pixels = deflateSync(Buffer.alloc(HEIGHT * row.length, row));
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
