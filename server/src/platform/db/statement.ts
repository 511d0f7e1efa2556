/** A statement that is prepared once per connection under its name. Equal names must have equal texts. */
export type Statement = { readonly name: string; readonly text: string };

/** How rows are returned: as objects, or as arrays of columns. */
export type RowShape = 'object' | 'array';

/** A statement of a few index scans that takes well under a millisecond. A test checks the plans of all of them. */
export type HotStatement = Statement & { readonly isHot: true };

export const statement = (name: string, text: string): Statement => ({ name, text });

const hotStatements = new Map<string, HotStatement>();

export function hotStatement(name: string, text: string): HotStatement {
  const made = { name, text, isHot: true } as const;
  hotStatements.set(name, made);
  return made;
}

/** All hot statements of this process, for the test of their plans. */
export const knownHotStatements = (): HotStatement[] => [...hotStatements.values()];
