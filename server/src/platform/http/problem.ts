import { type FieldCode, PROBLEMS, type Problem, type ProblemCode, type ProblemFieldError } from '@saldo/api';
import { decodeId, type IdPrefix } from '@saldo/core/id.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { formatMessage, type Message } from '@saldo/core/messages/message.ts';

/** An error of a field, before the language of the answer is known. */
export type FieldError = Omit<ProblemFieldError, 'message'> & { readonly message: Message };

/** Thrown to end a request with a problem of the catalogue. The error handler turns it into the response. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly code: ProblemCode;
  readonly detail: Message;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: Message,
    extra: {
      errors?: readonly FieldError[];
      headers?: Record<string, string>;
    } = {},
  ) {
    // For logs and programs of the operator, which are in English.
    super(formatMessage(detail, 'en'));
    this.code = code;
    this.detail = detail;
    this.errors = extra.errors;
    this.headers = extra.headers ?? {};
  }
}

/** The problems whose usual detail needs no parameters. */
type PlainCode = {
  [Code in ProblemCode]: { readonly key: `problem.${Code}` } extends Message ? Code : never;
}[ProblemCode];

export function problem(code: PlainCode): ProblemError;
export function problem(code: ProblemCode, detail: Message, headers?: Record<string, string>): ProblemError;
export function problem(
  code: ProblemCode,
  detail: Message = { key: `problem.${code as PlainCode}` } as Message,
  headers: Record<string, string> = {},
): ProblemError {
  return new ProblemError(code, detail, { headers });
}

/** Reports all field errors of a request together, so that clients can fix them in one step. */
export function validationProblem(errors: readonly FieldError[]): ProblemError {
  const count = errors.length;
  const detail: Message = count === 1 ? { key: 'problem.one_invalid' } : { key: 'problem.validation', count };
  return new ProblemError('validation', detail, { errors });
}

export const fieldProblem = (field: string, code: FieldCode, message: Message): ProblemError =>
  validationProblem([{ field, code, message }]);

/** Decodes a public id. A malformed one gets the same problem as an unknown one. */
export function getUuid(prefix: IdPrefix, id: string, notFound: () => ProblemError): string {
  const uuid = decodeId(prefix, id);
  if (uuid === null) throw notFound();
  return uuid;
}

/** Only CSV has a decimal mark that can be stated. */
export const decimalOfCsvOnly = (): ProblemError =>
  fieldProblem('decimal', 'validation_failed', { key: 'field.for_csv' });

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** `errorBase` is the public URL below which the error pages are served. */
export function problemBody(
  errorBase: string,
  error: ProblemError,
  instance: string | null,
  language: Language,
  isChange = false,
): Problem {
  const { status, title } = PROBLEMS[error.code];
  const say = (text: Message) => formatMessage(text, language);
  const detail = say(error.detail);
  return {
    type: `${errorBase}/errors/${error.code}`,
    title,
    status,
    detail:
      isChange && error.code === 'validation' ? say({ key: 'problem.nothing_changed', detail }) : detail,
    ...(instance === null ? {} : { instance }),
    ...(error.errors === undefined
      ? {}
      : { errors: error.errors.map((one) => ({ ...one, message: say(one.message) })) }),
  };
}

/** For what may succeed in a moment. */
export const RETRY_SOON = { 'retry-after': '2' };

export const OVERLOAD = problem('unavailable', { key: 'problem.unavailable' }, RETRY_SOON);
