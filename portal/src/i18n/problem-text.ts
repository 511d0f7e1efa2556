import type { ProblemFieldError } from '@saldo/api';
import { isProblem, SaldoConnectionError } from '@saldo/sdk';
import type { Dictionary } from './dictionary.ts';

/** The error message in the page's language. */
export function problemText(t: Dictionary, error: unknown): string {
  if (error instanceof SaldoConnectionError) return t.problems.connection;
  if (!isProblem(error)) return t.problems.unexpected;
  const known = t.problems.codes as Readonly<Record<string, string>>;
  return Object.hasOwn(known, error.code) ? String(known[error.code]) : t.problems.serverText(error.message);
}

export const fieldErrorText = (t: Dictionary, { message }: ProblemFieldError): string =>
  t.problems.serverText(message);
