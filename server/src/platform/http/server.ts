import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
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
import { DatabaseFull, DatabaseUnavailable } from '../db/connection.ts';
import { compressAnswer } from './compression.ts';
import { ConnectionDrain } from './connection-drain.ts';
import { type Cors, corsFor } from './cors.ts';
import type { Portal } from './portal-files.ts';
import { PROBLEM_MEDIA_TYPE, ProblemError, problem, problemBody, validationProblem } from './problem.ts';
import { requestId } from './request-id.ts';
import type { RequestHandlers, RequestQueue } from './request-queue.ts';
import { announcesBody, isUtf8, mediaTypeOf } from './streams.ts';

export type ServerOptions = {
  readonly logger: FastifyBaseLogger;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  readonly trustProxy: boolean;
  readonly corsOrigins: readonly string[];
  /** Clients reach this server by HTTPS only, so it sends HSTS. */
  readonly isSecure: boolean;
  /** Shared by all listeners of the process. */
  readonly queue: RequestQueue;
  /** Maximum time for a request whose body is read as a whole. */
  readonly requestTimeoutMs: number;
  /** Base URL of the error pages. A function, because without a configured URL it is known only after listening. */
  readonly errorBase: () => string;
  /** The methods of a path. Empty for an unknown path. */
  readonly methodsOf: (path: string) => string[];
  /** Serves the portal's pages to browsers where no operation matches. */
  readonly portal: Portal | null;
  readonly onAnswer: (request: FastifyRequest, status: number, seconds: number) => void;
  /** Called for a request that was rejected because of overload, before Fastify handled it. */
  readonly onReject: (method: string, waitedSeconds: number) => void;
  /** Counts a request without a matching route against the caller's rate limit, if its key is known. */
  readonly countUnrouted: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
};

/** Streamed bodies have no size limit, and their handlers enforce an idle timeout. This is only an upper bound. */
const STREAM_TIMEOUT_MS = 6 * 3600 * 1000;
const KEEP_ALIVE_MS = 75_000;
const RETRY = { 'retry-after': '2' };

/** One year. No `includeSubDomains`, which would affect hosts that are not part of Saldo. */
const HSTS = { 'strict-transport-security': 'max-age=31536000' };

const commonHeaders = ({ corsOrigins, isSecure }: ServerOptions) => ({
  'cache-control': 'private, no-cache',
  vary: `X-Api-Key, Accept-Encoding${corsOrigins.length > 0 ? ', Origin' : ''}`,
  'x-content-type-options': 'nosniff',
  ...(isSecure ? HSTS : {}),
});

const PROBLEM_HEADERS = { 'cache-control': 'no-store', 'content-type': PROBLEM_MEDIA_TYPE };

