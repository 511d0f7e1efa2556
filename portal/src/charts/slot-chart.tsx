import { SLOTS_PER_HOUR } from '@saldo/core/delivery-day.ts';
import { type KeyboardEvent, type PointerEvent, useId, useMemo, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { DifferenceLane, LANE_HEIGHT, laneScaleWidth } from './difference-lane.tsx';
import { hourTicks } from './hour-ticks.ts';
import { stepArea, stepPath, ticksUpTo } from './scale.ts';
import { slotByKey } from './slot-keys.ts';
import { useWidth } from './use-width.ts';

const TONES = {
  out: { line: 'stroke-out', area: 'fill-out/15' },
  in: { line: 'stroke-in', area: 'fill-in/15' },
  matched: { line: 'stroke-ok', area: null },
  before: { line: 'stroke-muted', area: null },
};

type SlotSeries = {
  readonly id: string;
  readonly label: string;
  readonly tone: keyof typeof TONES;
  readonly isDashed?: boolean;
  /** In kWh; null where the value is unknown. */
  readonly valuesKwh: readonly (number | null)[];
};

type Props = {
  label: string;
  /** The start of each slot of the day. */
  starts: readonly number[];
  series: readonly SlotSeries[];
  /** Slots (from 1) to highlight, and the text of the marker. */
  marked: ReadonlySet<number>;
  markLabel: string;
  /** The differences of two series in kW, null where unknown: a lane below shows them if there are any. */
  differencesKw?: readonly (number | null)[];
  selected: number;
  onSelect: (slot: number) => void;
  /** A slot and its values as text, for screen readers. */
  describe: (slot: number) => string;
};

/** A phone in landscape mode has little height. The height is reserved before the width is known. */
const heightOf = (width: number): number => (width < 600 ? 250 : 320);
const RESERVED_HEIGHT = 'min-h-[250px] @min-[600px]:min-h-[320px]';
const RESERVED_WITH_LANE = 'min-h-[314px] @min-[600px]:min-h-[384px]';
const EDGE = { top: 18, right: 46, bottom: 24, left: 50 };

/** Quarter-hours as step lines. It is a slider: arrow keys move over the slots, screen readers read each one. */
export function SlotChart(props: Props) {
  const { label, starts, series, marked, markLabel, selected, onSelect, describe } = props;
  const differencesKw = props.differencesKw?.some((kw) => kw) ? props.differencesKw : null;
  const { t, format } = useI18n();
  const helpId = useId();
  const [box, width] = useWidth<HTMLDivElement>();
  const [hovered, setHovered] = useState<number | null>(null);
  const count = starts.length;
  const right = differencesKw ? Math.max(EDGE.right, laneScaleWidth(differencesKw, format)) : EDGE.right;
  const slotAt = (event: PointerEvent<HTMLDivElement>): number => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left - EDGE.left;
    const inner = width - EDGE.left - right;
    return Math.min(count, Math.max(1, Math.floor((left / inner) * count) + 1));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = slotByKey(event.key, selected, count);
    if (target === null) return;
    event.preventDefault();
    onSelect(target);
  };
  return (
    <figure className="@container grid grid-cols-[minmax(0,1fr)] gap-2">
      <Legend series={series} markLabel={marked.size > 0 ? markLabel : undefined} />
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={helpId}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={selected}
        aria-valuetext={describe(selected)}
        onKeyDown={onKeyDown}
        onPointerMove={(event) => setHovered(slotAt(event))}
        onPointerLeave={() => setHovered(null)}
        onClick={(event) => onSelect(slotAt(event as unknown as PointerEvent<HTMLDivElement>))}
        className={`${differencesKw ? RESERVED_WITH_LANE : RESERVED_HEIGHT} cursor-crosshair touch-pan-y rounded`}
      >
        {width > 0 && (
          <Drawing
            width={width}
            right={right}
            starts={starts}
            series={series}
            marked={marked}
            differencesKw={differencesKw}
            selected={selected}
            hovered={hovered}
          />
        )}
      </div>
      <figcaption className="flex flex-wrap justify-between gap-x-4 text-xs text-muted">
        <span aria-hidden="true">{describe(hovered ?? selected)}</span>
        <span id={helpId} className="sr-only">
          {t.brp.nominations.chartHelp}
        </span>
        <span className="hidden md:inline">{`${format.number(count)} × 15 min`}</span>
      </figcaption>
    </figure>
  );
}

function Legend({ series, markLabel }: { series: readonly SlotSeries[]; markLabel: string | undefined }) {
  return (
    <div className="flex flex-wrap gap-x-5 gap-y-1 text-xs text-muted">
      {series.map(({ id, label, tone, isDashed }) => (
        <span key={id} className="inline-flex items-center gap-1.5">
          <svg aria-hidden="true" width="20" height="8" viewBox="0 0 20 8">
            <path
              d="M0 4H20"
              fill="none"
              strokeWidth="2.5"
              strokeDasharray={isDashed ? '4 3' : undefined}
              className={TONES[tone].line}
            />
          </svg>
          {label}
        </span>
      ))}
      {markLabel && (
        <span className="inline-flex items-center gap-1.5">
          <svg aria-hidden="true" width="10" height="10" viewBox="0 0 10 10">
            <path d="M0 1H10L5 9Z" className="fill-bad" />
          </svg>
          {markLabel}
        </span>
      )}
    </div>
  );
}

