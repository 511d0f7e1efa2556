import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The kind of owner. The kind is part of the key's text, so that a leaked key can be identified. */
export type KeyKind = 'brp' | 'account' | 'operator';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
/** Random characters that lists of keys display: enough to tell keys apart, too few to help guessing. */
const SHOWN_CHARACTERS = 4;

/** Finds keys inside other text, such as a URL. */
export const KEY_IN_TEXT = /saldo_(?:brp|account|operator)_\w+/g;

const prefixOf = (kind: KeyKind) => `saldo_${kind}_`;

function checksum(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    digits = ALPHABET[value % ALPHABET.length] + digits;
    value = Math.floor(value / ALPHABET.length);
  }
  return digits;
}

/** Prefix, 190 random bits, and a checksum that detects mistyped keys without a look-up. */
export function newSecret(kind: KeyKind): string {
  let body = prefixOf(kind);
  for (let i = 0; i < RANDOM_CHARACTERS; i++) body += ALPHABET[randomInt(ALPHABET.length)];
  return body + checksum(body);
}

/** Checks the form and the checksum, so that malformed keys cost no database look-up. */
export function looksLikeKey(kind: KeyKind, secret: string): boolean {
  if (!secret.startsWith(prefixOf(kind))) return false;
  if (secret.length !== prefixOf(kind).length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS) return false;
  return checksum(secret.slice(0, -CHECKSUM_CHARACTERS)) === secret.slice(-CHECKSUM_CHARACTERS);
}

/** One fast hash is enough: a secret has too much entropy for a dictionary attack, so a slow hash adds nothing. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** The operator's first key may come from the configuration. Such a key has no prefix and may be short. */
export const shownPrefix = (kind: KeyKind, secret: string): string =>
  secret.slice(0, (looksLikeKey(kind, secret) ? prefixOf(kind).length : 0) + SHOWN_CHARACTERS);
