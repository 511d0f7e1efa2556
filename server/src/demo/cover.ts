import { crc32, deflateSync } from 'node:zlib';

/** Pictures for the demo's offers, generated so that the package needs no image files. */

const [WIDTH, HEIGHT] = [320, 180] as const;
const HORIZON = 118;

type Color = readonly [red: number, green: number, blue: number];
export type Scene = 'wind_onshore' | 'wind_offshore' | 'solar';

const GROUND: Record<Scene, Color> = {
  wind_onshore: [96, 142, 84],
  wind_offshore: [38, 92, 128],
  solar: [172, 152, 92],
};
const WHITE: Color = [246, 248, 250];
const PANEL: Color = [36, 54, 104];
const SUN: Color = [255, 226, 138];

const mix = (one: Color, other: Color, share: number): Color => [
  one[0] + (other[0] - one[0]) * share,
  one[1] + (other[1] - one[1]) * share,
  one[2] + (other[2] - one[2]) * share,
];

/** Deterministic per name, so that a picture never changes between starts. */
function numbersOf(name: string): () => number {
  let state = crc32(name);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The pixels of a shape are inside its box: `[left, top, right, bottom]`. */
type Shape = {
  readonly color: Color;
  readonly box: readonly [number, number, number, number];
  holds(x: number, y: number): boolean;
};

const EVERYWHERE = [0, 0, WIDTH, HEIGHT] as const;

const isNear = (dx: number, dy: number, radius: number) => dx * dx + dy * dy <= radius * radius;

/** A thick line, used to draw turbines. */
function line(color: Color, from: [number, number], to: [number, number], width: number): Shape {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const square = dx * dx + dy * dy;
  return {
    color,
    box: [
      Math.min(from[0], to[0]) - width,
      Math.min(from[1], to[1]) - width,
      Math.max(from[0], to[0]) + width,
      Math.max(from[1], to[1]) + width,
    ],
    holds(x, y) {
      const along = Math.min(1, Math.max(0, ((x - from[0]) * dx + (y - from[1]) * dy) / square));
      return isNear(x - from[0] - along * dx, y - from[1] - along * dy, width);
    },
  };
}

function turbine(random: () => number): Shape[] {
  const size = 26 + random() * 34;
  const foot: [number, number] = [20 + random() * (WIDTH - 40), HORIZON + 6 + random() * 30];
  const hub: [number, number] = [foot[0], foot[1] - size * 1.6];
  const turn = random() * 2;
  const blades = [0, 1, 2].map((blade) => {
    const angle = turn + (blade * 2 * Math.PI) / 3;
    return line(WHITE, hub, [hub[0] + Math.cos(angle) * size, hub[1] + Math.sin(angle) * size], 1.4);
  });
  return [line(WHITE, foot, hub, 1.9), ...blades];
}

function panels(random: () => number): Shape[] {
  const slant = 0.2 + random() * 0.3;
  return Array.from({ length: 5 }, (_, row) => {
    const top = HORIZON + 6 + row * 12;
    return {
      color: mix(PANEL, WHITE, row * 0.04),
      box: EVERYWHERE,
      holds: (x: number, y: number) => y >= top && y < top + 7 && (x + (y - top) * slant) % 34 > 4,
    };
  });
}

/** A PNG of a plant under its sky, different for every name. */
export function coverImage(name: string, scene: Scene = 'wind_onshore'): Buffer<ArrayBuffer> {
  const random = numbersOf(name);
  const dawn = random();
  const sky: [Color, Color] = [
    mix([74, 134, 196], [94, 84, 150], dawn),
    mix([214, 232, 244], [250, 206, 160], dawn),
  ];
  const sun = { x: 40 + random() * (WIDTH - 80), y: 24 + random() * 50, radius: 11 + random() * 9 };
  const count = 3 + Math.floor(random() * 3);
  const shapes: Shape[] = [
    { color: SUN, box: EVERYWHERE, holds: (x, y) => isNear(x - sun.x, y - sun.y, sun.radius) },
    {
      color: GROUND[scene],
      box: EVERYWHERE,
      holds: (x, y) => y >= HORIZON + Math.sin(x / 60 + dawn * 6) * 4,
    },
    ...(scene === 'solar' ? panels(random) : Array.from({ length: count }, () => turbine(random)).flat()),
  ];
  const skyAt = (y: number) => mix(sky[0], sky[1], y / HORIZON);
  return pngOf(skyAt, shapes);
}

/** The first byte of a row is the PNG filter type: none. */
const ROW_BYTES = 1 + WIDTH * 3;

/** Later shapes cover earlier ones. */
function pngOf(skyAt: (y: number) => Color, shapes: readonly Shape[]): Buffer<ArrayBuffer> {
  const pixels = Buffer.alloc(HEIGHT * ROW_BYTES);
  const paint = (x: number, y: number, color: Color) => pixels.set(color, y * ROW_BYTES + 1 + x * 3);
  for (let y = 0; y < HEIGHT; y++) for (let x = 0, color = skyAt(y); x < WIDTH; x++) paint(x, y, color);
  for (const { color, box, holds } of shapes) {
    const [left, top, right, bottom] = box.map(Math.ceil) as [number, number, number, number];
    for (let y = Math.max(0, top); y < Math.min(HEIGHT, bottom + 1); y++) {
      for (let x = Math.max(0, left); x < Math.min(WIDTH, right + 1); x++) {
        if (holds(x, y)) paint(x, y, color);
      }
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Bit depth 8, colour type RGB.
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
