import { LIMITS } from '@saldo/api';
import type { Statement } from './database.ts';

/** One filter of a list: the type of its parameter, and the condition that it puts on a row. */
type Filter = { readonly type: string; readonly condition: (parameter: string) => string };

type FilteredList<Name extends string, S extends Statement> = {
  readonly name: string;
  readonly make: (name: string, text: string) => S;
  /** The number of parameters that `text` has itself. They come first, those of the filters follow in their order. */
  readonly ownParameters: number;
  readonly filters: Readonly<Record<Name, Filter>>;
  /** The filters that an index serves, the most selective one first. */
  readonly leads: readonly NoInfer<Name>[];
  readonly text: (
    where: string,
    lead: NoInfer<Name> | null,
    parameterOf: (name: NoInfer<Name>) => string,
  ) => string;
};

type Values<Name extends string> = Readonly<Record<Name, string | number | boolean | null>>;
type Query<S extends Statement> = readonly [statement: S, values: readonly unknown[]];

/**
 * The statements of a list: one without a leading filter, and one for each filter that can lead. The first given filter
 * of `leads` is a plain condition, so that its index serves the list. All others are checked row by row and pass when
 * they are null: a statement for each combination of filters would be hundreds of prepared statements per connection.
 *
 * The others stand in a CASE, which the planner takes for true of every second row. Without it the planner expects that
 * nearly no row passes so many conditions, and that sorting all matches is cheaper than to stop after a page.
 */
export function filteredList<Name extends string, S extends Statement>(
  list: FilteredList<Name, S>,
): (own: readonly unknown[], filter: Values<Name>) => Query<S> {
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
    const lead = list.leads.find((name) => filter[name] !== null);
    const chosen = lead === undefined ? withoutLead : ledBy.get(lead);
    return [chosen ?? withoutLead, [...own, ...names.map((name) => filter[name])]];
  };
}

/**
 * The most rows that a page reads: one more than it shows. As a constant in the SQL it tells the planner that few rows
 * are joined; for a parameter the planner assumes a tenth of the table and prepares to join all of it.
 */
export const PAGE_ROWS = LIMITS.pageSize.maximum + 1;
