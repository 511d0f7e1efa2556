import { isWellFormedText } from './customer.ts';

/** Only what no address has; whether mail arrives there, the mail server knows. */
const FORM = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]+$/;

/** The one form in which emails are stored and compared: upper and lower case are the same. */
export const normalEmail = (email: string): string => email.trim().normalize('NFKC').toLowerCase();

export const isEmail = (text: string): boolean => isWellFormedText(text) && FORM.test(normalEmail(text));

/** Controls, bidirectional marks, joiners, fillers, and code points without a character. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Scripts that people write together, as in the profile "Highly Restrictive" of Unicode Technical Standard 39. Each of
 * the other scripts stands alone.
 */
const TOGETHER = ['Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul'];
const ALONE =
  'Cyrillic Greek Armenian Georgian Hebrew Arabic Thaana Ethiopic Devanagari Bengali Gurmukhi Gujarati Oriya Tamil ' +
  'Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Khmer';

/** Digits, dots and the like belong to every script. */
const SINGLE_SCRIPT = [...TOGETHER, ...ALONE.split(' ')].map((scripts) => {
  const classes = scripts.split(' ').map((script) => `\\p{Script_Extensions=${script}}`);
  return new RegExp(`^[\\p{Script=Common}\\p{Script=Inherited}${classes.join('')}]+$`, 'u');
});

/**
 * Why an email cannot be that of a new user: it could be taken for the email of another. Null when it can. The rule is
 * for the whole address, since a name in letters that only look Latin would be just as deceptive in a Latin domain.
 */
export function whyDeceptive(email: string): string | null {
  const normal = normalEmail(email);
  if (INVISIBLE.test(normal)) return 'must not contain invisible characters';
  if (SINGLE_SCRIPT.some((script) => script.test(normal))) return null;
  return 'must not mix letters of different scripts, which may look alike';
}
