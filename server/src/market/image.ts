import { crc32 } from 'node:zlib';
import { type CoverMediaType, LIMITS } from '@saldo/api';
import type { Message } from '@saldo/core/messages/message.ts';

/** Facts from the headers of an image. `length` excludes any bytes that were appended after the image's end. */
export type Image = { mediaType: CoverMediaType; width: number; height: number; length: number };

/** The reason why the bytes are not a supported image; shown to the client. */
export type ImageFault = { readonly fault: Message };

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff]);

const startsWith = (bytes: Buffer, signature: Buffer) =>
  bytes.subarray(0, signature.length).equals(signature);
const ascii = (bytes: Buffer, from: number, to: number) => bytes.toString('latin1', from, to);

/**
 * Recognises a PNG, JPEG or WebP by its content and checks its structure up to its end. Pixels are not decoded, so a
 * damaged image may still be accepted.
 */
export function readImage(bytes: Buffer): Image | ImageFault {
  const image = startsWith(bytes, PNG_SIGNATURE)
    ? readPng(bytes)
    : startsWith(bytes, JPEG_SIGNATURE)
      ? readJpeg(bytes)
      : ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP'
        ? readWebp(bytes)
        : { fault: { key: 'request.image_format' } as const };
  if ('fault' in image) return image;
  const { sidePixels } = LIMITS.cover;
  const sides = [image.width, image.height];
  if (sides.some((side) => side < 1)) return { fault: { key: 'request.image_empty' } };
  if (sides.some((side) => side > sidePixels)) {
    const { width, height } = image;
    return { fault: { key: 'request.image_size', width, height, max: sidePixels } };
  }
  return image;
}

const cutOff = (format: string): ImageFault => ({ fault: { key: 'request.image_damaged', format } });

/** Allowed bit depths by PNG color type. */
const PNG_DEPTHS: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** A PNG is a sequence of chunks (length, name, data, checksum): IHDR first, at least one IDAT, IEND last. */
function readPng(bytes: Buffer): Image | ImageFault {
  let size: { width: number; height: number } | null = null;
  let hasData = false;
  for (let at = PNG_SIGNATURE.length; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) break;
    if (bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at + 4, end - 4))) break;
    const name = ascii(bytes, at + 4, at + 8);
    if (size === null) {
      if (name !== 'IHDR' || length !== 13) break;
      const depths = PNG_DEPTHS[bytes.readUInt8(at + 17)];
      if (!depths?.includes(bytes.readUInt8(at + 16))) break;
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (name === 'IDAT') hasData = true;
    if (name === 'IEND') return hasData ? { mediaType: 'image/png', ...size, length: end } : cutOff('PNG');
    at = end;
  }
  return cutOff('PNG');
}

const [MARKER, END_OF_IMAGE, START_OF_SCAN] = [0xff, 0xd9, 0xda];
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;
/** Frame headers (SOF) are 0xC0 to 0xCF, except DHT, JPG and DAC. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** A JPEG is a sequence of markers with segments. After a start of scan, data follows up to the next marker. */
function readJpeg(bytes: Buffer): Image | ImageFault {
  let size: { width: number; height: number } | null = null;
  let hasScan = false;
  for (let at = 2; at + 2 <= bytes.length; ) {
    if (bytes[at] !== MARKER) break;
    const marker = bytes.readUInt8(at + 1);
    if (marker === MARKER) {
      at++;
      continue;
    }
    if (marker === END_OF_IMAGE) {
      return size !== null && hasScan ? { mediaType: 'image/jpeg', ...size, length: at + 2 } : cutOff('JPEG');
    }
    if (at + 4 > bytes.length) break;
    const length = bytes.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) break;
    if (isFrame(marker)) {
      if (length < 8) break;
      size = { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at = marker === START_OF_SCAN ? endOfScan(bytes, end) : end;
    hasScan ||= marker === START_OF_SCAN;
  }
  return cutOff('JPEG');
}

/** Within scan data, 0xFF followed by zero is an escaped byte, and restart markers do not end the scan. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(MARKER, from); at >= 0; at = bytes.indexOf(MARKER, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && !isRestart(next)) return at;
  }
  return bytes.length;
}

/** A WebP is one RIFF chunk that contains chunks (name, length, data), each padded to an even length. */
function readWebp(bytes: Buffer): Image | ImageFault {
  const length = bytes.length < 12 ? 0 : bytes.readUInt32LE(4) + 8;
  if (length < 20 || length > bytes.length) return cutOff('WebP');
  let size: { width: number; height: number } | null = null;
  let hasData = false;
  let at = 12;
  while (at + 8 <= length) {
    const name = ascii(bytes, at, at + 4);
    const end = at + 8 + bytes.readUInt32LE(at + 4);
    if (end > length) return cutOff('WebP');
    const found = webpSize(name, bytes.subarray(at + 8, end));
    if (found !== null && 'fault' in found) return found;
    size ??= found;
    if (['VP8 ', 'VP8L', 'ANMF'].includes(name)) hasData = true;
    at = end + (end % 2);
  }
  if (size === null || !hasData || at < length) return cutOff('WebP');
  return { mediaType: 'image/webp', ...size, length };
}

/** Parses the size from a chunk; null when this type of chunk does not contain it. */
function webpSize(name: string, data: Buffer): { width: number; height: number } | ImageFault | null {
  switch (name) {
    case 'VP8X':
      if (data.length < 10) return cutOff('WebP');
      return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
    case 'VP8 ':
      if (data.length < 10 || data.readUIntBE(3, 3) !== 0x9d012a) return cutOff('WebP');
      return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
    case 'VP8L': {
      if (data.length < 5 || data[0] !== 0x2f) return cutOff('WebP');
      const bits = data.readUInt32LE(1);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    default:
      return null;
  }
}
