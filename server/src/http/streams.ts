import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ProblemError, problem } from './problem.ts';

/** The parts of a `Content-Type` that decide how a body is read. */
export function mediaTypeOf(header: string | undefined): { type: string; charset: string | null } {
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return { type, charset: charset?.slice('charset='.length).replaceAll('"', '') ?? null };
}

function mediaTypeFault({ headers }: FastifyRequest, types: readonly string[]): ProblemError | null {
  const { type, charset } = mediaTypeOf(headers['content-type']);
  const fail = (detail: string) => problem('unsupported_media_type', detail);
  if (!types.includes(type)) return fail(`The body must be sent with Content-Type: ${types.join(' or ')}.`);
  if (charset !== null && charset !== 'utf-8' && charset !== 'utf8') return fail('The body must be UTF-8.');
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding === 'identity' ? null : fail('The body must be sent without a Content-Encoding.');
}

/** Routes within take a body of these media types as a stream of any size, and no other body. */
export function takeStreams(
  app: FastifyInstance,
  types: readonly string[],
  mount: (scope: FastifyInstance) => void,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request, payload, done) => {
      const fault = mediaTypeFault(request, types);
      if (fault === null) done(null, payload);
      else done(fault);
    });
    mount(scope);
  });
}
