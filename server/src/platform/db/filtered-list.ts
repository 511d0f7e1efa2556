import { LIMITS, type ListOrder } from '@saldo/api';
import type { Statement } from './statement.ts';

/** A filter: the SQL type of its parameter and its condition. */
type Filter = { readonly type: string; readonly condition: (parameter: string) => string };

type FilteredList<Name extends string, S extends Statement> = {
  readonly name: string;
  readonly make: (name: string, text: string) => S;
  /** The number of parameters of `text` itself. They come first, followed by those of the filters in order. */
  readonly ownParameters: number;
  readonly filters: Readonly<Record<Name, Filter>>;
  /** The filters that have an index, the most selective one first. */
  readonly leads: readonly NoInfer<Name>[];
  readonly text: (
    where: string,
    lead: NoInfer<Name> | null,
    parameterOf: (name: NoInfer<Name>) => string,
  ) => string;
};

/** Values of the filters. Null or absent: no restriction. */
export type FilterValues<Name extends string> = {
  readonly [N in Name]?: string | number | boolean | null | undefined;
};
type Query<S extends Statement> = readonly [statement: S, values: readonly unknown[]];

/**
 * Creates the statements of a list: one without a leading filter, and one for each filter that can lead. The first
 * given filter of `leads` becomes a plain condition, so that the planner uses its index. All other filters are checked
 * row by row and pass when they are null: one statement per combination of filters would mean hundreds of prepared
 * statements per connection.
 *
 * The other filters are inside a CASE, whose selectivity the planner estimates as one half. Without the CASE the
 * planner expects that almost no row passes so many conditions, and sorts all matches instead of stopping after a page.
 */
export function filteredList<Name extends string, S extends Statement>(
  list: FilteredList<Name, S>,
): (own: readonly unknown[], filter: FilterValues<Name>) => Query<S> {
  const names = Object.keys(list.filters) as Name[];
  const parameterOf = (name: Name) => `$${list.ownParameters + 1 + names.indexOf(name)}`;
  const conditionOf = (name: Name) => list.filters[name].condition(parameterOf(name));
  const statementOf = (lead: Name | null): S => {
    const others = names
      .filter((name) => name !== lead)
      .map((name) => `(${parameterOf(name)}::${list.filters[name].type} is null or ${conditionOf(name)})`);
    const conditions = [
      ...(lead === null ? [] : [conditionOf(lead)]),
      ...(others.length === 0 ? [] : [`case when ${others.join(' and ')} then true end`]),
    ];
    const name = lead === null ? list.name : `${list.name}_by_${lead}`;
    return list.make(name, list.text(conditions.join(' and '), lead, parameterOf));
  };
  const withoutLead = statementOf(null);
  const ledBy = new Map(list.leads.map((name) => [name, statementOf(name)]));
  return (own, filter) => {
    const lead = list.leads.find((name) => (filter[name] ?? null) !== null);
    const chosen = lead === undefined ? withoutLead : ledBy.get(lead);
    return [chosen ?? withoutLead, [...own, ...names.map((name) => filter[name] ?? null)]];
  };
}

/** The statements of a list that can be read from either end. */
export const inBothOrders = <T>(make: (order: ListOrder) => T): Readonly<Record<ListOrder, T>> => ({
  oldest_first: make('oldest_first'),
  newest_first: make('newest_first'),
});

/**
 * Maximum number of rows that a page reads: one more than it shows. A constant in the SQL, so that the planner expects
 * few rows. For a parameter the planner assumes a tenth of the table and chooses a plan that joins all of it.
 */
export const PAGE_ROWS = LIMITS.pageSize.maximum + 1;
