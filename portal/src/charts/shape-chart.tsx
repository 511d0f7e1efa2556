import { useI18n } from '../i18n/i18n.tsx';
import { TableScroll } from '../ui/table.tsx';

const CELL = { width: 18, height: 14 };
const LEFT = 36;
const TOP = 16;
const STEPS = [
  'fill-sunken',
  'fill-accent/15',
  'fill-accent/30',
  'fill-accent/50',
  'fill-accent/70',
  'fill-accent',
];

const LABELS = {
  en: (largest: string) => `Power by month and hour, up to ${largest} MW`,
  de: (largest: string) => `Leistung nach Monat und Stunde, bis ${largest} MW`,
};

/** Months as rows, hours as columns; a stronger colour means more power. */
export function ShapeChart({ powersMw }: { powersMw: readonly (readonly number[])[] }) {
  const { language, format } = useI18n();
  const largest = Math.max(0, ...powersMw.flat());
  const label = LABELS[language](format.number(largest));
  const stepOf = (power: number) => (largest === 0 ? 0 : Math.ceil((power / largest) * (STEPS.length - 1)));
  const monthName = (month: number) => format.monthShort(`2026-${String(month).padStart(2, '0')}`);
  const width = LEFT + 24 * CELL.width;
  const height = TOP + powersMw.length * CELL.height;
  return (
    <TableScroll label={label}>
      <svg role="img" aria-label={label} width={width} height={height} className="block text-[10px]">
        {[0, 6, 12, 18].map((hour) => (
          <text key={hour} x={LEFT + hour * CELL.width} y={10} className="fill-muted">
            {`${hour}:00`}
          </text>
        ))}
        {powersMw.map((row, month) => (
          // Months and hours have no identity other than their index.
          <g key={monthName(month + 1)}>
            <text x={0} y={TOP + month * CELL.height + 10} className="fill-muted">
              {monthName(month + 1)}
            </text>
            {Array.from(row.entries(), ([hour, power]) => (
              <rect
                key={hour}
                x={LEFT + hour * CELL.width}
                y={TOP + month * CELL.height}
                width={CELL.width - 1}
                height={CELL.height - 1}
                className={STEPS[stepOf(power)]}
              >
                <title>{`${monthName(month + 1)} ${hour}:00 · ${format.number(power)} MW`}</title>
              </rect>
            ))}
          </g>
        ))}
      </svg>
    </TableScroll>
  );
}
