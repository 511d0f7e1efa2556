import { crc32 } from 'node:zlib';
import { type Asset, TECHNOLOGIES } from '@saldo/api';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';

/**
 * Covers of plants without an image: line art as SVG, from the yield in full-load hours, and otherwise deterministic
 * by the plant's id. Wind is a wind rose, solar the production of a day in each month.
 */

type Technology = Asset['technology'];
type Plant = { readonly technology: Technology; readonly hours: number | null; readonly id: string };

/** The inverse of `drawnCoverName`; null for any other name. */
function parseName(name: string): Plant | null {
  const [, technology, hours = '', id = ''] = /^(\w+)-(\d{1,4}|unknown)-(ast_\w{26})\.svg$/.exec(name) ?? [];
  const known = TECHNOLOGIES.find((one) => one === technology);
  if (known === undefined || decodeId(ID_PREFIX.asset, id) === null) return null;
  return { technology: known, hours: hours === 'unknown' ? null : Number(hours), id };
}

const [WIDTH, HEIGHT] = [320, 180] as const;

/** Line and background in the light and the dark theme. */
const COLORS: Readonly<Record<Technology, readonly [string, string, string, string]>> = {
  solar: ['#a35c05', '#fbf3e6', '#e9a646', '#241c10'],
  wind_onshore: ['#0a62a8', '#eaf2f9', '#63b1f2', '#101f2c'],
  wind_offshore: ['#0b6a5c', '#e8f4f2', '#46c2ac', '#0e2523'],
};

/** Full-load hours of a weak and an excellent site. */
const YIELDS: Readonly<Record<Technology, readonly [number, number]>> = {
  solar: [900, 1900],
  wind_onshore: [1800, 3800],
  wind_offshore: [3500, 4600],
};

/** 0 for a weak site, 1 for an excellent one. An unknown yield is drawn as an average one. */
function siteQuality({ technology, hours }: Plant): number {
  const [weak, excellent] = YIELDS[technology];
  return hours === null ? 0.5 : Math.min(1, Math.max(0, (hours - weak) / (excellent - weak)));
}

/** Pseudo-random numbers from 0 to 1, the same for the same id. */
function randomOf(id: string): () => number {
  let state = crc32(id);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const coordinate = (value: number) => String(Math.round(value * 10) / 10);
const point = (x: number, y: number) => `${coordinate(x)} ${coordinate(y)}`;
const path = (data: string, opacity: number) => `<path d="${data}" opacity="${opacity.toFixed(2)}"/>`;
const listOf = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, at) => item(at));

/** A smooth line: a quadratic curve at each inner point, from the middle before it to the middle after it. */
function curve(points: readonly (readonly [number, number])[]): string {
  const [first = [0, 0], ...rest] = points;
  const parts = rest.slice(0, -1).map(([x, y], at) => {
    const [nextX, nextY] = rest[at + 1] ?? first;
    const isLast = at === rest.length - 2;
    return `Q${point(x, y)} ${isLast ? point(nextX, nextY) : point((x + nextX) / 2, (y + nextY) / 2)}`;
  });
  return `M${point(...first)}${parts.join('')}`;
}

const SECTORS = 12;
const SPEED_CLASSES = 4;
const CENTER = { x: WIDTH / 2, y: HEIGHT / 2 };
const [HUB_RADIUS, RINGS] = [9, [30, 57, 84]];

/** Share of each direction, relative to the most frequent one: a prevailing wind and a weaker one from elsewhere. */
function windShares(random: () => number): number[] {
  const prevailing = Math.PI * (1 + random() * 0.6);
  const other = prevailing + Math.PI * (0.5 + random());
  const [focus, otherShare] = [1.6 + random() * 2, 0.35 + random() * 0.4];
  const shares = listOf(SECTORS, (sector) => {
    const lobe = (center: number) => Math.exp(focus * (Math.cos(sectorAngle(sector) - center) - 1));
    return 0.25 + lobe(prevailing) + otherShare * lobe(other) + random() * 0.2;
  });
  const most = Math.max(...shares);
  return shares.map((share) => share / most);
}

