/** Draws the results of a run as SVG: bars to compare costs, lines for growing data. */

import { costOf } from './measure.ts';
import type { Results } from './results.ts';
import { totalBytes } from './world.ts';

type Bar = { readonly label: string; readonly value: number; readonly isOwn?: boolean };
type Line = {
  readonly label: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
};

const WIDTH = 720;
const COLOURS = [
  '#0f766e',
  '#b45309',
  '#4338ca',
  '#be123c',
  '#4d7c0f',
  '#0369a1',
  '#7e22ce',
  '#a16207',
  '#475569',
  '#db2777',
  '#0891b2',
];
const [OWN, OTHER, INK, GRID] = ['#0f766e', '#94a3b8', '#1e293b', '#e2e8f0'];

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const text = (x: number, y: number, content: string, more = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${INK}" ${more}>${escaped(content)}</text>`;

function drawing(title: string, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="sans-serif" font-size="13">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(16, 26, title, 'font-size="15" font-weight="bold"'),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

const shortNumber = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);

function barChart(title: string, unit: string, bars: readonly Bar[]): string {
  const [left, top, step, room] = [230, 44, 28, WIDTH - 230 - 110];
  const most = Math.max(...bars.map(({ value }) => value));
  const parts = bars.flatMap(({ label, value, isOwn }, at) => {
    const [y, width] = [top + at * step, Math.max(1, (value / most) * room)];
    return [
      text(left - 8, y + 15, label, 'text-anchor="end"'),
      `<rect x="${left}" y="${y}" width="${width.toFixed(1)}" height="20" fill="${isOwn ? OWN : OTHER}"/>`,
      text(left + width + 6, y + 15, `${shortNumber(value)} ${unit}`),
    ];
  });
  return drawing(title, top + bars.length * step + 12, parts);
}

/** Both axes are logarithmic: a cost that grows with the size is a slope, a constant cost is level. */
function lineChart(title: string, unit: string, lines: readonly Line[]): string {
  const [left, top, right, bottom] = [70, 48, WIDTH - 190, 330];
  const points = lines.flatMap((line) => line.points);
  const [xs, ys] = [points.map(({ x }) => Math.log10(x)), points.map(({ y }) => Math.log10(y))];
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const [y0, y1] = [Math.floor(Math.min(...ys)), Math.ceil(Math.max(...ys))];
  const xAt = (x: number) => left + ((Math.log10(x) - x0) / (x1 - x0 || 1)) * (right - left);
  const yAt = (y: number) => bottom - ((Math.log10(y) - y0) / (y1 - y0 || 1)) * (bottom - top);
  const parts: string[] = [];
  for (let power = y0; power <= y1; power++) {
    const y = yAt(10 ** power);
    parts.push(
      `<line x1="${left}" x2="${right}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}" stroke="${GRID}"/>`,
    );
    parts.push(text(left - 8, y + 4, `${10 ** power} ${unit}`, 'text-anchor="end"'));
  }
  for (const x of new Set(points.map((point) => point.x))) {
    parts.push(text(xAt(x), bottom + 20, `${shortNumber(x / 1e6)} M`, 'text-anchor="middle"'));
  }
  lines.forEach((line, at) => {
    const colour = COLOURS[at % COLOURS.length] ?? INK;
    const path = line.points.map(({ x, y }) => `${xAt(x).toFixed(1)},${yAt(y).toFixed(1)}`).join(' ');
    parts.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    const y = top + 8 + at * 18;
    parts.push(`<rect x="${right + 16}" y="${y - 9}" width="10" height="10" fill="${colour}"/>`);
    parts.push(text(right + 32, y, line.label));
  });
  return drawing(title, bottom + 36, parts);
}

/** The charts of a run by file name. Parts that were not measured are omitted. */
export function chartsOf(results: Results): Record<string, string> {
  return { ...rivalCharts(results), ...growthChart(results) };
}

function rivalCharts({ rivals, againstLimit, cost }: Results): Record<string, string> {
  if (!rivals) return {};
  const request = 'contract’s transactions';
  const pages = rivals.pages.filter((page) => page.request === request);
  const [own] = pages;
  const limit = againstLimit?.[request];
  if (!own) return {};
  const ownCost = costOf(own.comparison.second);
  const costs: Bar[] = [
    // The bare server was measured on other data, so its cost is scaled by its ratio to the product.
    ...(limit ? [{ label: 'bare server', value: ownCost / limit.costRatio }] : []),
    { label: 'Saldo', value: ownCost, isOwn: true },
    ...pages.map(({ rival, comparison }) => ({ label: rival, value: costOf(comparison.first) })),
  ];
  const bytes: Bar[] = [
    { label: 'sheets', value: totalBytes(rivals.sheets) / rivals.transactions, isOwn: true },
    { label: 'a row per quarter-hour', value: rivals.rows.bytes / rivals.transactions },
  ];
  return {
    'cost.svg': barChart(`A page of 100 transactions: ${cost} of server and database`, 'µs', costs),
    'bytes.svg': barChart('A transaction on disk, all indexes included', 'bytes', bytes),
  };
}

function growthChart({ growth }: Results): Record<string, string> {
  const worlds = growth?.worlds ?? [];
  const [brp] = Object.keys(worlds[0]?.pages ?? {});
  if (worlds.length < 2 || brp === undefined) return {};
  // BRPs are named after their size, the largest of each dataset first.
  const pagesOf = (world: (typeof worlds)[number]) => Object.values(world.pages)[0] ?? {};
  const lines = Object.keys(pagesOf(worlds[0]!)).map((page) => ({
    label: page,
    points: worlds.map((world) => ({ x: world.transactions, y: pagesOf(world)[page]?.medianMs ?? 0 })),
  }));
  return { 'growth.svg': lineChart('Pages of a large BRP: time in the database', 'ms', lines) };
}
