import type { Readable } from 'node:stream';
import type { Endpoint } from '@saldo/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ProblemError, problem } from './problem.ts';

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

const hasBody = ({ headers }: FastifyRequest) =>
  headers['content-type'] !== undefined ||
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > 0;

/** Makes a route accept bodies of the endpoint's media types only, as a stream or as a buffer. */
export function takeFiles(
  app: FastifyInstance,
  { stream: types = [], maxBytes }: Pick<Endpoint, 'stream' | 'maxBytes'>,
  mount: (scope: FastifyInstance) => void,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Check before reading, so that a body of an unsupported type is not received.
    scope.addHook('preParsing', (request, _reply, _payload, done) => {
      done((hasBody(request) ? mediaTypeFault(request, types) : null) ?? undefined);
    });
    if (maxBytes === undefined)
      scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    else
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body);
    mount(scope);
  });
}

/** Leaving the iteration early must not destroy the socket, which still has to carry the response. */
export function chunksOf(body: Readable): AsyncIterable<Buffer> {
  return body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

export async function readWhole(body: Readable, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(body)) {
    bytes += chunk.length;
    if (bytes > limitBytes)
      throw problem('payload_too_large', `The body is larger than ${limitBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
