import { UsageError } from './usage.ts';

type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'item'; readonly at: number }
  | { readonly kind: 'items' };

/**
 * Help of `--select`, and its whole grammar. Filters and functions are left to programs such as jq, which take what `--json`
 * prints.
 */
export const SELECT_HELP = `
Paths of --select:
  name                a member of an object: amount
  "any name"          the same, for names with other characters than letters, digits, _ and -
  a.b                 a member of a member: pagination.next_cursor
  [2]  [-1]           an item of a list, counted from 0, or from the end
  []                  every item of a list: contracts[].id, in lists of this command line [].id
Each value is a line: a text as it is, everything else as JSON. Members that are missing print nothing.
`;

const FORM = /\.?(?:([\w-]+)|("(?:[^"\\]|\\.)*"))|\[(-?\d*)\]/y;

/** Throws a usage error for a text that is no path. */
export function parsePath(text: string): readonly Step[] {
  const steps: Step[] = [];
  const wrong = () =>
    new UsageError(`${JSON.stringify(text)} is no path of --select: write it like contracts[].id`);
  FORM.lastIndex = 0;
  for (let at = 0; at < text.length; at = FORM.lastIndex) {
    const [whole = '', name, quoted, index] = FORM.exec(text) ?? [];
    // A name follows a dot, except at the beginning.
    const isFirst = at === 0;
    if (whole === '' || (index === undefined && whole.startsWith('.') === isFirst)) throw wrong();
    if (index !== undefined) steps.push(itemOf(index, wrong));
    else steps.push({ kind: 'member', name: name ?? unquote(quoted ?? '""', wrong) });
  }
  if (steps.length === 0) throw wrong();
  return steps;
}

/** The quotes are those of JSON, which has fewer escapes than the form allows, and no line feeds. */
function unquote(quoted: string, wrong: () => Error): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw wrong();
  }
}

function itemOf(index: string, wrong: () => Error): Step {
  if (index === '') return { kind: 'items' };
  if (index === '-') throw wrong();
  return { kind: 'item', at: Number(index) };
}

/** The values at a path of a JSON value, one per line. */
export function selectLines(value: unknown, path: readonly Step[]): string {
  const found = path.reduce<unknown[]>((values, step) => values.flatMap((each) => take(each, step)), [value]);
  return found.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`).join('');
}

function take(value: unknown, step: Step): unknown[] {
  if (step.kind === 'member') {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && Object.hasOwn(value, step.name) ? [(value as Record<string, unknown>)[step.name]] : [];
  }
  if (!Array.isArray(value)) return [];
  if (step.kind === 'items') return value;
  const at = step.at < 0 ? value.length + step.at : step.at;
  return at in value ? [value[at]] : [];
}
