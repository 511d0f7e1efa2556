import { type DeliveryDay, SLOTS_PER_HOUR } from '@saldo/core/delivery-day.ts';
import { type KeyboardEvent, memo, type PointerEvent, useEffect, useMemo, useState } from 'react';
import { slotText } from '../ui/delivery-period.ts';
import { LEVELS, levelOf, opacityOf, type Scale, scaleOf } from './heat-levels.ts';
import { HeatScale } from './heat-scale.tsx';
import { useWidth } from './use-width.ts';

export type Cell = { readonly row: number; readonly slot: number };

export type HeatRow = {
  readonly id: string;
  readonly label: string;
  /** Highlights the label: a day of 23 or 25 hours. */
  readonly isUnusual?: boolean;
  /** The energy of each quarter-hour in kWh, in order; null where there is none. */
  readonly values: readonly (number | null)[];
  /** Slots with a frame. */
  readonly marked?: ReadonlySet<number>;
};

/** Styles of values above and below zero. */
const TONES = {
  saldo: { above: 'fill-out', below: 'fill-in' },
  bad: { above: 'fill-bad', below: 'fill-bad' },
} as const;

type Props = {
  label: string;
  help: string;
  rows: readonly HeatRow[];
  tone?: keyof typeof TONES;
  /** Width of the row labels in pixels. */
  labelWidth?: number;
  /** The day of all rows; default: a day without a clock change. */
  day?: DeliveryDay;
  selected: Cell;
  onSelect: (cell: Cell) => void;
  onOpen: (cell: Cell) => void;
  describe: (cell: Cell) => string;
};

const DAY_LABEL_WIDTH = 74;
const LEAST_CELLS_WIDTH = 486;
const ORDINARY_DAY = '2026-01-01';
const TOP = 18;
const ROW_HEIGHT = 20;

/**
 * Values by quarter-hour, one row per day or balance group. All cells of one shade are one path, so that a month of
 * three thousand quarter-hours is drawn and scrolled as a dozen shapes.
 */
export function HeatMap(props: Props) {
  const { label, help, rows, tone = 'saldo', labelWidth: left = DAY_LABEL_WIDTH, day = ORDINARY_DAY } = props;
  const { selected, onSelect, onOpen, describe } = props;
  const [box, available] = useWidth<HTMLDivElement>();
  const [hovered, setHovered] = useState<Cell | null>(null);
  const width = Math.max(available, left + LEAST_CELLS_WIDTH);
  // The longest row sets the scale; the last columns of shorter rows stay empty.
  const columns = Math.max(1, ...rows.map(({ values }) => values.length));
  const cellWidth = (width - left) / columns;
  const scale = useMemo(() => scaleOf(rows), [rows]);
  const selectedX = left + (selected.slot - 1) * cellWidth;
  useEffect(() => {
    const element = box.current;
    // Nothing is drawn, and nothing can be scrolled, until the width is known.
    if (element === null || available === 0) return;
    const isSeen = selectedX >= element.scrollLeft && selectedX < element.scrollLeft + element.clientWidth;
    // On a narrow screen, a cell selected by keyboard or URL may be outside the visible area.
    if (!isSeen) element.scrollLeft = selectedX - element.clientWidth / 2;
  }, [box, available, selectedX]);
  const cellAt = (event: PointerEvent<SVGSVGElement>): Cell | null => {
    const bounds = event.currentTarget.getBoundingClientRect();
    const row = Math.floor((event.clientY - bounds.top - TOP) / ROW_HEIGHT);
    const slot = Math.floor((event.clientX - bounds.left - left) / cellWidth) + 1;
    const count = rows[row]?.values.length ?? 0;
    return slot >= 1 && slot <= count ? { row, slot } : null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      onOpen(selected);
      return;
    }
    const target = cellByKey(event.key, selected, rows);
    if (!target) return;
    event.preventDefault();
    onSelect(target);
  };
  const shown = hovered ?? selected;
  const height = TOP + rows.length * ROW_HEIGHT + 2;
  return (
    <figure className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div
        ref={box}
        role="application"
        tabIndex={0}
        aria-label={`${label}. ${help}`}
        onKeyDown={onKeyDown}
        className="overflow-x-auto rounded"
      >
        {available === 0 ? (
          // The page below does not move when the width is known.
          <svg aria-hidden="true" width={1} height={height} className="block" />
        ) : (
          <svg
            aria-hidden="true"
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            className="block cursor-crosshair text-[11px]"
            onPointerMove={(event) => setHovered(cellAt(event))}
            onPointerLeave={() => setHovered(null)}
            onClick={(event) => {
              const cell = cellAt(event as unknown as PointerEvent<SVGSVGElement>);
              if (cell) onSelect(cell);
            }}
            onDoubleClick={(event) => {
              const cell = cellAt(event as unknown as PointerEvent<SVGSVGElement>);
              if (cell) onOpen(cell);
            }}
          >
            <Cells rows={rows} scale={scale} cellWidth={cellWidth} left={left} day={day} tone={tone} />
            <Outline cell={selected} cellWidth={cellWidth} left={left} />
            {hovered && <Outline cell={hovered} cellWidth={cellWidth} left={left} />}
          </svg>
        )}
      </div>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <figcaption className="text-xs text-muted" aria-live="polite">
          {describe(shown)}
        </figcaption>
        <HeatScale scale={scale} tones={TONES[tone]} />
      </div>
    </figure>
  );
}

