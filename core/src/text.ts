export function codePointLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    // A code point above 0xFFFF takes two code units.
    if (text.codePointAt(at)! > 0xffff) {
      length--;
      at++;
    }
  }
  return length;
}

/** Text that both JSON and PostgreSQL can store: no NUL, no unpaired surrogate. */
export function isWellFormedText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${BYTE_UNITS[power]}`;
}
