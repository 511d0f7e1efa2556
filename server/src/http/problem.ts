import { type FieldCode, PROBLEMS, type Problem, type ProblemCode, type ProblemFieldError } from '@saldo/api';

/** A request that ends in a problem of the catalogue. Whoever decides so throws it; the error handler answers. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly code: ProblemCode;
  readonly errors: readonly ProblemFieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: { errors?: readonly ProblemFieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = extra.errors;
    this.headers = extra.headers ?? {};
  }
}

export const problem = (
  code: ProblemCode,
  detail: string,
  headers: Record<string, string> = {},
): ProblemError => new ProblemError(code, detail, { headers });

/** All that is wrong with the form of a request, at once. */
export function validationProblem(errors: readonly ProblemFieldError[]): ProblemError {
  const count = errors.length === 1 ? 'One field is' : `${errors.length} fields are`;
  return new ProblemError('validation', `${count} not acceptable. Nothing was changed.`, { errors });
}

export const fieldProblem = (field: string, code: FieldCode, message: string): ProblemError =>
  validationProblem([{ field, code, message }]);

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The body of a problem. `errorBase` is how the outside names the place where problems are explained. */
export function problemBody(errorBase: string, error: ProblemError, instance: string | null): Problem {
  const { status, title } = PROBLEMS[error.code];
  return {
    type: `${errorBase}/errors/${error.code}`,
    title,
    status,
    detail: error.message,
    ...(instance === null ? {} : { instance }),
    ...(error.errors === undefined ? {} : { errors: [...error.errors] }),
  };
}
