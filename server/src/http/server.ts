import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import { LIMITS, PROBLEMS } from '@saldo/api';
import {
  fastify as Fastify,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { DatabaseUnavailable } from '../db/connection.ts';
import { compressAnswer } from './compression.ts';
import type { Portal } from './portal-files.ts';
import { PROBLEM_MEDIA_TYPE, ProblemError, problem, problemBody, validationProblem } from './problem.ts';

export type ServerOptions = {
  readonly logger: FastifyBaseLogger;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  readonly trustProxy: boolean;
  readonly corsOrigins: readonly string[];
  /** How many requests may be under way; imports have a limit of their own. */
  readonly requestsAtOnce: number;
  /** How long a client may take for a request that is read as a whole. */
  readonly requestTimeoutMs: number;
  /** Where problems are explained; asked for at each problem, since an address may be known only after listening. */
  readonly errorBase: () => string;
  /** Which methods a path has; empty when there is no such path. */
  readonly methodsOf: (path: string) => string[];
  /** What browsers are shown where there is no operation. */
  readonly portal: Portal | null;
  readonly onAnswer: (request: FastifyRequest, status: number, seconds: number) => void;
  /** A read was turned away before it became a request. */
  readonly onTurnedAway: (method: string) => void;
};

/** A body that is read as a stream may be of any size; whoever reads it watches that it does not fall silent. */
const STREAM_TIMEOUT_MS = 6 * 3600 * 1000;
const KEEP_ALIVE_MS = 75_000;
/** How long a stop waits for requests that are under way. */
const STOP_GRACE_MS = 20_000;
const RETRY = { 'retry-after': '2' };
/** A request id that a client may bring along: it ends up in logs. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

const COMMON_HEADERS = {
  'cache-control': 'private, no-cache',
  vary: 'X-Api-Key, Accept-Encoding',
  'x-content-type-options': 'nosniff',
};

const PROBLEM_HEADERS = { 'cache-control': 'no-store', 'content-type': PROBLEM_MEDIA_TYPE };

/** An HTTP server that answers every failure, down to a request that cannot be parsed, with a problem. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const requestIdOf = requestIds();
  const room = roomFor(options.requestsAtOnce);
  const app = Fastify({
    loggerInstance: childless(options.logger),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: options.trustProxy,
    bodyLimit: LIMITS.bodyBytes,
    routerOptions: { maxParamLength: LIMITS.headerBytes },
    // A request that is there when the server stops is answered; only then are connections closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...COMMON_HEADERS, 'x-request-id': request.id });
      // Such a request runs through no hooks.
      reply.raw.once('finish', () => options.onAnswer(request, reply.statusCode, reply.elapsedTime / 1000));
      answerProblem(request, reply, toProblem(error));
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, options, requestIdOf(null)),
    serverFactory: (handler) => {
      const limits = {
        maxHeaderSize: LIMITS.headerBytes,
        headersTimeout: options.requestTimeoutMs,
        requestTimeout: STREAM_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // Node refuses a request without a host by itself, but not with a problem.
        requireHostHeader: false,
      };
      const receive: typeof handler = (request, response) => {
        if (!room.isFull() || !isRead(request)) return handler(request, response);
        turnAway(request, response, options.errorBase(), requestIdOf(request));
        return options.onTurnedAway(request.method ?? '');
      };
      const server = options.tls
        ? createHttpsServer({ ...options.tls, ...limits }, receive)
        : createHttpServer(limits, receive);
      // The same goes for expectations that it does not know; whoever has none may ignore them.
      return server.on('checkExpectation', receive);
    },
  });

  function answerProblem(request: FastifyRequest, reply: FastifyReply, error: ProblemError): FastifyReply {
    const body = problemBody(options.errorBase(), error, request.url);
    return (
      reply
        .code(PROBLEMS[error.code].status)
        .headers({ ...error.headers, ...PROBLEM_HEADERS })
        // As bytes, since a text would get a charset that the media type does not have.
        .send(Buffer.from(JSON.stringify(body)))
    );
  }

  app.decorateRequest('principal', null);
  app.decorateRequest('callerSecret', null);
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = toProblem(error, request.routeOptions.bodyLimit);
    // Overload and a database that is away are logged once, where they are noticed.
    if (known.code === 'internal_error') {
      request.log.error({ err: error, request_id: request.id }, 'request failed');
    }
    return answerProblem(request, reply, known);
  });

  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(COMMON_HEADERS);
    reply.header('x-request-id', request.id);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') return done(hostMissing());
    const isCounted = request.routeOptions.config.isStreamed !== true;
    return done(isCounted && !room.enter(reply.raw) ? TOO_MUCH : undefined);
  });
  if (options.corsOrigins.length > 0) await shareWith(app, options.corsOrigins);
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && request.method !== 'OPTIONS') return done();
    const page = options.portal?.find(request);
    if (page) return void page.send(request, reply).catch(done);
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = options.methodsOf(path);
    // A path of a known form may still lead to nothing, as that of a file does.
    const isMissing = request.method !== 'OPTIONS' && methods.includes(request.method);
    if (methods.length === 0 || isMissing) return done(problem('not_found', `There is nothing at ${path}.`));
    reply.header('allow', methods.join(', '));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const possible = `${request.method} is not possible here, only ${methods.join(', ')}.`;
    return done(problem('method_not_allowed', possible));
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.routeOptions.config.isStreamed !== true) hurryBody(app, request, options.requestTimeoutMs);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    options.onAnswer(request, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  const isClosing = closeInGoodOrder(app);
  app.addHook('onSend', (request, reply, body, done) => {
    if (isClosing()) reply.header('connection', 'close');
    const compressed = compressAnswer(request, reply, body);
    if (compressed === null) done();
    else compressed.then((bytes) => done(null, bytes), done);
  });
  readJsonBodies(app);
  return app;
}

/** Lets pages of these origins read answers. It adds its headers to OPTIONS, which is answered like everywhere. */
async function shareWith(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
    exposedHeaders: [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
      'X-Request-Id',
      'ETag',
      'Link',
      'X-Total-Count',
      'X-List-Version',
    ],
    preflightContinue: true,
    strictPreflight: false,
  });
}

