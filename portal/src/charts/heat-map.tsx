import { type KeyboardEvent, memo, type PointerEvent, useMemo, useState } from 'react';
import { slotLabel, slotStart } from '../domain/delivery-day.ts';
import type { MonthRow } from '../domain/month.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { useWidth } from './use-width.ts';

export type Cell = { readonly row: number; readonly slot: number };

type Props = {
  label: string;
  help: string;
  rows: readonly MonthRow[];
  selected: Cell;
  onSelect: (cell: Cell) => void;
  onOpen: (cell: Cell) => void;
  describe: (cell: Cell) => string;
};

const LEFT = 74;
const TOP = 18;
const ROW_HEIGHT = 20;
const SLOTS_PER_HOUR = 4;
const LEVELS = 6;
const OPACITIES = ['0', '0.22', '0.38', '0.54', '0.7', '0.85', '1'];

/**
 * Day by quarter-hour. All cells of one shade are one path, so that a month of three thousand quarter-hours is drawn
 * and scrolled as a dozen shapes.
 */
export function HeatMap({ label, help, rows, selected, onSelect, onOpen, describe }: Props) {
  const [box, available] = useWidth<HTMLDivElement>();
  const [hovered, setHovered] = useState<Cell | null>(null);
  const width = Math.max(available, 560);
  // The longest day of the month sets the scale; on shorter ones the last columns stay empty.
  const columns = Math.max(...rows.map(({ saldoKwh }) => saldoKwh.length));
  const cellWidth = (width - LEFT) / columns;
  const cellAt = (event: PointerEvent<SVGSVGElement>): Cell | null => {
    const bounds = event.currentTarget.getBoundingClientRect();
    const row = Math.floor((event.clientY - bounds.top - TOP) / ROW_HEIGHT);
    const slot = Math.floor((event.clientX - bounds.left - LEFT) / cellWidth) + 1;
    const count = rows[row]?.saldoKwh.length ?? 0;
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
    <figure className="grid gap-2">
      <div
        ref={box}
        role="application"
        tabIndex={0}
        aria-label={`${label}. ${help}`}
        onKeyDown={onKeyDown}
        className="overflow-x-auto rounded"
      >
        {available > 0 && (
          <svg
            aria-hidden="true"
            width={width}
            height={height}
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
            <Cells rows={rows} cellWidth={cellWidth} />
            <Outline cell={selected} cellWidth={cellWidth} />
            {hovered && <Outline cell={hovered} cellWidth={cellWidth} />}
          </svg>
        )}
      </div>
      <figcaption className="text-xs text-muted" aria-live="polite">
        {describe(shown)}
      </figcaption>
    </figure>
  );
}

/** Where a key leads from a cell; a shorter day ends earlier. */
function cellByKey(key: string, { row, slot }: Cell, rows: readonly MonthRow[]): Cell | null {
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
  const count = rows[nextRow]?.saldoKwh.length ?? 1;
  return { row: nextRow, slot: Math.min(count, Math.max(1, slot + step[1])) };
}

const rect = (row: number, slot: number, cellWidth: number) => {
  const x = (LEFT + (slot - 1) * cellWidth).toFixed(1);
  return `M${x} ${TOP + row * ROW_HEIGHT + 1}h${(cellWidth - 0.4).toFixed(1)}v${ROW_HEIGHT - 2}h-${(cellWidth - 0.4).toFixed(1)}Z`;
};

function Outline({ cell, cellWidth }: { cell: Cell; cellWidth: number }) {
  return (
    <path d={rect(cell.row, cell.slot, cellWidth)} fill="none" strokeWidth="2" className="stroke-text" />
  );
}

/** Everything that does not change while one looks around. */
const Cells = memo(function Cells({ rows, cellWidth }: { rows: readonly MonthRow[]; cellWidth: number }) {
  const { format } = useI18n();
  const paths = useMemo(() => pathsOf(rows, cellWidth), [rows, cellWidth]);
  const hours = [0, 3, 6, 9, 12, 15, 18, 21].map((hour) => hour * SLOTS_PER_HOUR + 1);
  return (
    <>
      {hours.map((slot) => (
        <text key={slot} x={LEFT + (slot - 1) * cellWidth} y={12} className="fill-muted">
          {slotLabel(slotStart('2026-01-01', slot))}
        </text>
      ))}
      {rows.map(({ day, saldoKwh }, row) => (
        <text
          key={day}
          x={LEFT - 8}
          y={TOP + row * ROW_HEIGHT + 14}
          textAnchor="end"
          className={saldoKwh.length === 96 ? 'fill-muted' : 'fill-warn'}
        >
          {format.dayShort(day)}
        </text>
      ))}
      <path d={paths.empty} className="fill-sunken" />
      {paths.out.map((d, level) => (
        <path key={`out${level}`} d={d} className="fill-out" fillOpacity={OPACITIES[level]} />
      ))}
      {paths.in.map((d, level) => (
        <path key={`in${level}`} d={d} className="fill-in" fillOpacity={OPACITIES[level]} />
      ))}
      <path d={paths.mismatched} fill="none" strokeWidth="1.6" className="stroke-bad" />
    </>
  );
});

/** Collects cells by what they look like. */
function pathsOf(rows: readonly MonthRow[], cellWidth: number) {
  const largest = Math.max(1, ...rows.flatMap(({ saldoKwh }) => saldoKwh.map((kwh) => Math.abs(kwh ?? 0))));
  const paths = {
    empty: '',
    mismatched: '',
    out: Array.from({ length: LEVELS + 1 }, () => ''),
    in: Array.from({ length: LEVELS + 1 }, () => ''),
  };
  for (const [row, { saldoKwh, mismatched }] of rows.entries()) {
    for (const [index, kwh] of saldoKwh.entries()) {
      const cell = rect(row, index + 1, cellWidth);
      if (mismatched.has(index + 1)) paths.mismatched += cell;
      if (kwh === null || kwh === 0) {
        paths.empty += cell;
        continue;
      }
      const level = Math.max(1, Math.ceil((Math.abs(kwh) / largest) * LEVELS));
      const side = kwh > 0 ? paths.out : paths.in;
      side[level] += cell;
    }
  }
  return paths;
}
