/** Whether two inputs of a form have the same values, in the same order of fields. */
export const isSameInput = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The input after others have changed the stored one: fields that equal the base follow, the others stay. */
export const rebasedInput = <I extends object>(input: I, base: I, stored: I): I =>
  Object.fromEntries(
    (Object.keys(stored) as (keyof I)[]).map((name) => [
      name,
      isSameInput(input[name], base[name]) ? stored[name] : input[name],
    ]),
  ) as I;
