import { type Check, failed } from '@saldo/core/check.ts';
import { findExplanation } from '../backup/explain.ts';

/** Messages for operators have the fact as their first sentence, and the remedy after it. */
export function failedBy(name: string, error: unknown, remedy = 'See docs/operations.md.'): Check {
  // The text of an error with a message is its name and its message: the name is left out.
  const text = findExplanation(error) ?? ((error as Partial<Error>).message || String(error));
  const [, fact, rest] = /^(.+?\.) ([A-Z].+)$/s.exec(text) ?? [];
  return fact === undefined || rest === undefined ? failed(name, text, remedy) : failed(name, fact, rest);
}
