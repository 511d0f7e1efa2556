import type { Message } from '../messages/message.ts';
import { isWellFormedText } from '../text.ts';

/** Rejects only what no address has; whether mail arrives is not checked. */
const FORM = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]+$/;

/**
 * The form in which addresses are stored and compared: case is ignored. Trims last, because NFKC turns some characters
 * into blanks.
 */
export const normalizeEmail = (email: string): string =>
  email.normalize('NFKC').toLowerCase().normalize('NFKC').trim();

export const isEmail = (text: string): boolean => isWellFormedText(text) && FORM.test(normalizeEmail(text));

/** Controls, bidirectional marks, joiners, fillers, and code points without a character. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Scripts that may be mixed, as in the profile "Highly Restrictive" of Unicode Technical Standard 39. All other scripts
 * may not.
 */
const MIXABLE_SCRIPTS = ['Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul'];
const SINGLE_SCRIPTS =
  'Cyrillic Greek Armenian Georgian Hebrew Arabic Thaana Ethiopic Devanagari Bengali Gurmukhi Gujarati Oriya Tamil ' +
  'Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Khmer';

/** Digits, dots and similar characters belong to every script. */
const ALLOWED_SCRIPTS = [...MIXABLE_SCRIPTS, ...SINGLE_SCRIPTS.split(' ')].map((scripts) => {
  const classes = scripts.split(' ').map((script) => `\\p{Script_Extensions=${script}}`);
  return new RegExp(`^[\\p{Script=Common}\\p{Script=Inherited}${classes.join('')}]+$`, 'u');
});

/**
 * The reason why a new user cannot have this address, because it looks like another one; null if it is allowed. The rule
 * covers the whole address: a name in letters that only look Latin is as deceptive as such a domain.
 */
export function whyDeceptive(email: string): Message | null {
  const normal = normalizeEmail(email);
  if (INVISIBLE.test(normal)) return { key: 'field.invisible_characters' };
  if (ALLOWED_SCRIPTS.some((script) => script.test(normal))) return null;
  return { key: 'field.mixed_scripts' };
}
