import { type FieldCode, PROBLEMS, type Problem, type ProblemCode, type ProblemFieldError } from '@saldo/api';
import { decodeId, type IdPrefix } from '@saldo/core/id.ts';

/** Thrown to end a request with a problem of the catalogue. The error handler turns it into the response. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly code: ProblemCode;
  readonly errors: readonly ProblemFieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: {
      errors?: readonly ProblemFieldError[];
      headers?: Record<string, string>;
    } = {},
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

/** Reports all field errors of a request together, so that clients can fix them in one step. */
export function validationProblem(errors: readonly ProblemFieldError[]): ProblemError {
  const count = errors.length === 1 ? 'One field is' : `${errors.length} fields are`;
  return new ProblemError('validation', `${count} invalid.`, { errors });
}

export const fieldProblem = (field: string, code: FieldCode, message: string): ProblemError =>
  validationProblem([{ field, code, message }]);

/** Decodes a public id. A malformed one gets the same problem as an unknown one. */
export function getUuid(prefix: IdPrefix, id: string, notFound: () => ProblemError): string {
  const uuid = decodeId(prefix, id);
  if (uuid === null) throw notFound();
  return uuid;
}

/** Only CSV has a decimal mark that can be stated. */
export const decimalOfCsvOnly = (): ProblemError =>
  fieldProblem('decimal', 'validation_failed', 'is for text/csv only');

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** `errorBase` is the public URL below which the error pages are served. */
export function problemBody(
  errorBase: string,
  error: ProblemError,
  instance: string | null,
  isChange = false,
): Problem {
  const { status, title } = PROBLEMS[error.code];
  return {
    type: `${errorBase}/errors/${error.code}`,
    title,
    status,
    detail: isChange && error.code === 'validation' ? `${error.message} Nothing was changed.` : error.message,
    ...(instance === null ? {} : { instance }),
    ...(error.errors === undefined ? {} : { errors: [...error.errors] }),
  };
}

/** For what may succeed in a moment. */
export const RETRY_SOON = { 'retry-after': '2' };

export const OVERLOAD = problem(
  'unavailable',
  'The server is overloaded. Try again in a moment.',
  RETRY_SOON,
);
