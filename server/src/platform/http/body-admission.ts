import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { enforceBodyTimeout } from './body-arrivals.ts';
import { OVERLOAD, type ProblemError, problem } from './problem.ts';
import type { RequestQueue } from './request-queue.ts';
import { announcesBody, contentCoding, isUtf8, mediaTypeOf } from './streams.ts';

const COMPRESSED_BODY = problem('unsupported_media_type', { key: 'problem.compressed_json' });

const OTHER_CHARSET = problem('unsupported_media_type', { key: 'problem.charset' });

function codingFault(request: FastifyRequest): ProblemError | undefined {
  if (contentCoding(request.headers) !== 'identity') return COMPRESSED_BODY;
  return isUtf8(mediaTypeOf(request.headers['content-type'])) ? undefined : OTHER_CHARSET;
}

/** The rest of a body is read after an early answer, so that the client can read it, but not for ever. */
export function limitDraining(request: IncomingMessage, timeoutMs: number): void {
  if (!request.complete) enforceBodyTimeout(request, timeoutMs, () => request.socket.destroy());
}

type Admission = {
  readonly queue: RequestQueue;
  readonly requestTimeoutMs: number;
  readonly onReject: (early: null) => void;
};

/**
 * A request whose body is still arriving holds no place of the queue, so that slow senders delay only themselves. It
 * is authorised before, so that no body of an unknown caller is received. Streamed bodies have limits of their own.
 */
export function admitBodies(app: FastifyInstance, { queue, requestTimeoutMs, onReject }: Admission): void {
  app.decorateRequest('hasLeftQueue', false);
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const { raw, method } = request;
    const isRead = request.routeOptions.config.isStreamed !== true && method !== 'GET' && method !== 'HEAD';
    if (!isRead || !announcesBody(raw)) return done();
    const fault = codingFault(request);
    if (fault !== undefined) return done(fault);
    if (raw.complete) return done();
    // A body that came with its headers is complete when the parser has read their packet, before the next immediate.
    setImmediate(() => {
      if (raw.complete || raw.destroyed) return done();
      queue.leave(reply.raw);
      request.hasLeftQueue = true;
      const refusal = queue.arrivals.add(raw, request.ip);
      if (refusal !== null) return done(refusal);
      enforceBodyTimeout(raw, requestTimeoutMs, () => {
        const late = { code: 'ERR_HTTP_REQUEST_TIMEOUT', request: raw };
        if (reply.raw.headersSent) raw.socket.destroy();
        else app.server.emit('clientError', Object.assign(new Error('the body is late'), late), raw.socket);
      });
      done();
    });
  });
  app.addHook('preValidation', (request, reply, done) => {
    if (!request.hasLeftQueue) return done();
    queue.enter(request.raw, reply.raw, {
      start: () => done(),
      reject() {
        onReject(null);
        done(OVERLOAD);
      },
    });
  });
}
