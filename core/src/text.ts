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
