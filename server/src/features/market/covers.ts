import { hash } from 'node:crypto';
import type { CoverMediaType } from '@saldo/api';
import { type Database, type Db, statement, type Tx } from '../../db/database.ts';
import { timestamp } from '../../db/wire-types.ts';
import type { Image } from './image.ts';

/** A stored cover as it is served. Its name says its content, so it never changes. */
export type StoredCover = { media_type: CoverMediaType; bytes: Buffer };

/** Where covers are below the address of the customer API. */
export const COVERS_PATH = '/covers/';

const ENDING = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;
const NAME_FORM = /^[\w-]{43}\.(?:png|jpg|webp)$/;

export const coverAddress = (customerUrl: string, name: string) => customerUrl + COVERS_PATH + name;

/** The name in an address of ours; null when it leads elsewhere. */
export function coverNameIn(customerUrl: string, address: string): string | null {
  const prefix = customerUrl + COVERS_PATH;
  return address.startsWith(prefix) ? address.slice(prefix.length) : null;
}

const INSERT = statement(
  'insert_cover',
  `insert into cover (name, media_type, width, height, bytes, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (name) do nothing`,
);

/** Keeps an image and gives it its name. The same image is kept once. */
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

/** As much as a page of large covers, or all covers of a market of small ones. */
const REMEMBERED_BYTES = 32 * 1024 * 1024;

/** Finds covers by their names and remembers those that were asked for last. */
export function coverFinder(db: Database): (name: string) => Promise<StoredCover | null> {
  const remembered = new Map<string, StoredCover>();
  let rememberedBytes = 0;

  function remember(name: string, cover: StoredCover): void {
    remembered.set(name, cover);
    rememberedBytes += cover.bytes.length;
    for (const [oldest, { bytes }] of remembered) {
      if (rememberedBytes <= REMEMBERED_BYTES) return;
      remembered.delete(oldest);
      rememberedBytes -= bytes.length;
    }
  }

  return async (name) => {
    if (!NAME_FORM.test(name)) return null;
    const known = remembered.get(name);
    if (known) {
      // Behind all others, which were asked for longer ago.
      remembered.delete(name);
      remembered.set(name, known);
      return known;
    }
    const [found] = await db.query<StoredCover>(FIND, [name]);
    if (!found) return null;
    if (!remembered.has(name)) remember(name, found);
    return found;
  };
}
