import assert from 'node:assert/strict';
import {
  brpEndpoints,
  demoEndpoints,
  type Endpoint,
  marketEndpoints,
  operatorEndpoints,
  PROBLEMS,
  Problem,
  portalEndpoints,
  sandboxEndpoints,
  simulationEndpoints,
} from '@saldo/api';
import { type Logger, pino } from 'pino';
import type { TSchema } from 'typebox';
import { createEventIds, type EventIds } from '../src/events/ids.ts';
import { createFollowingSealer, type Sealer } from '../src/platform/auth/sealed-secrets.ts';
import { type OpenDatabase, openDatabase } from '../src/platform/db/database.ts';
import { readCursorSecret } from '../src/platform/http/cursor.ts';
import { compile, type Validator } from '../src/platform/http/validation.ts';
import { type Config, readConfig } from '../src/start/config.ts';
import { type ExchangeParts, exchangeOf } from '../src/start/exchange-settings.ts';
import { readSecretsKeys } from '../src/start/secrets-key-file.ts';
import { startPlatform } from '../src/start/start-platform.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { SECRETS_KEY_FILE } from './programs.ts';
import { createWorld, type World } from './world.ts';

/** A clock that only the test moves. */
export type TestClock = { now(): number; set(instant: string): void };

export function testClock(start: string): TestClock {
  let now = Date.parse(start);
  return {
    now: () => now,
    set: (instant) => {
      now = Date.parse(instant);
    },
  };
}

/** A clock that runs from this instant on, as that of the machine does. */
export function runningClock(start: string): TestClock {
  const clock = testClock(start);
  const begun = performance.now();
  return { now: () => clock.now() + Math.trunc(performance.now() - begun), set: clock.set };
}

export type TestPlatform = {
  baseUrl: string;
  customerUrl: string;
  adminUrl: string;
  databaseUrl: string;
  db: OpenDatabase;
  sealer: Sealer;
  eventIds: EventIds;
  /** Writes when keys and sessions were last used, as a job does every few seconds. */
  flush(): Promise<void>;
  clock: TestClock;
  /** Creates records in its database. */
  world: World;
  /** The exchange settings, for tests that run its jobs explicitly. */
  exchange: ExchangeParts;
  /** Moves the time by which the exchange decides whether a file is complete. */
  rest(ms: number): void;
  config: Config;
};

/**
 * Starts the real server on its own database, with a clock that the test sets. The server is stopped and the database
 * dropped when the test file ends: call it at the top level of the file, before its first test. `environment` has the
 * variables of `npm start`.
 */
export async function startTestPlatform(
  options: {
    now?: string;
    clock?: TestClock;
    environment?: Record<string, string>;
    /** Values that the environment does not allow. */
    config?: Partial<Config>;
    logger?: Logger;
    portalDir?: string;
  } = {},
): Promise<TestPlatform> {
  const databaseUrl = options.environment?.['DATABASE_URL'] ?? (await createDatabase());
  const dataDir = await temporaryFolder();
  const clock = options.clock ?? testClock(options.now ?? '2026-10-20T08:00:00Z');
  const environment = {
    PORT: '0',
    CUSTOMER_PORT: '0',
    ADMIN_PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    RATE_LIMIT: '1000000',
    SECRETS_KEY_FILE,
    ...options.environment,
  };
  const config = { ...readConfig(environment), ...options.config };
  const platform = await startPlatform(config, {
    clock,
    logger: options.logger ?? pino({ level: 'silent' }),
    droppedLogLines: () => 0,
    say: () => {},
    prepare: async () => {},
    runsJobs: false,
    portalDir: options.portalDir ?? null,
  });
  atEnd(() => platform.stop());
  const db = openDatabase(databaseUrl, { directUrl: config.databaseDirectUrl, clock });
  atEnd(() => db.close());
  const { baseUrl, customerUrl, adminUrl, flush } = platform;
  const sealer = createFollowingSealer(() => readSecretsKeys(config.secretsKeyFile));
  let monotonicMs = 0;
  const exchange = exchangeOf(config, () => monotonicMs);
  atEnd(() => {
    for (const transport of Object.values(exchange.remote)) transport.close();
  });
  return {
    baseUrl,
    customerUrl,
    adminUrl,
    databaseUrl,
    db,
    sealer,
    eventIds: createEventIds(await readCursorSecret(db, sealer)),
    flush,
    clock,
    world: createWorld(db, clock, config.marketRules),
    exchange,
    rest: (ms) => {
      monotonicMs += ms;
    },
    config,
  };
}

/** Tests read answers without types. */
type Untyped = ReturnType<typeof JSON.parse>;
export type Answer = { status: number; headers: Headers; text: string; body: Untyped };

export type RequestOptions = {
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  method?: string;
};

type Send = (pathAndQuery: string, body?: unknown, options?: RequestOptions) => Promise<Answer>;
export type Client = {
  (pathAndQuery: string, options?: RequestOptions): Promise<Answer>;
  post: Send;
  put: Send;
  patch: Send;
  delete: Send;
};

/** Adds a function for each method that changes something. */
export function withMethods(
  request: (pathAndQuery: string, options?: RequestOptions) => Promise<Answer>,
): Client {
  const send =
    (method: string): Send =>
    (pathAndQuery, body, options) =>
      request(pathAndQuery, { ...options, method, body });
  const [post, put, patch] = [send('POST'), send('PUT'), send('PATCH')];
  return Object.assign(request, { post, put, patch, delete: send('DELETE') });
}

