import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problem, validationProblem } from './problem.ts';
import { repeatedMembers } from './repeated-members.ts';

const MERGE_PATCH = 'application/merge-patch+json';

/** Makes all routes read JSON, and nothing else. */
export function readJsonBodies(app: FastifyInstance): void {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parse = async (_request: FastifyRequest, body: Buffer) => {
    // Routes decide whether a body is required.
    if (body.length === 0) return undefined;
    let text: string;
    let value: unknown;
    try {
      text = decoder.decode(body);
      value = JSON.parse(text);
    } catch (error) {
      const reason = error instanceof SyntaxError ? error.message : ({ key: 'request.not_utf8' } as const);
      throw validationProblem([{ code: 'invalid_format', message: { key: 'request.not_json', reason } }]);
    }
    const repeated = repeatedMembers(text);
    if (repeated.length === 0) return value;
    const message = { key: 'field.given_once' } as const;
    throw validationProblem(repeated.map((field) => ({ field, code: 'invalid_type', message })));
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse);
  app.addContentTypeParser(
    MERGE_PATCH,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (request.method === 'PATCH') return parse(request, body);
      throw problem('unsupported_media_type', { key: 'problem.merge_patch', type: MERGE_PATCH });
    },
  );
}
