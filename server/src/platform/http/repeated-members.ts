import { LIMITS } from '@saldo/api';

/** Bounds the answer to a body that is built to have long paths. The first path is complete. */
const MAX_PATHS_LENGTH = 16_384;

/** Character codes. */
const QUOTE = 0x22;
const COMMA = 0x2c;
const ARRAY_START = 0x5b;
const BACKSLASH = 0x5c;
const ARRAY_END = 0x5d;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;

/** An object or array that is not closed yet, with the names seen so far and the current member. */
type Open = { readonly names: Set<string> | null; name: string; index: number };

/**
 * Paths of the members that occur more than once in an object of this JSON text, which must be valid. `JSON.parse` keeps
 * the last one silently, while another reader of the same text, such as a proxy that checks it, may keep the first.
 */
export function repeatedMembers(json: string): string[] {
  const paths = new Set<string>();
  const open: Open[] = [];
  let current: Open | undefined;
  let isNameNext = false;
  let pathsLength = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(json, at);
        if (isNameNext && current?.names) {
          current.name = stringAt(json, at, end);
          if (current.names.has(current.name)) {
            const path = pathOf(open);
            pathsLength += path.length;
            paths.add(path);
            if (paths.size === LIMITS.fieldErrors || pathsLength > MAX_PATHS_LENGTH) return [...paths];
          } else current.names.add(current.name);
          isNameNext = false;
        }
        at = end;
        break;
      }
      case COMMA:
        isNameNext = current?.names != null;
        if (current) current.index++;
        break;
      case OBJECT_START:
      case ARRAY_START: {
        isNameNext = json.charCodeAt(at) === OBJECT_START;
        current = { names: isNameNext ? new Set() : null, name: '', index: 0 };
        open.push(current);
        break;
      }
      case OBJECT_END:
      case ARRAY_END:
        open.pop();
        current = open.at(-1);
        break;
    }
  }
  return [...paths];
}

/** The index of the quote that ends the string. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
}

/** Names are compared decoded: `"\u0061"` is `"a"`. */
function stringAt(json: string, start: number, end: number): string {
  const raw = json.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(json.slice(start, end + 1)) as string) : raw;
}

/** `balance_group.tso`, `ids[3]`. */
const pathOf = (open: readonly Open[]): string =>
  open.reduce((path, { names, name, index }) => {
    if (names === null) return `${path}[${index}]`;
    return path === '' ? name : `${path}.${name}`;
  }, '');
