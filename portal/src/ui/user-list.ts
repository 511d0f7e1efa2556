/** A list that the browser keeps for each user, such as the pages that the user has opened. */
const keyOf = (name: string, userId: string): string => `saldo.${name}.${userId}`;

export const storedUserList = (name: string, userId: string): string =>
  localStorage.getItem(keyOf(name, userId)) ?? '[]';

/** An entry that another version of the portal has written in another form is left out. */
export function parseUserList<T extends object>(stored: string, isEntry: (value: object) => value is T): T[] {
  try {
    const values: unknown = JSON.parse(stored);
    return Array.isArray(values)
      ? values.filter((value): value is T => typeof value === 'object' && value !== null && isEntry(value))
      : [];
  } catch {
    // Not JSON.
    return [];
  }
}

export const writeUserList = (name: string, userId: string, entries: readonly object[]): void =>
  localStorage.setItem(keyOf(name, userId), JSON.stringify(entries));
