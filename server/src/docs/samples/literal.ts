/** How a language writes values. */
export type Syntax = {
  readonly string: (text: string) => string;
  readonly key: (name: string) => string;
  readonly words: { readonly null: string; readonly true: string; readonly false: string };
  /** The characters inside the braces of an object on one line. */
  readonly padding: string;
};

const LINE_LENGTH = 80;

/** A value of JSON in the syntax of a language, on several lines if it is long. */
export function literal(value: unknown, syntax: Syntax, indent = ''): string {
  const isList = Array.isArray(value);
  if (typeof value === 'string') return syntax.string(value);
  if (value === null || typeof value === 'boolean')
    return syntax.words[String(value) as keyof Syntax['words']];
  if (typeof value !== 'object') return String(value);
  const inner = `${indent}  `;
  const prefixed: [prefix: string, member: unknown][] = isList
    ? value.map((item) => ['', item])
    : Object.entries(value).map(([name, member]) => [`${syntax.key(name)}: `, member]);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (prefixed.length === 0) return open + close;
  const padding = isList ? '' : syntax.padding;
  const short = prefixed.map(([prefix, member]) => prefix + literal(member, syntax, inner)).join(', ');
  if (short.length <= LINE_LENGTH && !short.includes('\n')) return open + padding + short + padding + close;
  const lines = prefixed.map(([prefix, member]) => `${inner}${prefix}${literal(member, syntax, inner)},\n`);
  return `${open}\n${lines.join('')}${indent}${close}`;
}
