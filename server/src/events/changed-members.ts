/** The names of the members in which two JSON representations of a record differ. */
export const changedMembers = <T extends object>(before: T, after: T): string[] =>
  Object.keys(after).filter(
    (name) => JSON.stringify(before[name as keyof T]) !== JSON.stringify(after[name as keyof T]),
  );
