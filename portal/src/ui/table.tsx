import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { cx } from './cx.ts';
import { directionOf, nextSort, type SortValue, sortRows } from './sort.ts';

/** The breakpoint from which a column is shown; columns without one are always shown. On paper all are. */
const FROM = {
  sm: 'hidden sm:table-cell print:table-cell',
  md: 'hidden md:table-cell print:table-cell',
  lg: 'hidden lg:table-cell print:table-cell',
  xl: 'hidden xl:table-cell print:table-cell',
  wide: 'hidden min-[1400px]:table-cell print:table-cell',
  widest: 'hidden min-[1700px]:table-cell print:table-cell',
};

export type Column<Row> = {
  readonly id: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Right-aligns numbers, so that their digits line up. */
  readonly isNumber?: boolean;
  readonly from?: keyof typeof FROM;
  /**
   * Names that may be long. On a wide screen they take one line, cut at the width of the column, which has to be given:
   * otherwise the text would determine it.
   */
  readonly isLong?: boolean;
  /** Class of a width in percent. Tables whose columns all have the same widths align with each other. */
  readonly width?: string;
  /** The footer of the column, such as its sum. */
  readonly footer?: ReactNode;
  /** Lets the user sort the table by this value; `by-list` if the list itself is read in that order. */
  readonly sortBy?: ((row: Row) => SortValue) | 'by-list';
};

/** The order of a table, which is kept in the URL. */
export type Sort = {
  readonly value: string | undefined;
  readonly onChange: (sort: string | undefined) => void;
};

/** The order of a table whose list the API sorts, with the names of its parameter `sort`. */
export const listSort = <Name extends string>(
  names: readonly Name[],
  value: Name | undefined,
  set: (change: { sort: Name | undefined }) => void,
): Sort => ({ value, onChange: (next) => set({ sort: names.find((name) => name === next) }) });

type Props<Row> = {
  /** The table's caption for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowTone?: (row: Row) => 'selected' | 'bad' | 'faded' | null;
  /** A long table scrolls below its fixed header. */
  isTall?: boolean;
  /** Makes the columns with `sortBy` sortable. */
  sort?: Sort | undefined;
};

/** The space at the end of a row is a cell of its own, because its last column may be hidden. */
const ROW_END = 'after:table-cell after:w-2';
const ROW_TONES = { selected: 'bg-accent-soft', bad: 'bg-bad-soft/60', faded: 'text-muted' };

/** A table of records. On a narrow screen it scrolls horizontally. */
export function DataTable<Row>({ label, columns, rows, rowKey, rowTone, isTall = false, sort }: Props<Row>) {
  const { format } = useI18n();
  const sorted = sortedRows(columns, rows, sort, format.locale);
  const cellClass = ({ isNumber, isLong, from }: Column<Row>) =>
    cx(
      'px-2 py-1.5 first:pl-4 dense:py-1 dense:leading-tight',
      isNumber && 'text-right whitespace-nowrap',
      isLong && 'xl:not-print:max-w-0 xl:not-print:truncate',
      from && FROM[from],
    );
  const hasFooter = columns.some(({ footer }) => footer !== undefined);
  return (
    <TableScroll label={label} isTall={isTall}>
      <table className="w-full text-sm">
        <caption className="sr-only">{label}</caption>
        <thead className={cx(isTall && 'sticky top-0 z-10 bg-surface')}>
          <tr className={cx('border-b border-line', ROW_END)}>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                aria-sort={(sort && directionOf(sort.value, column.id)) ?? undefined}
                className={cx(
                  cellClass(column),
                  'text-xs font-medium whitespace-nowrap text-muted',
                  !column.isNumber && 'text-left',
                  column.width,
                )}
              >
                {sort && column.sortBy ? <SortButton column={column} sort={sort} /> : column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => {
            const tone = rowTone?.(row);
            return (
              <tr
                key={rowKey(row)}
                className={cx(
                  'border-b border-line last:border-0 hover:bg-sunken/70',
                  ROW_END,
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
            <tr className={cx('border-t border-line-strong font-semibold', ROW_END)}>
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

function sortedRows<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  sort: Sort | undefined,
  locale: string,
): readonly Row[] {
  const column = columns.find(({ id }) => directionOf(sort?.value, id) !== null);
  const direction = column && directionOf(sort?.value, column.id);
  const valueOf = column?.sortBy;
  return direction && typeof valueOf === 'function' ? sortRows(rows, valueOf, direction, locale) : rows;
}

const ARROWS = { ascending: '↑', descending: '↓' };

/** A header that sorts; its arrow shows the direction. */
function SortButton<Row>({ column: { id, header }, sort }: { column: Column<Row>; sort: Sort }) {
  const direction = directionOf(sort.value, id);
  return (
    <button
      type="button"
      onClick={() => sort.onChange(nextSort(sort.value, id))}
      className="target -mx-1 inline-flex items-center gap-1 rounded px-1 font-medium hover:bg-sunken hover:text-text"
    >
      {header}
      <span aria-hidden="true" className={cx('w-2', direction === null && 'opacity-50')}>
        {direction === null ? '↕' : ARROWS[direction]}
      </span>
    </button>
  );
}

/** A horizontally scrolling area. It is focusable so that the keyboard can scroll it. */
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
