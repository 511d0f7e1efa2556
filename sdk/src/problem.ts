import type { Problem, ProblemCode, ProblemFieldError } from '@saldo/api';

/** An answer that is not a success, as the API explains it. */
export class SaldoProblem extends Error {
  override readonly name = 'SaldoProblem';
  readonly status: number;
  /** The last part of the problem's type; one of the catalogue, or one that a newer server knows. */
  readonly code: ProblemCode | (string & {});
  readonly errors: readonly ProblemFieldError[];
  /** What to name when asking for help. */
  readonly requestId: string | null;

  constructor(problem: Problem, requestId: string | null) {
    super(problem.detail ?? problem.title);
    this.status = problem.status;
    this.code = problem.type.slice(problem.type.lastIndexOf('/') + 1);
    this.errors = problem.errors ?? [];
    this.requestId = requestId;
  }
}
