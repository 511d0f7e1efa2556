const NAMES: readonly (readonly [level: number, name: string])[] = [
  [60, 'Fatal'],
  [50, 'Error'],
  [40, 'Warning'],
];

/** Values come from clients too: a control character could move the cursor of the terminal. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** A line of the log as a sentence for a terminal. Empty for lines below a warning, such as those of requests. */
export function formatReadable(line: string): string {
  const { level, time, msg, err, ...others } = JSON.parse(line) as {
    readonly level: number;
    readonly time: number;
    readonly msg?: string;
    readonly err?: { readonly message?: string };
  };
  const name = NAMES.find(([lowest]) => level >= lowest)?.[1];
  if (name === undefined) return '';
  const at = new Date(time).toLocaleTimeString('en-GB');
  const facts = [msg, err?.message].filter((fact) => fact !== undefined && fact !== '').join(': ');
  const members = Object.entries(others).filter(([, value]) => isPlain(value));
  const about = members.map(([member, value]) => `${member}=${value}`).join(', ');
  return `${at} ${name}: ${oneLine(about === '' ? facts : `${facts} (${about})`)}\n`;
}