/** Creates an HTTP server that answers every error with a problem, even for input that is not HTTP. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { queue } = options;
  const connections = new ConnectionDrain();
  const early: EarlyAnswers = {
    headers: commonHeaders(options),
    cors: corsFor(options.corsOrigins),
    errorBase: options.errorBase,
  };
  const app = Fastify({
    loggerInstance: withoutChildLoggers(options.logger),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    trustProxy: options.trustProxy,
    // No limit for the registration of routes: on a busy machine it takes longer than the default of 10 s.
    pluginTimeout: 0,
    bodyLimit: LIMITS.bodyBytes,
    routerOptions: { maxParamLength: LIMITS.headerBytes },
    // Requests that arrive during a stop are answered.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...early.headers, ...early.cors(request.raw), 'x-request-id': request.id });
      // Fastify runs no hooks for these requests.
      reply.raw.once('finish', () => options.onAnswer(request, reply.statusCode, reply.elapsedTime / 1000));
      answerProblem(request, reply, toProblem(error));
    },
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(error, socket, early, options.requestTimeoutMs, requestId(null)),
    serverFactory: (handler) => {
      const limits = {
        maxHeaderSize: LIMITS.headerBytes,
        headersTimeout: options.requestTimeoutMs,
        requestTimeout: STREAM_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // Node's own rejection of a missing Host header is no problem document. `hostFault` rejects it instead.
        requireHostHeader: false,
      };
      const handlers: RequestHandlers<IncomingMessage, ServerResponse> = {
        start: handler,
        reject(request, response, waitedMs) {
          if (connections.isClosing) closeAfter(request, response);
          rejectOverload(request, response, early, requestId(request));
          options.onReject(request.method ?? '', waitedMs / 1000);
        },
      };
      const receive: typeof handler = (request, response) => {
        if (connections.isHolding) connections.hold(() => queue.enter(request, response, handlers));
        else queue.enter(request, response, handlers);
      };
      const server = options.tls
        ? createHttpsServer({ ...options.tls, ...limits }, receive)
        : createHttpServer(limits, receive);
      // Handle requests with an unknown `Expect` header normally, as RFC 9110 allows.
      return connections.track(server.on('checkExpectation', receive));
    },
  });
  app.addHook('preClose', () => connections.close());

  function answerProblem(request: FastifyRequest, reply: FastifyReply, error: ProblemError): FastifyReply {
    const body = problemBody(options.errorBase(), error, request.url, request.routeOptions.config.isChange);
    return (
      reply
        .code(PROBLEMS[error.code].status)
        .headers({ ...error.headers, ...PROBLEM_HEADERS })
        // Sent as bytes: for a string Fastify would add a charset, which the media type does not have.
        .send(Buffer.from(JSON.stringify(body)))
    );
  }

  app.decorateRequest('principal', null);
  app.decorateRequest('callerSecret', null);
  function fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const isAborted = error.code === 'ECONNRESET' && request.raw.readableAborted;
    const known = isAborted ? BODY_INCOMPLETE : toProblem(error, request.routeOptions.bodyLimit);
    // Overload and a lost database are logged once where they are detected.
    if (known.code === 'internal_error') {
      request.log.error({ err: error, request_id: request.id }, 'request failed');
    }
    return answerProblem(request, reply, known);
  }

  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (request.principal !== null || !isUnrouted(error)) return fail(error, request, reply);
    return options.countUnrouted(request, reply).then(
      () => fail(error, request, reply),
      (failure: FastifyError) => fail(failure, request, reply),
    );
  });

  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(early.headers);
    reply.header('x-request-id', request.id);
    if (options.corsOrigins.length > 0) reply.headers(early.cors(request.raw));
    // Imports and exports have their own concurrency limits and may take long, so they leave the queue. A HEAD of an
    // export reads one batch only, and has no such limit.
    const { isStreamed, isExport } = request.routeOptions.config;
    if (isStreamed === true || (isExport === true && request.method !== 'HEAD')) queue.leave(reply.raw);
    done(hostFault(request.raw));
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && request.method !== 'OPTIONS') return done();
    const page = options.portal?.find(request);
    if (page) return void page.send(request, reply).catch(done);
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = options.methodsOf(path);
    if (request.method === 'OPTIONS' && methods.length > 0) {
      return reply.header('allow', methods.join(', ')).code(204).send();
    }
    return done(unrouted(request.method, path, methods));
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.routeOptions.config.isStreamed === true) return done();
    enforceBodyTimeout(app, request, options.requestTimeoutMs);
    return done(codingFault(request));
  });
  app.addHook('onResponse', (request, reply, done) => {
    options.onAnswer(request, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  app.addHook('onSend', (request, reply, body, done) => {
    if (connections.isClosing) closeAfter(request.raw, reply.raw);
    const compressed = compressAnswer(request, reply, body);
    if (compressed === null) done();
    else compressed.then((bytes) => done(null, bytes), done);
  });
  readJsonBodies(app);
  return app;
}

/** Parts of responses that are sent before Fastify handles the request or without its hooks. */
type EarlyAnswers = {
  readonly headers: Readonly<Record<string, string>>;
  readonly cors: Cors;
  readonly errorBase: () => string;
};

const OVERLOAD = problem('unavailable', 'The server is overloaded. Try again in a moment.', RETRY);

