/** The order of a list in the URL: the id of a column, after `-` for descending. */
export const isSort = (text: string): boolean => /^-?[a-z_]{1,30}$/.test(text);

export type Direction = 'ascending' | 'descending';

/** The direction in which a column is sorted; null if another one or none is. */
export function directionOf(sort: string | undefined, column: string): Direction | null {
  if (sort === column) return 'ascending';
  return sort === `-${column}` ? 'descending' : null;
}

/** A first click sorts ascending, a second one descending, a third one restores the order of the list. */
export function nextSort(sort: string | undefined, column: string): string | undefined {
  const direction = directionOf(sort, column);
  if (direction === null) return column;
  return direction === 'ascending' ? `-${column}` : undefined;
}

export type SortValue = string | number | null;

/** Sorts by a value; rows without one come last in both directions. Equal rows keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => SortValue,
  direction: Direction,
  locale: string,
): Row[] {
  const collator = new Intl.Collator(locale, { numeric: true });
  const sign = direction === 'ascending' ? 1 : -1;
  const compare = (one: string | number, other: string | number): number =>
    typeof one === 'number' && typeof other === 'number'
      ? one - other
      : collator.compare(String(one), String(other));
  return rows
    .map((row) => ({ row, value: valueOf(row) }))
    .toSorted(({ value: one }, { value: other }) => {
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      return sign * compare(one, other);
    })
    .map(({ row }) => row);
}
