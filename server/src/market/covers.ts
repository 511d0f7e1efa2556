import { hash } from 'node:crypto';
import type { CoverMediaType } from '@saldo/api';
import { COVERS_PATH } from '@saldo/core/market/cover.ts';
import type { Database, Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import type { Image } from './image.ts';

/** A stored cover image. Its name is derived from its content, so the content of a name never changes. */
export type StoredCover = { media_type: CoverMediaType; bytes: Buffer };

const ENDING = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;
const NAME_FORM = /^[\w-]{43}\.(?:png|jpg|webp)$/;

export const coverAddress = (customerUrl: string, name: string) => customerUrl + COVERS_PATH + name;

/** Extracts the cover's name from a URL of this platform; null for any other URL. */
export function coverNameIn(customerUrl: string, address: string): string | null {
  const prefix = customerUrl + COVERS_PATH;
  return address.startsWith(prefix) ? address.slice(prefix.length) : null;
}

const INSERT = statement(
  'insert_cover',
  `insert into cover (name, media_type, width, height, bytes, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (name) do nothing`,
);

/** Stores an image and returns its name. Storing the same image again has no effect. */
export async function storeCover(tx: Tx, image: Image, file: Buffer, now: number): Promise<string> {
  const bytes = file.subarray(0, image.length);
  const name = `${hash('sha256', bytes, 'base64url')}.${ENDING[image.mediaType]}`;
  await tx.query(INSERT, [name, image.mediaType, image.width, image.height, bytes, timestamp(now)]);
  return name;
}

const EXISTS = statement('cover_exists', 'select exists (select from cover where name = $1) as found');

export async function coverExists(db: Db, name: string): Promise<boolean> {
  if (!NAME_FORM.test(name)) return false;
  const [row] = await db.query<{ found: boolean }>(EXISTS, [name]);
  return row?.found === true;
}

const FIND = statement('find_cover', 'select media_type, bytes from cover where name = $1');

/** Cache size: a page of large covers, or all covers if they are small. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** Creates a lookup of covers by name with an LRU cache. */
export function coverFinder(db: Database): (name: string) => Promise<StoredCover | null> {
  const cache = new Map<string, StoredCover>();
  let cachedBytes = 0;

  function addToCache(name: string, cover: StoredCover): void {
    cache.set(name, cover);
    cachedBytes += cover.bytes.length;
    for (const [oldest, { bytes }] of cache) {
      if (cachedBytes <= CACHE_BYTES) return;
      cache.delete(oldest);
      cachedBytes -= bytes.length;
    }
  }

  return async (name) => {
    if (!NAME_FORM.test(name)) return null;
    const known = cache.get(name);
    if (known) {
      // Reinsert at the end: a Map iterates in insertion order, and the first entry is evicted first.
      cache.delete(name);
      cache.set(name, known);
      return known;
    }
    const [found] = await db.query<StoredCover>(FIND, [name]);
    if (!found) return null;
    if (!cache.has(name)) addToCache(name, found);
    return found;
  };
}
