import type { Format } from '../i18n/format.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { totalDifference } from './differences.ts';

export const LANE_HEIGHT = 64;
/** Above and below the bars. */
const MARGIN = 10;
/** Between the bars and their scale. */
const GAP = 6;
/** Of a tabular digit in the size of the chart's texts, rounded up; all other characters are narrower. */
const DIGIT_WIDTH = 7.5;

type Props = {
  differencesKw: readonly (number | null)[];
  /** Left edge of the slot with this index. */
  x: (index: number) => number;
  top: number;
  left: number;
  right: number;
};

/** The width of the scale, whose numbers are exact and therefore long. */
export const laneScaleWidth = (differencesKw: readonly (number | null)[], format: Format): number =>
  GAP + Math.ceil(format.powerSigned(totalDifference(differencesKw).largestKw).length * DIGIT_WIDTH);

/** The differences on a scale of their own, since they are often too small for that of the values. */
export function DifferenceLane({ differencesKw, x, top, left, right }: Props) {
  const { format } = useI18n();
  const { largestKw } = totalDifference(differencesKw);
  const middle = top + LANE_HEIGHT / 2;
  const half = LANE_HEIGHT / 2 - MARGIN;
  const y = (kw: number) => Math.round((middle - (kw / largestKw) * half) * 10) / 10;
  const bars = differencesKw.map((kw, at) =>
    kw === null || kw === 0 ? '' : `M${x(at)} ${middle}V${y(kw)}H${x(at + 1)}V${middle}Z`,
  );
  return (
    <g>
      <path d={bars.join('')} className="fill-bad/80" />
      <path d={`M${left} ${middle}H${right}`} className="stroke-line-strong" fill="none" />
      {[largestKw, -largestKw].map((kw) => (
        <text key={kw} x={right + GAP} y={y(kw) + 4} className="fill-bad">
          {format.powerSigned(kw)}
        </text>
      ))}
      <text x={left - GAP} y={middle + 4} textAnchor="end" className="fill-muted">
        Δ MW
      </text>
    </g>
  );
}
