import { isProblem, SaldoConnectionError } from '@saldo/sdk';
import { isSessionEnd } from '../session/session-end.ts';
import type { Dictionary } from './dictionary.ts';

/** The error message: that of the server, which is in the page's language, unless the page says more. */
export function problemText(t: Dictionary, error: unknown): string {
  if (error instanceof SaldoConnectionError) return t.problems.connection;
  if (error instanceof DOMException && Object.hasOwn(t.problems.passkeys, error.name))
    return t.problems.passkeys[error.name as keyof Dictionary['problems']['passkeys']];
  if (!isProblem(error)) return t.problems.unexpected;
  if (isSessionEnd(error)) return t.problems.sessionEnded;
  const known = t.problems.codes as Readonly<Record<string, string>>;
  return Object.hasOwn(known, error.code) ? String(known[error.code]) : error.message;
}