/**
 * A server that takes on more than it can do makes everybody wait, until nobody gets an answer in time. Whoever comes
 * too many is told so at once. Reads, which are nearly all of what can come too many, are turned away before anything is
 * made of them: as requests they would cost nearly as much as an answer, and answers would be what there is no time for.
 */
function roomFor(requestsAtOnce: number) {
  let underWay = 0;
  const leave = () => {
    underWay--;
  };
  return {
    isFull: () => underWay >= requestsAtOnce,
    /** Until the response is closed; false when there is no room. */
    enter(response: ServerResponse): boolean {
      if (underWay >= requestsAtOnce) return false;
      underWay++;
      response.on('close', leave);
      return true;
    },
  };
}

const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

/** One for all, since to make an error costs more than to answer with it. */
const TOO_MUCH = problem(
  'unavailable',
  'The server has too much to do right now. Try again in a moment.',
  RETRY,
);

const TOO_MUCH_HEADERS = { ...COMMON_HEADERS, ...PROBLEM_HEADERS, ...TOO_MUCH.headers };

/** The same answer as any problem's, as text, which goes out together with its headers in one piece. */
function turnAway(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  errorBase: string,
  requestId: string,
): void {
  const body = JSON.stringify(problemBody(errorBase, TOO_MUCH, url ?? null));
  response.writeHead(PROBLEMS[TOO_MUCH.code].status, {
    ...TOO_MUCH_HEADERS,
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
  });
  response.end(method === 'HEAD' ? undefined : body);
}

/** A logger of its own for every request would cost more than the one line that is written about it. */
const childless = (logger: FastifyBaseLogger): FastifyBaseLogger =>
  Object.assign(Object.create(logger) as FastifyBaseLogger, {
    child(this: FastifyBaseLogger) {
      return this;
    },
  });