const sectorAngle = (sector: number) => (sector * 2 * Math.PI) / SECTORS;

/** Clockwise from north. */
const polar = (angle: number, radius: number) =>
  point(CENTER.x + Math.sin(angle) * radius, CENTER.y - Math.cos(angle) * radius);

/** A petal per direction, divided into speed classes, on rings. */
function windRose(plant: Plant): string {
  const shares = windShares(randomOf(plant.id));
  const longest = 64 + 20 * siteQuality(plant);
  const half = (Math.PI / SECTORS) * 0.78;
  const rings = RINGS.map(
    (r) => `M${point(CENTER.x - r, CENTER.y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  );
  const petals = listOf(SPEED_CLASSES, (speed) => {
    const arcs = shares.map((share, sector) => {
      const radiusOf = (step: number) => HUB_RADIUS + (longest - HUB_RADIUS) * share * (step / SPEED_CLASSES);
      const [inner, outer] = [radiusOf(speed), radiusOf(speed + 1)];
      const [from, to] = [sectorAngle(sector) - half, sectorAngle(sector) + half];
      const radius = coordinate(outer);
      return `M${polar(from, inner)}L${polar(from, outer)}A${radius} ${radius} 0 0 1 ${polar(to, outer)}L${polar(to, inner)}`;
    });
    return path(arcs.join(''), 0.4 + (0.6 * (speed + 1)) / SPEED_CLASSES);
  });
  return path(rings.join(''), 0.25) + petals.join('');
}

const [LEFT, GROUND] = [30, 150];
const [FIRST_HOUR, LAST_HOUR] = [3, 21];
const HOUR_WIDTH = (WIDTH - 2 * LEFT) / (LAST_HOUR - FIRST_HOUR);
/** From December to June. */
const MONTHS = 7;
const STEPS = 14;

/** The production of a day in each month of half a year, the longest in June, above the hours of the day. */
function solarDays(plant: Plant): string {
  const random = randomOf(plant.id);
  const highest = 84 + 42 * siteQuality(plant);
  // Modules that face east or west move the maximum; flat ones widen the day.
  const [noon, slope] = [12 + (random() - 0.5) * 2, 1 + random() * 0.6];
  const days = listOf(MONTHS, (month) => {
    const season = (1 - Math.cos((Math.PI * month) / (MONTHS - 1))) / 2;
    const halfDay = 3.9 + 4.1 * season;
    const peak = highest * (0.22 + 0.78 * season) * (0.92 + 0.08 * random());
    const points = listOf(STEPS + 1, (step): [number, number] => {
      const share = (2 * step) / STEPS - 1;
      const x = LEFT + (12 - FIRST_HOUR + share * halfDay + (noon - 12) * (1 - share * share)) * HOUR_WIDTH;
      return [x, GROUND - peak * Math.cos((share * Math.PI) / 2) ** slope];
    });
    return path(curve(points), 0.4 + 0.6 * season);
  });
  const ticks = listOf(LAST_HOUR - FIRST_HOUR + 1, (at) => {
    const isLong = (FIRST_HOUR + at) % 6 === 0;
    return `M${point(LEFT + at * HOUR_WIDTH, GROUND)}v${isLong ? 7 : 3}`;
  });
  return path(`M${LEFT} ${GROUND}H${WIDTH - LEFT}${ticks.join('')}`, 0.45) + days.join('');
}

/** The SVG of this name, or null if it names no drawing. */
export function drawCover(name: string): string | null {
  const plant = parseName(name);
  if (plant === null) return null;
  const [line, back, darkLine, darkBack] = COLORS[plant.technology];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="xMidYMid slice">` +
    `<style>svg{background:${back};stroke:${line};fill:none}path{fill:${line};fill-opacity:.06;stroke-linejoin:round;vector-effect:non-scaling-stroke}` +
    `@media(prefers-color-scheme:dark){svg{background:${darkBack};stroke:${darkLine}}path{fill:${darkLine}}}</style>` +
    (plant.technology === 'solar' ? solarDays(plant) : windRose(plant)) +
    '</svg>'
  );
}
