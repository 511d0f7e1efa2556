import { LIMITS } from '@saldo/api';

/** The order of a list and its continuation after the last row of the previous page, of which $1 is the id. */
export type RowOrder = {
  readonly beyond: (alias: string) => string;
  readonly by: (alias: string) => string;
};

/** Where a page of a list starts. */
export type ListStart = {
  /** The id of the last row on the previous page. */
  readonly after: string;
  /** The value of that row that the list is sorted by; null for the order of creation. */
  readonly value: string | number | null;
  readonly count: number;
};

/** The order of creation. */
export const BY_ID: RowOrder = { beyond: (alias) => `${alias}.id > $1`, by: (alias) => `${alias}.id` };

/** A column that a list can be sorted by, because an index has its expression followed by the id. */
export type SortKey<Row> = {
  readonly column: string;
  /** The expression of the index, for the column and for the value of the last row on the previous page. */
  readonly expression: (value: string) => string;
  readonly valueOf: (row: Row) => string | number;
  /** The least and the greatest value. */
  readonly bounds: readonly [string | number, string | number];
  /** The column alone is unique, and its index does not have the id. */
  readonly isUnique?: true;
};

/** Greater than every name: longer, of the last code point. */
const BEYOND_TEXTS = '\u{10ffff}'.repeat(LIMITS.nameLength + 1);

/** Sorts by a text, at most as long as a name, without regard to upper case and accents. */
export const textKey = <Row>(column: string, valueOf: (row: Row) => string): SortKey<Row> => ({
  column,
  expression: (value) => `sort_text(${value}) collate "C"`,
  valueOf,
  bounds: ['', BEYOND_TEXTS],
});

export type Sorting<Row> = { readonly key: SortKey<Row>; readonly isDescending: boolean };

/** Both directions of each key; the name of the descending one begins with `-`. `parameter` has the value of the key. */
export function sortedLists<Name extends string, Row, List>(
  keys: Readonly<Record<Name, SortKey<Row>>>,
  parameter: string,
  make: (name: string, order: RowOrder) => List,
): Readonly<Record<Name | `-${Name}`, Sorting<Row> & { readonly list: List }>> {
  const both = (Object.keys(keys) as Name[]).flatMap((name) => {
    const key = keys[name];
    return [false, true].map((isDescending) => {
      const order = orderOf({ key, isDescending }, parameter);
      const list = make(`_by_${key.column}${isDescending ? '_down' : ''}`, order);
      return [`${isDescending ? '-' : ''}${name}`, { key, isDescending, list }] as const;
    });
  });
  return Object.fromEntries(both) as never;
}

function orderOf<Row>({ key, isDescending }: Sorting<Row>, parameter: string): RowOrder {
  const { column, expression, isUnique } = key;
  const [than, direction] = isDescending ? ['<', ' desc'] : ['>', ''];
  return {
    beyond: (alias) =>
      `(${expression(`${alias}.${column}`)}, ${alias}.id) ${than} (${expression(parameter)}, $1)`,
    by: (alias) =>
      `${expression(`${alias}.${column}`)}${direction}${isUnique ? '' : `, ${alias}.id${direction}`}`,
  };
}
