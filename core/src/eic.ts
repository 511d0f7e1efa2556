import { assert } from './assert.ts';
import type { Message } from './messages/message.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-';
const BODY_LENGTH = 15;
const FORM = /^\d{2}[A-Z][A-Z0-9-]{13}$/;
/** Types of balance groups: parties (X) and areas (Y). */
const BALANCE_GROUP_TYPES = 'XY';

/** Null for a valid code, else a message that helps to correct it. */
export function checkEic(text: string): Message | null {
  if (!FORM.test(text)) return { key: 'field.eic_form' };
  const start = text.slice(0, BODY_LENGTH);
  const expected = checkCharacter(start);
  if (expected === '-') return { key: 'field.eic_no_check_character', start };
  const found = text.charAt(BODY_LENGTH);
  return found === expected ? null : { key: 'field.eic_check_character', expected, found };
}

export function isBalanceGroupEic(text: string): boolean {
  return checkEic(text) === null && BALANCE_GROUP_TYPES.includes(text.charAt(2));
}

/** The sixteenth character for the first fifteen; '-' means that no valid code starts with them. */
export function checkCharacter(first15: string): string {
  assert(first15.length === BODY_LENGTH, 'a check character belongs to fifteen characters');
  let sum = 0;
  for (let at = 0; at < BODY_LENGTH; at++) {
    const value = ALPHABET.indexOf(first15.charAt(at));
    assert(value >= 0, 'an EIC has only capital letters, digits and hyphens');
    sum += value * (BODY_LENGTH + 1 - at);
  }
  // Adding 36 instead of subtracting 1 keeps the remainder positive for fifteen zeros.
  return ALPHABET.charAt(36 - ((sum + 36) % 37));
}
