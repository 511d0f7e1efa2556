import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Who a key belongs to; it is also part of the key, so that a key found somewhere tells what it is. */
export type KeyKind = 'brp' | 'account' | 'operator';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
/** As much of a key as may be shown again: enough to tell keys apart, far too little to guess one. */
const SHOWN_CHARACTERS = 4;

/** What looks like a key in a text, whatever stands around it. */
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

/** A new secret: prefix, 190 random bits, and a checksum by which a mistyped key is told from an unknown one. */
export function newSecret(kind: KeyKind): string {
  let body = prefixOf(kind);
  for (let i = 0; i < RANDOM_CHARACTERS; i++) body += ALPHABET[randomInt(ALPHABET.length)];
  return body + checksum(body);
}

/** Whether a text may be a key of this kind at all; what is not needs no look-up. */
export function looksLikeKey(kind: KeyKind, secret: string): boolean {
  if (!secret.startsWith(prefixOf(kind))) return false;
  if (secret.length !== prefixOf(kind).length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS) return false;
  return checksum(secret.slice(0, -CHECKSUM_CHARACTERS)) === secret.slice(-CHECKSUM_CHARACTERS);
}

/** A secret has far too much entropy to be guessed, so one fast hash is enough to keep it from being read. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** A key that was not made here but chosen by somebody has no prefix to show, and may be short. */
export const shownPrefix = (kind: KeyKind, secret: string): string =>
  secret.slice(0, (looksLikeKey(kind, secret) ? prefixOf(kind).length : 0) + SHOWN_CHARACTERS);
