import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { LIMITS, PROBLEMS } from '@saldo/api';
import type { Language } from '@saldo/core/messages/language.ts';
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
import { languageOf, preferredLanguage } from './accept.ts';
import { findUnsendable, removeContentHeaders } from './answer-headers.ts';
import { admitBodies, limitDraining } from './body-admission.ts';
import { BODY_LIMITS } from './body-arrivals.ts';
import type { AddressForm } from './client-address.ts';
import { compressAnswer } from './compression.ts';
import { ConnectionDrain } from './connection-drain.ts';
import { type Cors, corsFor } from './cors.ts';
import { readJsonBodies } from './json-bodies.ts';
import type { Portal } from './portal-files.ts';
import {
  OVERLOAD,
  PROBLEM_MEDIA_TYPE,
  ProblemError,
  problem,
  problemBody,
  RETRY_SOON,
  validationProblem,
} from './problem.ts';
import { requestId } from './request-id.ts';
import type { RequestHandlers, RequestQueue } from './request-queue.ts';
import { announcesBody } from './streams.ts';

export type ServerOptions = {
  readonly logger: FastifyBaseLogger;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  readonly trustProxy: boolean;
  /** Of addresses in records and logs. */
  readonly addressForm: AddressForm;
  readonly corsOrigins: readonly string[];
  /** Clients reach this server by HTTPS only, so it sends HSTS. */
  readonly isSecure: boolean;
  /** Shared by all listeners of the process. */
  readonly queue: RequestQueue;
  /** Maximum time for the headers, and for a body beyond the time that it may take at the minimum rate. */
  readonly requestTimeoutMs: number;
  /** Base URL of the error pages. A function, because without a configured URL it is known only after listening. */
  readonly errorBase: () => string;
  /** The methods of a path. Empty for an unknown path. */
  readonly methodsOf: (path: string) => string[];
  /** Serves the portal's pages to browsers where no operation matches. */
  readonly portal: Portal | null;
  readonly onAnswer: (request: FastifyRequest, status: number, seconds: number) => void;
  /** Called for a request that was rejected because of overload. `early`: before Fastify, so without `onAnswer`. */
  readonly onReject: (early: { readonly method: string; readonly waitedSeconds: number } | null) => void;
  /** Counts a request without a matching route against the caller's rate limit, if its key is known. */
  readonly countUnrouted: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
};

