import type { Problem, ProblemCode, ProblemFieldError } from '@saldo/api';

/** An answer that is not a success, as the API explains it. */
export class SaldoProblem extends Error {
  override readonly name = 'SaldoProblem';
  readonly status: number;
  readonly title: string;
  /** The last part of the problem's type; one of the catalogue, or one that a newer server knows. */
  readonly code: ProblemCode | (string & {});
  readonly errors: readonly ProblemFieldError[];
  /** What to name when asking for help. */
  readonly requestId: string | null;
  /** The problem as it was answered. */
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

/** Whether an error is a problem that the API answered, of this kind if one is named. */
export function isProblem<C extends ProblemCode = ProblemCode>(
  error: unknown,
  code?: C,
): error is SaldoProblem & { readonly code: C } {
  return error instanceof SaldoProblem && (code === undefined || error.code === code);
}

/** No answer: the network failed, the server was not there, or it took too long. What was asked may have been done. */
export class SaldoConnectionError extends Error {
  override readonly name = 'SaldoConnectionError';
  readonly kind: 'network' | 'timeout' | 'redirect';

  constructor(kind: 'network' | 'timeout' | 'redirect', message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** What stands between the client and the API may answer in its own words; status and beginning are kept. */
export function problemOf(status: number, text: string): Problem {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isProblemBody(parsed)) return parsed;
  } catch {
    // Not JSON, hence not the API's.
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