/** The cell that a key moves to; a shorter day has fewer cells. */
function cellByKey(key: string, { row, slot }: Cell, rows: readonly HeatRow[]): Cell | null {
  const steps: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    PageUp: [0, -SLOTS_PER_HOUR],
    PageDown: [0, SLOTS_PER_HOUR],
    Home: [0, Number.NEGATIVE_INFINITY],
    End: [0, Number.POSITIVE_INFINITY],
  };
  const step = steps[key];
  if (!step) return null;
  const nextRow = Math.min(rows.length - 1, Math.max(0, row + step[0]));
  const count = rows[nextRow]?.values.length ?? 1;
  return { row: nextRow, slot: Math.min(count, Math.max(1, slot + step[1])) };
}

type Measures = { readonly cellWidth: number; readonly left: number };

const rect = (row: number, slot: number, { cellWidth, left }: Measures) => {
  const x = (left + (slot - 1) * cellWidth).toFixed(1);
  return `M${x} ${TOP + row * ROW_HEIGHT + 1}h${(cellWidth - 0.4).toFixed(1)}v${ROW_HEIGHT - 2}h-${(cellWidth - 0.4).toFixed(1)}Z`;
};

function Outline({ cell, ...measures }: Measures & { cell: Cell }) {
  return <path d={rect(cell.row, cell.slot, measures)} fill="none" strokeWidth="2" className="stroke-text" />;
}

type CellsProps = Measures & Required<Pick<Props, 'rows' | 'day' | 'tone'>> & { scale: Scale };

/** The part of the drawing that does not depend on the selection. */
const Cells = memo(function Cells({ rows, scale, cellWidth, left, day, tone }: CellsProps) {
  const paths = useMemo(() => pathsOf(rows, scale, { cellWidth, left }), [rows, scale, cellWidth, left]);
  const hours = [0, 3, 6, 9, 12, 15, 18, 21].map((hour) => hour * SLOTS_PER_HOUR + 1);
  return (
    <>
      {hours.map((slot) => (
        <text key={slot} x={left + (slot - 1) * cellWidth} y={12} className="fill-muted">
          {slotText(day, slot)}
        </text>
      ))}
      {rows.map(({ id, label, isUnusual = false }, row) => (
        <text
          key={id}
          x={left - 8}
          y={TOP + row * ROW_HEIGHT + 14}
          textAnchor="end"
          className={isUnusual ? 'fill-warn' : 'fill-muted'}
        >
          {label}
        </text>
      ))}
      <path d={paths.empty} className="fill-sunken" />
      {paths.above.map((d, level) => (
        <path key={`above${level}`} d={d} className={TONES[tone].above} fillOpacity={opacityOf(level)} />
      ))}
      {paths.below.map((d, level) => (
        <path key={`below${level}`} d={d} className={TONES[tone].below} fillOpacity={opacityOf(level)} />
      ))}
      <path d={paths.marked} fill="none" strokeWidth="1.6" className="stroke-bad" />
    </>
  );
});

/** Groups cells by style. */
function pathsOf(rows: readonly HeatRow[], scale: Scale, measures: Measures) {
  const paths = {
    empty: '',
    marked: '',
    above: Array.from({ length: LEVELS + 1 }, () => ''),
    below: Array.from({ length: LEVELS + 1 }, () => ''),
  };
  for (const [row, { values, marked }] of rows.entries()) {
    for (const [index, value] of values.entries()) {
      const cell = rect(row, index + 1, measures);
      if (marked?.has(index + 1)) paths.marked += cell;
      if (value === null || value === 0) {
        paths.empty += cell;
        continue;
      }
      const side = value > 0 ? paths.above : paths.below;
      side[levelOf(value, scale)] += cell;
    }
  }
  return paths;
}