/** An HTTP client for a platform that validates every answer against its schema. */
export const client = (baseUrl: string, key: string | null = null): Client =>
  withMethods(async (pathAndQuery, options = {}) => {
    const method = options.method ?? 'GET';
    const sentKey = options.key === undefined ? key : options.key;
    const response = await fetch(baseUrl + pathAndQuery, {
      method,
      headers: {
        ...(sentKey === null ? {} : { 'x-api-key': sentKey }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined
        ? {}
        : { body: isRaw(options.body) ? options.body : JSON.stringify(options.body) }),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    };
    checkAnswer(method, pathAndQuery, answer);
    return answer;
  });

const isRaw = (body: unknown): body is string | Blob | Buffer<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Blob || Buffer.isBuffer(body);

function checkAnswer(method: string, pathAndQuery: string, answer: Answer): void {
  const what = `${method} ${pathAndQuery} → ${answer.status}`;
  assert.ok(answer.headers.get('x-request-id'), `${what} carries a request id`);
  if (answer.status >= 400) {
    assert.equal(answer.headers.get('content-type'), 'application/problem+json', what);
    assert.equal(answer.headers.get('cache-control'), 'no-store', what);
    if (method === 'HEAD') return;
    assert.deepEqual(validProblem(answer.body), [], what);
    const code = answer.body.type.split('/errors/')[1] as keyof typeof PROBLEMS;
    assert.equal(answer.body.title, PROBLEMS[code].title, what);
    assert.equal(answer.body.status, answer.status, what);
    return;
  }
  const [endpoint, ...others] = endpointsOf(method, pathAndQuery.split('?', 1)[0] ?? '');
  if (!endpoint) return;
  if (answer.status === 304 && endpoint.conditional) return;
  assert.equal(answer.status, endpoint.status ?? 200, what);
  if (answer.status === 204) return assert.equal(answer.text, '', what);
  if (endpoint.documents !== undefined) {
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
    return assert.ok(Object.hasOwn(endpoint.documents, type), `${what} is ${type}`);
  }
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8', what);
  // APIs of different listeners may share a path.
  if (others.some((other) => responseValidator(other)(answer.body).length === 0)) return;
  assert.deepEqual(responseValidator(endpoint)(answer.body), [], what);
}

const ENDPOINTS = [
  brpEndpoints,
  operatorEndpoints,
  sandboxEndpoints,
  simulationEndpoints,
  marketEndpoints,
  portalEndpoints,
  demoEndpoints,
]
  .flatMap((table) => Object.values<Endpoint>(table))
  .map((endpoint) => ({
    endpoint,
    pattern: new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));

/** The operations of a path. Fixed paths take precedence over paths with parameters, as in the server. */
function endpointsOf(method: string, pathname: string): Endpoint[] {
  const matching = ENDPOINTS.filter(
    ({ endpoint, pattern }) => endpoint.method === method && pattern.test(pathname),
  ).map(({ endpoint }) => endpoint);
  const fixed = matching.filter((endpoint) => !endpoint.path.includes('{'));
  return fixed.length > 0 ? fixed : matching;
}

/** Answers must have no members beyond their schema. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in copy ? { ...copy, additionalProperties: false } : copy;
}

const validators = new Map<TSchema, Validator>();
const validatorOf = (schema: TSchema): Validator =>
  validators.getOrInsertComputed(schema, () => compile(closed(schema) as TSchema));
const responseValidator = (endpoint: Endpoint) => validatorOf(endpoint.response);
const validProblem = (body: unknown) => validatorOf(Problem)(body);

/** The problem code of an answer, and its field errors as `field code`. */
export const problemOf = (answer: Answer): { code: string; errors: string[] } => ({
  code: answer.body.type.split('/errors/')[1],
  errors: (answer.body.errors ?? [])
    .map((error: { field?: string; code: string }) => `${error.field ?? ''} ${error.code}`)
    .toSorted(),
});

/** Headers that differ between any two answers. */
const OF_THE_MOMENT = /^(date|content-length|x-request-id|x-ratelimit-remaining|x-ratelimit-reset)$/;

/** Everything in an answer except for the requested id, to compare a foreign record with a missing one. */
export const answerWithoutId = (id: string, { status, headers, text }: Answer) => ({
  status,
  headers: [...headers].filter(([name]) => !OF_THE_MOMENT.test(name)),
  text: text.replaceAll(id, '<id>'),
});

/** Asserts that the request was rejected with this problem, and with exactly these field errors. */
export function assertProblem(
  answer: Answer,
  status: number,
  code: string,
  errors: string[] = [],
  what = '',
): void {
  const found = { status: answer.status, ...problemOf(answer) };
  assert.deepEqual(found, { status, code, errors }, `${what} ${answer.text}`);
}

/** The body of an answer that must have this status. */
export async function bodyOf(asked: Promise<Answer>, status = 200): Promise<Untyped> {
  const answer = await asked;
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}

/** Asserts that the request was rejected with exactly these field errors: `field code`, sorted. */
export const assertRefused = (answer: Answer, ...errors: string[]): void =>
  assertProblem(answer, 400, 'validation', errors);

/** All records of a list, page by page. Fails if the list does not end. */
export async function walk(
  request: (pathAndQuery: string) => Promise<Answer>,
  pathAndQuery: string,
  member: string,
  limit: number,
): Promise<Untyped[]> {
  const records = [];
  let after = '';
  for (let pages = 0; pages < 10_000; pages++) {
    const separator = pathAndQuery.includes('?') ? '&' : '?';
    const { status, body } = await request(`${pathAndQuery}${separator}limit=${limit}${after}`);
    assert.equal(status, 200);
    assert.equal(body.pagination.limit, limit);
    assert.equal(body.pagination.has_more, body.pagination.next_cursor !== null);
    records.push(...body[member]);
    if (!body.pagination.has_more) return records;
    assert.equal(body[member].length, limit);
    after = `&after=${encodeURIComponent(body.pagination.next_cursor)}`;
  }
  throw new Error(`${pathAndQuery} does not end`);
}