/** Node has one time limit for all requests; this is the one for bodies that are read as a whole. */
function hurryBody(app: FastifyInstance, { raw, headers }: FastifyRequest, timeoutMs: number): void {
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
  const timer = setTimeout(() => {
    const late = Object.assign(new Error('the body is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    if (!raw.complete) app.server.emit('clientError', late, raw.socket);
  }, timeoutMs);
  // Whoever was refused before their body was read may never end it.
  timer.unref();
  raw.once('close', () => clearTimeout(timer));
}

const hostMissing = () => validationProblem([{ code: 'required', message: 'the header Host is required' }]);

/**
 * Requests that are under way when the server is told to stop are answered, and their connections closed behind the
 * answer instead of being kept alive. Whoever takes longer than the grace is cut off.
 */
function closeInGoodOrder(app: FastifyInstance): () => boolean {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    setTimeout(() => app.server.closeAllConnections(), STOP_GRACE_MS).unref();
  });
  return () => closing;
}

/** The address that is listened on, as a client would write it. */
export const originOf = (app: FastifyInstance): string =>
  app.server instanceof HttpsServer ? app.listeningOrigin.replace(/^http:/, 'https:') : app.listeningOrigin;

/** What the client calls it; or else short, unique over restarts and processes, and cheap: random once, then counted. */
function requestIds(): (request: Pick<IncomingMessage, 'headers'> | null) => string {
  const prefix = `req_${randomBytes(6).toString('base64url').replaceAll(/[-_]/g, 'x')}`;
  let count = 0;
  return (request) => {
    const given = request?.headers['x-request-id'];
    if (typeof given === 'string' && REQUEST_ID.test(given)) return given;
    return `${prefix}${(++count).toString(36).padStart(5, '0')}`;
  };
}

const MERGE_PATCH = 'application/merge-patch+json';

function readJsonBodies(app: FastifyInstance): void {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parse = async (_request: FastifyRequest, body: Buffer) => {
    // An absent body is told apart from a broken one by whoever needs it.
    if (body.length === 0) return undefined;
    try {
      return JSON.parse(decoder.decode(body)) as unknown;
    } catch (error) {
      const why = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
      throw validationProblem([{ code: 'invalid_format', message: `the body is not valid JSON: ${why}` }]);
    }
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse);
  app.addContentTypeParser(
    MERGE_PATCH,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (request.method === 'PATCH') return parse(request, body);
      throw problem('unsupported_media_type', `${MERGE_PATCH} is for PATCH requests only.`);
    },
  );
}

const validationOfUrl = (error: Error) =>
  validationProblem([{ code: 'invalid_format', message: `the address cannot be read: ${error.message}` }]);

function toProblem(error: FastifyError, bodyLimit: number = LIMITS.bodyBytes): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof DatabaseUnavailable) {
    return problem('unavailable', 'The database cannot be reached at the moment.', RETRY);
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return problem('payload_too_large', `The body is larger than ${bodyLimit} bytes.`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return problem('unsupported_media_type', 'The body must be sent with Content-Type: application/json.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return validationProblem([
        { code: 'invalid_format', message: 'the body is not as long as Content-Length says' },
      ]);
    case 'FST_ERR_BAD_URL':
      return validationOfUrl(error);
    default:
      return problem('internal_error', 'The server failed. The request may be repeated later.');
  }
}

/** What cannot be parsed as HTTP never becomes a request; its answer is written to the connection itself. */
function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { errorBase, requestTimeoutMs }: ServerOptions,
  id: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? problem('headers_too_large', `Request line and headers are larger than ${LIMITS.headerBytes} bytes.`)
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? problem('request_timeout', `The request was not complete after ${requestTimeoutMs / 1000} s.`)
        : validationProblem([{ code: 'invalid_format', message: 'this is not an HTTP request' }]);
  const body = Buffer.from(JSON.stringify(problemBody(errorBase(), answer, null)));
  const { status, title } = PROBLEMS[answer.code];
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: ${PROBLEM_MEDIA_TYPE}\r\nContent-Length: ${body.length}\r\n` +
      `Cache-Control: no-store\r\nVary: ${COMMON_HEADERS.vary}\r\nX-Request-Id: ${id}\r\n` +
      `Connection: close\r\n\r\n${body.toString()}`,
  );
}