/** Streamed bodies have no size limit, and their handlers enforce an idle timeout. This is only an upper bound. */
const STREAM_TIMEOUT_MS = 6 * 3600 * 1000;
export const KEEP_ALIVE_MS = 75_000;
/** How often Node looks for connections whose headers are late. */
const CHECK_CONNECTIONS_MS = 1_000;
/** Time for a client to read the answer to a broken request, before its connection is destroyed. */
const LINGER_MS = 1_000;

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
        connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // Node's own rejection of a missing Host header is no problem document. `hostFault` rejects it instead.
        requireHostHeader: false,
      };
      const handlers: RequestHandlers<IncomingMessage, ServerResponse> = {
        start: handler,
        reject(request, response, waitedMs) {
          if (connections.isClosing) closeAfter(request, response);
          rejectOverload(request, response, early, requestId(request));
          options.onReject({ method: request.method ?? '', waitedSeconds: waitedMs / 1000 });
        },
      };
      const receive: typeof handler = (request, response) => {
        if (announcesBody(request))
          response.once('finish', () => limitDraining(request, options.requestTimeoutMs));
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
    const { isChange } = request.routeOptions.config;
    request.problemCode = error.code;
    const language = languageOf({ request, reply });
    const body = problemBody(options.errorBase(), error, request.url, language, isChange);
    reply.code(PROBLEMS[error.code].status).headers({ ...error.headers, ...PROBLEM_HEADERS });
    removeContentHeaders(reply);
    // Sent as bytes: for a string Fastify would add a charset, which the media type does not have.
    return reply.send(Buffer.from(JSON.stringify(body)));
  }

  app.decorateRequest('principal', null);
  app.decorateRequest('callerSecret', null);
  app.decorateRequest('refusedFor', null);
  app.decorate('addressForm', options.addressForm);
  app.decorateRequest('problemCode', null);
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
  admitBodies(app, options);
  app.addHook('onResponse', (request, reply, done) => {
    options.onAnswer(request, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  app.addHook('onSend', (request, reply, body, done) => {
    const unsendable = findUnsendable(reply);
    if (unsendable !== null) {
      if (body instanceof Readable) body.destroy();
      return done(new Error(`the header ${unsendable} has characters that cannot be sent`));
    }
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
  readonly headers: ReturnType<typeof commonHeaders>;
  readonly cors: Cors;
  readonly errorBase: () => string;
};

/** Sends the same bytes as Fastify would, without its cost. A rejection takes a third of the time of an answer. */
function rejectOverload(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, cors, errorBase }: EarlyAnswers,
  requestId: string,
): void {
  const language = preferredLanguage(request.headers['accept-language']);
  const body = JSON.stringify(problemBody(errorBase(), OVERLOAD, request.url ?? null, language));
  response.writeHead(PROBLEMS[OVERLOAD.code].status, {
    ...headers,
    ...PROBLEM_HEADERS,
    ...languageHeaders(language, headers),
    ...OVERLOAD.headers,
    ...cors(request),
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Of an answer without a reply: `languageOf` sets them otherwise. */
const languageHeaders = (language: Language, { vary }: EarlyAnswers['headers']) => ({
  vary: `${vary}, Accept-Language`,
  'content-language': language,
});

const isUnrouted = (error: Error) =>
  error instanceof ProblemError && (error.code === 'not_found' || error.code === 'method_not_allowed');

/** Not found also if the methods match: the path has a known form, but no file or page exists there. */
function unrouted(method: string, path: string, methods: readonly string[]): ProblemError {
  if (methods.length === 0 || methods.includes(method)) {
    return problem('not_found', { key: 'problem.not_found', path });
  }
  const allow = methods.join(', ');
  return problem('method_not_allowed', { key: 'problem.method_not_allowed', method, allow }, { allow });
}

/**
 * Closes the connection after the answer. While the body is still arriving, closing would reset the connection before
 * the client reads the answer, so it is kept alive and closed when idle.
 */
function closeAfter(request: IncomingMessage, response: ServerResponse): void {
  const isArriving = !request.complete && announcesBody(request);
  response.setHeader('connection', isArriving ? 'keep-alive' : 'close');
}

/** Shares one logger between all requests: a child logger per request costs more than its one log line. */
const withoutChildLoggers = (logger: FastifyBaseLogger): FastifyBaseLogger =>
  Object.assign(Object.create(logger) as FastifyBaseLogger, {
    child(this: FastifyBaseLogger) {
      return this;
    },
  });

/** Rejects several Host headers: Node uses the first one, a reverse proxy may have used the last one. */
function hostFault({ httpVersion, rawHeaders }: IncomingMessage): ProblemError | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined;
  return hosts === 0
    ? validationProblem([{ code: 'required', message: { key: 'request.host_required' } }])
    : validationProblem([{ code: 'validation_failed', message: { key: 'request.hosts' } }]);
}

/** The URL of the address that the server listens on. */
export const originOf = (app: FastifyInstance): string =>
  app.server instanceof HttpsServer ? app.listeningOrigin.replace(/^http:/, 'https:') : app.listeningOrigin;

/** For the metrics only: the client has closed the connection. */
const BODY_INCOMPLETE = validationProblem([
  { code: 'invalid_format', message: { key: 'request.broken_off' } },
]);

function toProblem(error: FastifyError, bodyLimit: number = LIMITS.bodyBytes): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof DatabaseFull) {
    return problem('unavailable', { key: 'problem.database_full' }, RETRY_SOON);
  }
  if (error instanceof DatabaseUnavailable) {
    return problem('unavailable', { key: 'problem.database_unreachable' }, RETRY_SOON);
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return problem('payload_too_large', { key: 'problem.payload_too_large', max: bodyLimit });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return problem('unsupported_media_type', {
        key: 'problem.unsupported_media_type',
        types: ['application/json'],
      });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return validationProblem([{ code: 'invalid_format', message: { key: 'request.wrong_length' } }]);
    case 'FST_ERR_BAD_URL':
      return validationProblem([
        { code: 'invalid_format', message: { key: 'request.bad_url', reason: error.message } },
      ]);
    default:
      return problem('internal_error');
  }
}

/** `request` is set if the headers were valid and only the body timed out. */
type BrokenRequest = NodeJS.ErrnoException & {
  readonly request?: IncomingMessage;
  readonly rawPacket?: object;
};

const URL_TOO_LONG = problem('uri_too_long', { key: 'problem.uri_too_long', max: LIMITS.headerBytes });

const HEADERS_TOO_LARGE = problem('headers_too_large', {
  key: 'problem.headers_too_large',
  max: LIMITS.headerBytes,
});

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
        ? lateProblem(requestTimeoutMs, error.request !== undefined)
        : validationProblem([{ code: 'invalid_format', message: { key: 'request.not_http' } }]);
  const language = preferredLanguage(error.request?.headers['accept-language']);
  const body = JSON.stringify(problemBody(errorBase(), answer, null, language));
  const { status, title } = PROBLEMS[answer.code];
  const lines = Object.entries({
    ...headers,
    ...PROBLEM_HEADERS,
    ...languageHeaders(language, headers),
    ...(error.request ? cors(error.request) : {}),
    'content-length': Buffer.byteLength(body),
    'x-request-id': id,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function lateProblem(timeoutMs: number, isBody: boolean): ProblemError {
  const seconds = timeoutMs / 1000;
  return problem(
    'request_timeout',
    isBody
      ? { key: 'problem.body_timeout', seconds, rate: BODY_LIMITS.bytesPerS }
      : { key: 'problem.request_timeout', seconds },
  );
}
