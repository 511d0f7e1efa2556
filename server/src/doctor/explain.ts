import { type Check, failed } from '@saldo/core/check.ts';
import { explain } from '../backup/explain.ts';

/** Messages for operators have the fact as their first sentence, and the remedy after it. */
export function failedBy(name: string, error: unknown, remedy = 'See docs/operations.md.'): Check {
  const [, fact, rest] = /^(.+?[.:]) ([A-Z].+)$/s.exec(explain(error)) ?? [];
  return fact === undefined || rest === undefined
    ? failed(name, explain(error), remedy)
    : failed(name, fact, rest);
}