type DrawingProps = Pick<Props, 'starts' | 'series' | 'marked' | 'selected'> & {
  width: number;
  /** Width of the scale at the right edge. */
  right: number;
  hovered: number | null;
  differencesKw: readonly (number | null)[] | null;
};

function Drawing({ width, right, starts, series, marked, differencesKw, selected, hovered }: DrawingProps) {
  const count = starts.length;
  const height = heightOf(width);
  const fullHeight = height + (differencesKw ? LANE_HEIGHT : 0);
  const innerWidth = width - EDGE.left - right;
  const innerHeight = height - EDGE.top - EDGE.bottom;
  const x = (index: number) => round(EDGE.left + (index / count) * innerWidth);
  const largest = Math.max(0, ...series.flatMap(({ valuesKwh }) => valuesKwh.map((kwh) => kwh ?? 0)));
  const ticks = ticksUpTo(largest / 1000, 4);
  const top = (ticks.at(-1) ?? 1) * 1000;
  const y = (kwh: number) => round(EDGE.top + innerHeight * (1 - kwh / top));
  const hours = useMemo(() => hourTicks(starts, innerWidth), [starts, innerWidth]);
  return (
    <svg
      aria-hidden="true"
      width={width}
      height={fullHeight}
      viewBox={`0 0 ${width} ${fullHeight}`}
      className="block text-[11px]"
    >
      <EnergyScale end={width - right} ticksMwh={ticks} y={y} />
      {hours.map(({ index, label }) => (
        <g key={index}>
          <path d={`M${x(index)} ${height - EDGE.bottom}v4`} className="stroke-line-strong" fill="none" />
          <text x={x(index)} y={height - 6} textAnchor="middle" className="fill-muted">
            {label}
          </text>
        </g>
      ))}
      {Array.from(marked, (slot) => (
        <g key={slot}>
          {/* With a lane the lines stay readable where every quarter-hour differs. */}
          {!differencesKw && (
            <path
              d={`M${x(slot - 1)} ${EDGE.top}H${x(slot)}V${height - EDGE.bottom}H${x(slot - 1)}Z`}
              className="fill-bad/15"
            />
          )}
          <path d={markAt((x(slot - 1) + x(slot)) / 2)} className="fill-bad" />
        </g>
      ))}
      <path
        d={`M${x(selected - 1)} ${EDGE.top}H${x(selected)}V${height - EDGE.bottom}H${x(selected - 1)}Z`}
        className="fill-accent/25 stroke-accent"
      />
      {series.map(({ id, tone, isDashed, valuesKwh }) => {
        const { line, area } = TONES[tone];
        return (
          <g key={id}>
            {area && <path d={stepArea(valuesKwh, x, y)} className={area} />}
            <path
              d={stepPath(valuesKwh, x, y)}
              fill="none"
              strokeWidth="1.75"
              strokeDasharray={isDashed ? '5 3' : undefined}
              className={line}
            />
          </g>
        );
      })}
      {differencesKw && (
        <DifferenceLane
          differencesKw={differencesKw}
          x={x}
          top={height}
          left={EDGE.left}
          right={width - right}
        />
      )}
      {hovered !== null && hovered !== selected && (
        <path
          d={`M${(x(hovered - 1) + x(hovered)) / 2} ${EDGE.top}V${height - EDGE.bottom}`}
          strokeDasharray="2 2"
          className="stroke-text"
          fill="none"
        />
      )}
    </svg>
  );
}

type ScaleProps = {
  /** Right edge of the slots. */
  end: number;
  ticksMwh: readonly number[];
  y: (kwh: number) => number;
};

/** Left axis: energy of a quarter-hour. Right axis: the equivalent power. */
function EnergyScale({ end, ticksMwh, y }: ScaleProps) {
  const { format } = useI18n();
  const [left, right] = [EDGE.left - 6, end + 6];
  return (
    <>
      {ticksMwh.map((mwh) => (
        <g key={mwh}>
          <path d={`M${EDGE.left} ${y(mwh * 1000)}H${end}`} className="stroke-line" fill="none" />
          <text x={left} y={y(mwh * 1000) + 4} textAnchor="end" className="fill-muted">
            {format.number(mwh)}
          </text>
          <text x={right} y={y(mwh * 1000) + 4} className="fill-muted">
            {format.number(mwh * SLOTS_PER_HOUR)}
          </text>
        </g>
      ))}
      <text x={left} y={10} textAnchor="end" className="fill-muted">
        MWh
      </text>
      <text x={right} y={10} className="fill-muted">
        MW
      </text>
    </>
  );
}

const round = (value: number) => Math.round(value * 10) / 10;
const markAt = (x: number) => `M${x - 4} ${EDGE.top - 10}h8l-4 7Z`;
