import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** From which width on a column is shown; the others are always there. */
const FROM = {
  sm: 'hidden sm:table-cell',
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
};

export type Column<Row> = {
  readonly id: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand to the right, so that their digits stand below each other. */
  readonly isNumber?: boolean;
  readonly from?: keyof typeof FROM;
  /** What stands below the column, such as its sum. */
  readonly footer?: ReactNode;
};

type Props<Row> = {
  /** What the table is about, for those who cannot see what it stands in. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowTone?: (row: Row) => 'selected' | 'bad' | 'faded' | null;
  /** Many rows scroll within the table, below its header. */
  isTall?: boolean;
};

const ROW_TONES = { selected: 'bg-accent-soft', bad: 'bg-bad-soft/60', faded: 'text-muted' };

/** Records below each other. What does not fit on a narrow screen is scrolled within the table. */
export function DataTable<Row>({ label, columns, rows, rowKey, rowTone, isTall = false }: Props<Row>) {
  const cellClass = ({ isNumber, from }: Column<Row>) =>
    cx('px-3 py-1.5 first:pl-4 last:pr-4', isNumber && 'text-right whitespace-nowrap', from && FROM[from]);
  const hasFooter = columns.some(({ footer }) => footer !== undefined);
  return (
    <TableScroll label={label} isTall={isTall}>
      <table className="w-full text-sm">
        <caption className="sr-only">{label}</caption>
        <thead className={cx(isTall && 'sticky top-0 z-10 bg-surface')}>
          <tr className="border-b border-line">
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={cx(
                  cellClass(column),
                  'text-xs font-medium whitespace-nowrap text-muted',
                  !column.isNumber && 'text-left',
                )}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const tone = rowTone?.(row);
            return (
              <tr
                key={rowKey(row)}
                className={cx(
                  'border-b border-line last:border-0 hover:bg-sunken/70',
                  tone && ROW_TONES[tone],
                )}
              >
                {columns.map((column) => (
                  <td key={column.id} className={cellClass(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
        {hasFooter && (
          <tfoot className={cx(isTall && 'sticky bottom-0 z-10 bg-surface')}>
            <tr className="border-t border-line-strong font-semibold">
              {columns.map((column) => (
                <td key={column.id} className={cellClass(column)}>
                  {column.footer}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </TableScroll>
  );
}

/** A part of the page that scrolls to the side by itself; with the keyboard too, which is why it takes the focus. */
export function TableScroll({
  label,
  isTall = false,
  children,
}: {
  label: string;
  isTall?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      className={cx('relative overflow-x-auto -outline-offset-2', isTall && 'max-h-[34rem] overflow-y-auto')}
    >
      {children}
    </div>
  );
}
