/** The pictures of a run as SVG. Colours follow the theme of the reader's system. */
import type { Row, Spread } from './measure.ts';

const WIDTH = 1000;
const STYLE = `<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.axis { stroke: #8b949e; stroke-width: 1; fill: none }
.goal { stroke: #8b949e; stroke-width: 1.5; stroke-dasharray: 5 4 }
.met { stroke: #1a7f5a; fill: #1a7f5a; stroke-width: 2 }
.missed { stroke: #c0392b; fill: #c0392b; stroke-width: 2 }
.line { stroke: #2f6fd0; fill: none; stroke-width: 2 }
.end { text-anchor: end }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .met { stroke: #3fb98a; fill: #3fb98a } .missed { stroke: #ff7b72; fill: #ff7b72 }
  .line { stroke: #79a8ff }
}
</style>`;

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const round = (number: number) => Math.round(number * 10) / 10;
const line = (kind: string, x1: number, y1: number, x2: number, y2: number) =>
  `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
const label = (x: number, y: number, text: string, kind = '') =>
  `<text class="${kind}" x="${round(x)}" y="${round(y)}">${escaped(text)}</text>`;
const picture = (height: number, title: string, parts: readonly string[]) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
${STYLE}
${parts.join('\n')}
</svg>
`;

const ROW = 22;
const [PLOT_LEFT, PLOT_RIGHT] = [490, 790];
const LABEL_LENGTH = 70;
/** Times the goal, on a logarithmic axis. What is further away is drawn at the end. */
const [FARTHEST, TICKS] = [16, [0.25, 0.5, 1, 2, 4, 8, 16]];

/** The row's name with what it is compared with, shortened to its column. */
function nameOf({ what, other, ratio }: Row): string {
  const name = ratio === '' ? what : `${what}; ${other.split(':', 1)[0]}`;
  return name.length > LABEL_LENGTH ? `${name.slice(0, LABEL_LENGTH - 1)}…` : name;
}

/** How many times each goal is reached: right of 1 is better. The line through a dot has the quartiles of the rounds. */
export function goalsPicture(rows: readonly Row[]): string {
  const shown = rows.filter(({ goal }) => goal !== null && !('atMost' in goal && goal.atMost === 0));
  const x = (reached: number) => {
    const share = Math.log(Math.min(FARTHEST, Math.max(TICKS[0]!, reached)) / TICKS[0]!);
    return PLOT_LEFT + ((PLOT_RIGHT - PLOT_LEFT) * share) / Math.log(FARTHEST / TICKS[0]!);
  };
  const bottom = (shown.length + 1) * ROW;
  const ticks = TICKS.flatMap((tick) => [
    line(tick === 1 ? 'goal' : 'axis', x(tick), ROW - 8, x(tick), tick === 1 ? bottom : ROW - 4),
    label(x(tick) - 8, ROW - 12, `${tick} ×`),
  ]);
  const dots = shown.flatMap((row, at) => {
    const { own, ratio, goal, goalText, isMet, value } = row;
    const [y, kind] = [(at + 1.5) * ROW, isMet ? 'met' : 'missed'];
    const reached = (number: number) =>
      goal !== null && 'atLeast' in goal ? number / goal.atLeast : goal!.atMost / number;
    return [
      label(PLOT_LEFT - 12, y + 4, nameOf(row), 'end'),
      line(kind, x(reached(value.low)), y, x(reached(value.high)), y),
      `<circle class="${kind}" cx="${round(x(reached(value.middle)))}" cy="${y}" r="4"/>`,
      label(PLOT_RIGHT + 16, y + 4, `${ratio || own} (${goalText})`),
    ];
  });
  return picture(bottom + ROW, 'Each number of the table, as a multiple of its goal', [...ticks, ...dots]);
}

export type Panel = {
  readonly title: string;
  readonly points: readonly { readonly x: number; readonly y: Spread }[];
  readonly text: (y: number) => string;
  readonly goal?: number;
};

const [PANEL, PANEL_LEFT, PANEL_RIGHT] = [120, 110, 960];

/** One line per panel over the same axis, which starts at zero so that a flat line looks flat. */
export function linesPicture(
  title: string,
  panels: readonly Panel[],
  { xText, isLogarithmic = false }: { xText: (x: number) => string; isLogarithmic?: boolean },
): string {
  const scaled = (x: number) => (isLogarithmic ? Math.log(x) : x);
  const all = panels.flatMap(({ points }) => points.map((point) => point.x));
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const width = scaled(last) - scaled(first) || 1;
  const x = (value: number) =>
    PANEL_LEFT + ((PANEL_RIGHT - PANEL_LEFT) * (scaled(value) - scaled(first))) / width;
  const parts = panels.flatMap(({ title: name, points, text, goal }, at) => {
    const [top, bottom] = [at * PANEL + 26, (at + 1) * PANEL - 14];
    const most = Math.max(...points.map((point) => point.y.high), goal ?? 0) * 1.05 || 1;
    const y = (value: number) => bottom - ((bottom - top) * value) / most;
    const path = points.map((point) => `${round(x(point.x))},${round(y(point.y.middle))}`).join(' ');
    return [
      label(PANEL_LEFT, top - 8, name),
      label(PANEL_LEFT - 8, bottom + 4, text(0), 'end'),
      label(PANEL_LEFT - 8, top + 8, text(most), 'end'),
      line('axis', PANEL_LEFT, top, PANEL_LEFT, bottom),
      line('axis', PANEL_LEFT, bottom, PANEL_RIGHT, bottom),
      ...(goal === undefined ? [] : [line('goal', PANEL_LEFT, y(goal), PANEL_RIGHT, y(goal))]),
      ...points
        .filter((point) => point.y.low < point.y.high)
        .map((point) => line('line', x(point.x), y(point.y.low), x(point.x), y(point.y.high))),
      `<polyline class="line" points="${path}"/>`,
    ];
  });
  const bottom = panels.length * PANEL + 6;
  const ends = [label(PANEL_LEFT, bottom, xText(first)), label(PANEL_RIGHT, bottom, xText(last), 'end')];
  return picture(bottom + 14, title, [...parts, ...ends]);
}
