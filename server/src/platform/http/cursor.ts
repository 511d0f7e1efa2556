import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../auth/sealed-secrets.ts';
import type { Db } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const READ_SECRET = statement('read_cursor_secret', "select sealed_value from secret where name = 'cursor'");

export const platformSecretUse = (name: string): string => `secret ${name}`;

/** The secret of the platform, from which all its signatures and the ids of events are derived. */
export async function readCursorSecret(db: Db, sealer: Sealer): Promise<Uint8Array> {
  const [row] = await db.query<{ sealed_value: Buffer }>(READ_SECRET);
  if (row === undefined) throw new Error('the migrations make the secret');
  return sealer.open(row.sealed_value, platformSecretUse('cursor'));
}

/** The sort key of the last record of a page. The next page starts after it. */
export type Position = readonly (string | number)[];

/** In base64url characters: twelve bytes of the HMAC. */
const SEAL_LENGTH = 16;

/**
 * Cursors are signed with a secret of the platform. The signature covers the list, the viewer and the filters, so a
 * cursor with a valid signature needs no further validation.
 */
export type CursorSealer = {
  seal(binding: string, position: Position): string;
  /** Null for an invalid signature or another binding. */
  open(binding: string, cursor: string): Position | null;
};

export function cursorSealer(secret: Uint8Array): CursorSealer {
  const key = createSecretKey(secret);
  const sealOf = (binding: string, payload: string) =>
    createHmac('sha256', key).update(`${payload}\n${binding}`).digest('base64url').slice(0, SEAL_LENGTH);
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

/** Parameters that do not change the order of the list, so that a cursor stays valid when they change. */
const NOT_FILTERS = new Set(['limit', 'after', 'wait', 'types', 'include_assets', 'include_slots']);

/** A cursor is valid only for the same viewer, path and filters. */
export function bindingOf(viewer: string, path: string, rawQuery: Record<string, unknown>): string {
  const filters: [string, unknown][] = [];
  for (const name in rawQuery) if (!NOT_FILTERS.has(name)) filters.push([name, rawQuery[name]]);
  if (filters.length > 1) filters.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([viewer, path, filters]);
}
