/**
 * A text of the server and its translation. `{}` stands for a value; `{*}` for a value that is translated, too. The
 * translation refers to the values by number: `{1}`, or `{1d}` for a delivery day and `{1t}` for a point in time, which
 * are written in the format of the language.
 */
export type Template = readonly [text: string, translation: string];

type Compiled = {
  readonly pattern: RegExp;
  readonly nested: readonly boolean[];
  readonly translation: string;
};

const PLACEHOLDER = /\{\*?\}/g;
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

function compile([text, translation]: Template): Compiled {
  const source = text.split(PLACEHOLDER).map(escaped).join('([^]*?)');
  const nested = Array.from(text.matchAll(PLACEHOLDER), ([placeholder]) => placeholder === '{*}');
  return { pattern: new RegExp(`^${source}$`), nested, translation };
}

type ValueFormat = Readonly<Record<'dayNumeric' | 'dateTime', (value: string) => string>>;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

function written(value: string, kind: string, format: ValueFormat): string {
  if (kind === 'd' && DAY.test(value)) return format.dayNumeric(value);
  return kind === 't' && INSTANT.test(value) ? format.dateTime(value) : value;
}

/** Returns a translator. It returns null for texts without a template; the first template that matches applies. */
export function translator(
  templates: readonly Template[],
  format: ValueFormat,
): (text: string) => string | null {
  let compiled: readonly Compiled[] | undefined;
  const translate = (text: string): string | null => {
    compiled ??= templates.map(compile);
    for (const { pattern, nested, translation } of compiled) {
      const found = pattern.exec(text);
      if (found === null) continue;
      const translated = found.slice(1).map((value, at) => (nested[at] ? translate(value ?? '') : value));
      // A part without a template would be half a translation.
      if (translated.includes(null)) continue;
      return translation.replaceAll(/\{(\d)([dt]?)\}/g, (_, number: string, kind: string) =>
        written(translated[Number(number) - 1] ?? '', kind, format),
      );
    }
    return null;
  };
  return translate;
}
