import { hash, timingSafeEqual } from 'node:crypto';

/** Where a list goes on: the sort key of the last record of a page. */
export type Position = readonly (string | number)[];

/** Of base64url: twelve bytes of the hash. */
const SEAL_LENGTH = 16;

/**
 * Cursors are sealed with a secret of the platform over the list, the viewer and the filters they belong to: a
 * cursor that opens was made here, for just this list, so what it holds needs no further check.
 */
export type CursorSealer = {
  seal(binding: string, position: Position): string;
  /** Null for anything that was not sealed under this binding. */
  open(binding: string, cursor: string): Position | null;
};

export function cursorSealer(secret: Uint8Array): CursorSealer {
  // This hash cannot be continued from its result as SHA-256 could, so the secret in front of it is enough; it takes a
  // third of the time of an HMAC, and every page but the last has one.
  const secretText = Buffer.from(secret).toString('hex');
  const sealOf = (binding: string, payload: string) =>
    hash('sha512-256', `${secretText}\n${payload}\n${binding}`, 'base64url').slice(0, SEAL_LENGTH);
  return {
    seal(binding, position) {
      const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
      return `${payload}.${sealOf(binding, payload)}`;
    },
    open(binding, cursor) {
      const [payload = '', seal = '', ...rest] = cursor.split('.');
      const given = Buffer.from(seal);
      const expected = Buffer.from(sealOf(binding, payload));
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
        return null;
      return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Position;
    },
  };
}

/** Parameters that change how a page looks but not which records the list holds. */
const NOT_FILTERS = new Set(['limit', 'after', 'include_assets', 'include_slots']);

/** What a cursor is bound to: the viewer, the list's address, and the filters as they were given. */
export function bindingOf(viewer: string, path: string, rawQuery: Record<string, unknown>): string {
  const filters: [string, unknown][] = [];
  for (const name in rawQuery) if (!NOT_FILTERS.has(name)) filters.push([name, rawQuery[name]]);
  if (filters.length > 1) filters.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([viewer, path, filters]);
}
