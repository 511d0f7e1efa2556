import type { Problem, ProblemCode, ProblemFieldError } from '@saldo/api';

/** An error response of the API, as a problem. */
export class SaldoProblem extends Error {
  override readonly name = 'SaldoProblem';
  readonly status: number;
  readonly title: string;
  /** The last part of the problem's type: a code of the catalogue, or one of a newer server. */
  readonly code: ProblemCode | (string & {});
  readonly errors: readonly ProblemFieldError[];
  /** Include this id in support requests. */
  readonly requestId: string | null;
  /** The problem as received. */
  readonly problem: Problem;

  constructor(problem: Problem, requestId: string | null) {
    super(problem.detail ?? problem.title);
    this.status = problem.status;
    this.title = problem.title;
    this.code = problem.type.slice(problem.type.lastIndexOf('/') + 1);
    this.errors = problem.errors ?? [];
    this.requestId = requestId;
    this.problem = problem;
  }
}

/** Whether an error is a problem of the API, optionally with this code. */
export function isProblem<C extends ProblemCode = ProblemCode>(
  error: unknown,
  code?: C,
): error is SaldoProblem & { readonly code: C } {
  return error instanceof SaldoProblem && (code === undefined || error.code === code);
}

/** No response: a network failure, an unreachable server or a timeout. The request may have been performed. */
export class SaldoConnectionError extends Error {
  override readonly name = 'SaldoConnectionError';
  readonly kind: 'network' | 'timeout' | 'redirect';

  constructor(kind: 'network' | 'timeout' | 'redirect', message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** A proxy may answer with a body that is not a problem; keep its status and the beginning of its text. */
export function problemOf(status: number, text: string): Problem {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isProblemBody(parsed)) return parsed;
  } catch {
    // Not JSON, hence not from the API.
  }
  const detail = text.trim().slice(0, 200);
  return {
    type: 'about:blank/unexplained',
    title: `Status ${status} Without Explanation`,
    status,
    detail: `The answer has status ${status} and does not come from the API${detail && `: ${detail}`}`,
  };
}

function isProblemBody(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false;
  const { type, title, status } = value as Partial<Record<keyof Problem, unknown>>;
  return typeof type === 'string' && typeof title === 'string' && typeof status === 'number';
}