/** Sends the same bytes as Fastify would, without its cost. A rejection takes a third of the time of an answer. */
function rejectOverload(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, cors, errorBase }: EarlyAnswers,
  requestId: string,
): void {
  const body = JSON.stringify(problemBody(errorBase(), OVERLOAD, request.url ?? null));
  response.writeHead(PROBLEMS[OVERLOAD.code].status, {
    ...headers,
    ...PROBLEM_HEADERS,
    ...OVERLOAD.headers,
    ...cors(request),
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const isUnrouted = (error: Error) =>
  error instanceof ProblemError && (error.code === 'not_found' || error.code === 'method_not_allowed');

/** Not found also if the methods match: the path has a known form, but no file or page exists there. */
function unrouted(method: string, path: string, methods: readonly string[]): ProblemError {
  if (methods.length === 0 || methods.includes(method)) {
    return problem('not_found', `No operation has the path ${path}.`);
  }
  const allow = methods.join(', ');
  return problem('method_not_allowed', `${method} is not possible here, only ${allow}.`, { allow });
}

/**
 * Closes the connection after the answer. While the body is still arriving, closing would reset the connection before
 * the client reads the answer, so it is kept alive and closed when idle.
 */
function closeAfter(request: IncomingMessage, response: ServerResponse): void {
  const isArriving = !request.complete && announcesBody(request);
  response.setHeader('connection', isArriving ? 'keep-alive' : 'close');
}

const COMPRESSED_BODY = problem(
  'unsupported_media_type',
  'The body must be sent without a Content-Encoding: compressed JSON is not accepted.',
);

const OTHER_CHARSET = problem('unsupported_media_type', 'The body must be UTF-8.');

function codingFault(request: FastifyRequest): ProblemError | undefined {
  if (request.method === 'GET' || request.method === 'HEAD' || !announcesBody(request)) return undefined;
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') return COMPRESSED_BODY;
  return isUtf8(mediaTypeOf(request.headers['content-type'])) ? undefined : OTHER_CHARSET;
}

/** Shares one logger between all requests: a child logger per request costs more than its one log line. */
const withoutChildLoggers = (logger: FastifyBaseLogger): FastifyBaseLogger =>
  Object.assign(Object.create(logger) as FastifyBaseLogger, {
    child(this: FastifyBaseLogger) {
      return this;
    },
  });

/** Body timeout for requests that are read as a whole. Node itself has only one timeout for all requests. */
function enforceBodyTimeout(app: FastifyInstance, { raw }: FastifyRequest, timeoutMs: number): void {
  if (!announcesBody(raw)) return;
  const timer = setTimeout(() => {
    const late: BrokenRequest = Object.assign(new Error('the body is late'), {
      code: 'ERR_HTTP_REQUEST_TIMEOUT',
      request: raw,
    });
    if (!raw.complete) app.server.emit('clientError', late, raw.socket);
  }, timeoutMs);
  // The body of a rejected request may never end, so the timer must not keep the process alive.
  timer.unref();
  raw.once('close', () => clearTimeout(timer));
}

/** Rejects several Host headers: Node uses the first one, a reverse proxy may have used the last one. */
function hostFault({ httpVersion, rawHeaders }: IncomingMessage): ProblemError | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined;
  return hosts === 0
    ? validationProblem([{ code: 'required', message: 'the header Host is required' }])
    : validationProblem([{ code: 'validation_failed', message: 'the header Host is given more than once' }]);
}

/** The URL of the address that the server listens on. */
export const originOf = (app: FastifyInstance): string =>
  app.server instanceof HttpsServer ? app.listeningOrigin.replace(/^http:/, 'https:') : app.listeningOrigin;

const MERGE_PATCH = 'application/merge-patch+json';

function readJsonBodies(app: FastifyInstance): void {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parse = async (_request: FastifyRequest, body: Buffer) => {
    // Routes decide whether a body is required.
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

/** For the metrics only: the client has closed the connection. */
const BODY_INCOMPLETE = validationProblem([
  { code: 'invalid_format', message: 'the connection ended before the body was complete' },
]);

function toProblem(error: FastifyError, bodyLimit: number = LIMITS.bodyBytes): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof DatabaseFull) {
    return problem('unavailable', 'The disk of the database is full: it cannot store anything.', RETRY);
  }
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
        { code: 'invalid_format', message: 'the length of the body differs from Content-Length' },
      ]);
    case 'FST_ERR_BAD_URL':
      return validationProblem([
        { code: 'invalid_format', message: `the URL cannot be decoded: ${error.message}` },
      ]);
    default:
      return problem('internal_error', 'The server failed. The request may be repeated later.');
  }
}

/** `request` is set if the headers were valid and only the body timed out. */
type BrokenRequest = NodeJS.ErrnoException & {
  readonly request?: IncomingMessage;
  readonly rawPacket?: object;
};

const URL_TOO_LONG = problem('uri_too_long', `The URL is longer than ${LIMITS.headerBytes} bytes.`);

const HEADERS_TOO_LARGE = problem(
  'headers_too_large',
  `Request line and headers are larger than ${LIMITS.headerBytes} bytes.`,
);

/** The parser does not say what was too large. It is the URL if the packet begins with a request line without an end. */
const overflowProblem = (packet: object | undefined): ProblemError =>
  Buffer.isBuffer(packet) && /^[A-Z]+ \S+$/.test(packet.toString('latin1', 0, LIMITS.headerBytes))
    ? URL_TOO_LONG
    : HEADERS_TOO_LARGE;

/** Writes the answer to the socket, because input that is not HTTP has no request object. */
function answerBrokenRequest(
  error: BrokenRequest,
  socket: Socket,
  { headers, cors, errorBase }: EarlyAnswers,
  requestTimeoutMs: number,
  id: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? overflowProblem(error.rawPacket)
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? problem('request_timeout', `The request was not complete after ${requestTimeoutMs / 1000} s.`)
        : validationProblem([{ code: 'invalid_format', message: 'this is not a valid HTTP request' }]);
  const body = JSON.stringify(problemBody(errorBase(), answer, null));
  const { status, title } = PROBLEMS[answer.code];
  const lines = Object.entries({
    ...headers,
    ...PROBLEM_HEADERS,
    ...(error.request ? cors(error.request) : {}),
    'content-length': Buffer.byteLength(body),
    'x-request-id': id,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`);
}
