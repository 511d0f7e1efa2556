import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

/**
 * Encrypts secrets that the database stores but must not reveal. Sealed text is bound to its use, such as a column and the
 * id of its row: copied elsewhere, it cannot be opened.
 */
export type Sealer = {
  seal(plain: Uint8Array, use: string): Buffer;
  /** Throws `SecretUnreadable` if the key is missing, or if the text is not what was sealed for this use. */
  open(sealed: Uint8Array, use: string): Buffer;
};

export class SecretUnreadable extends Error {
  override name = 'SecretUnreadable';
}

class KeyMissing extends SecretUnreadable {
  override name = 'KeyMissing';
}

export const KEY_BYTES = 32;
export const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

const keyIdBytes = (key: Uint8Array): Buffer => hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES);

/** The id of a key, in hexadecimal. It tells keys apart and reveals nothing about the key. */
export const keyIdOf = (key: Uint8Array): string => keyIdBytes(key).toString('hex');

/** The id of the key that sealed this text, in hexadecimal. */
export const sealedWith = (sealed: Uint8Array): string =>
  Buffer.from(sealed.subarray(0, KEY_ID_BYTES)).toString('hex');

/** The first key seals, all of them open. Sealed text is key id, nonce, tag and encrypted text. */
export function createSealer(keys: readonly Uint8Array[]): Sealer {
  const [first] = keys;
  if (first === undefined) throw new Error('a sealer needs a key');
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]));
  return {
    seal(plain, use) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, first, nonce, { authTagLength: TAG_BYTES }).setAAD(
        Buffer.from(use),
      );
      const text = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([keyIdBytes(first), nonce, cipher.getAuthTag(), text]);
    },
    open(sealed, use) {
      const id = sealedWith(sealed);
      const key = byId.get(id);
      if (key === undefined) throw new KeyMissing(`the key ${id} is missing`);
      const part = (from: number, length?: number) =>
        sealed.subarray(from, length === undefined ? undefined : from + length);
      try {
        const nonce = part(KEY_ID_BYTES, NONCE_BYTES);
        const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(use)).setAuthTag(part(KEY_ID_BYTES + NONCE_BYTES, TAG_BYTES));
        return Buffer.concat([
          decipher.update(part(KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES)),
          decipher.final(),
        ]);
      } catch (cause) {
        throw new SecretUnreadable(`the text was not sealed for ${use}`, { cause });
      }
    },
  };
}

/**
 * A sealer of a process that runs while keys are rotated. It reads the keys again before it seals, so that no text is sealed
 * with a key that is about to be removed, and when text needs a key that it does not have.
 */
export function createFollowingSealer(readKeys: () => readonly Uint8Array[]): Sealer {
  let current = createSealer(readKeys());
  return {
    seal(plain, use) {
      current = createSealer(readKeys());
      return current.seal(plain, use);
    },
    open(sealed, use) {
      try {
        return current.open(sealed, use);
      } catch (error) {
        if (!(error instanceof KeyMissing)) throw error;
      }
      try {
        current = createSealer(readKeys());
      } catch (cause) {
        throw new SecretUnreadable('the keys cannot be read', { cause });
      }
      return current.open(sealed, use);
    },
  };
}
