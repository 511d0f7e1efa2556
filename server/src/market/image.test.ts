import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { pngImage } from '../../test/png.ts';
import { readImage } from './image.ts';

const PNG = pngImage('test');
const WEBP_LOSSY = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=', 'base64');
const WEBP_LOSSLESS = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');
const JPEG = Buffer.concat([
  Buffer.from(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////' +
      '////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
    'base64',
  ),
  Buffer.from([0xff, 0xd9]),
]);
const IMAGES = { PNG, JPEG, WEBP_LOSSY, WEBP_LOSSLESS };

/** A WebP with a canvas and the given chunks. */
function extendedWebp(width: number, height: number, ...chunks: Buffer[]): Buffer {
  const canvas = Buffer.alloc(18);
  canvas.write('VP8X', 0, 'latin1');
  canvas.writeUInt32LE(10, 4);
  canvas.writeUIntLE(width - 1, 12, 3);
  canvas.writeUIntLE(height - 1, 15, 3);
  const head = Buffer.from('RIFF0000WEBP', 'latin1');
  head.writeUInt32LE(4 + canvas.length + chunks.reduce((sum, { length }) => sum + length, 0), 4);
  return Buffer.concat([head, canvas, ...chunks]);
}

/** The same PNG with another size and a valid checksum. */
function resizedPng(width: number, height: number): Buffer {
  const copy = Buffer.from(PNG);
  copy.writeUInt32BE(width, 16);
  copy.writeUInt32BE(height, 20);
  copy.writeUInt32BE(crc32(copy.subarray(12, 29)), 29);
  return copy;
}

test('an image is recognised by its content, with its size', () => {
  const facts = (bytes: Buffer) => {
    const image = readImage(bytes);
    return 'fault' in image
      ? image.fault
      : `${image.mediaType} ${image.width}×${image.height} ${image.length}`;
  };
  assert.equal(facts(PNG), `image/png 320×180 ${PNG.length}`);
  assert.equal(facts(JPEG), `image/jpeg 1×1 ${JPEG.length}`);
  assert.equal(facts(WEBP_LOSSY), `image/webp 1×1 ${WEBP_LOSSY.length}`);
  assert.equal(facts(WEBP_LOSSLESS), `image/webp 1×1 ${WEBP_LOSSLESS.length}`);
  const extended = extendedWebp(1600, 900, WEBP_LOSSY.subarray(12));
  assert.equal(facts(extended), `image/webp 1600×900 ${extended.length}`);
});

test('bytes after the end of an image are removed', () => {
  for (const [name, image] of Object.entries(IMAGES)) {
    const read = readImage(Buffer.concat([image, Buffer.from('<script>alert(1)</script>')]));
    assert.ok('length' in read, name);
    assert.equal(read.length, image.length, name);
  }
});

test('an image that is truncated at any byte is rejected', () => {
  for (const [name, image] of Object.entries(IMAGES)) {
    const step = Math.max(1, Math.floor(image.length / 200));
    for (let length = 0; length < image.length; length += step) {
      assert.ok('fault' in readImage(image.subarray(0, length)), `${name} of ${length} bytes`);
    }
    assert.ok('fault' in readImage(image.subarray(0, -1)), name);
  }
});

test('a PNG with a single wrong byte is rejected by its checksums', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: PNG.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      (at, change) => {
        const damaged = Buffer.from(PNG);
        damaged.writeUInt8((damaged[at] ?? 0) ^ change, at);
        assert.ok('fault' in readImage(damaged), `byte ${at}`);
      },
    ),
  );
});

test('arbitrary bytes never crash the parser, and only images are accepted', () => {
  const starts = Object.values(IMAGES).map((image) => image.subarray(0, 16));
  fc.assert(
    fc.property(
      fc.constantFrom(Buffer.alloc(0), ...starts),
      fc.uint8Array({ maxLength: 400 }),
      (start, rest) => {
        const read = readImage(Buffer.concat([start, rest]));
        if ('fault' in read) return assert.match(read.fault.key, /^request\.image_/);
        assert.ok(read.width > 0 && read.height > 0 && read.length <= start.length + rest.length);
      },
    ),
    { numRuns: runs(2000) },
  );
});

test('an image without pixels, or larger than the limit, is rejected', () => {
  assert.ok('fault' in readImage(resizedPng(0, 10)));
  assert.ok('length' in readImage(resizedPng(8192, 8192)));
  const tooLarge = readImage(resizedPng(8193, 1));
  assert.ok('fault' in tooLarge);
  assert.deepEqual(tooLarge.fault, { key: 'request.image_size', width: 8193, height: 1, max: 8192 });
  assert.ok('fault' in readImage(extendedWebp(20_000, 1, WEBP_LOSSY.subarray(12))));
});

test('an image without the pixel data that it announces is rejected', () => {
  const header = PNG.subarray(0, 33);
  const end = PNG.subarray(-12);
  assert.ok('fault' in readImage(Buffer.concat([header, end])), 'a PNG without data');
  assert.ok('fault' in readImage(extendedWebp(10, 10)), 'a WebP of a canvas alone');
  assert.ok('fault' in readImage(Buffer.from([0xff, 0xd8, 0xff, 0xd9])), 'a JPEG of its ends alone');
  for (const text of [
    '',
    'GIF89a',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'RIFF0000WAVE',
    '%PDF-1.7',
  ]) {
    assert.ok('fault' in readImage(Buffer.from(text)), text);
  }
});
