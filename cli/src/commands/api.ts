import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { SaldoConnectionError } from '@saldo/sdk';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const PROBLEM = 1;
const NOT_MODIFIED = 304;

const NOTES = `
The body of the answer goes to standard output as it comes, its status to standard error. The exit code is 0 for a status of 2xx
and for 304, else 1. Redirects are not followed. The key is sent to the platform only: an address outside of it is refused.`;

/** Works with a key of any kind. */
export function addApiCommand(program: Command, open: OpenSession): void {
  const collect = (header: string, before: string[] = []) => [...before, header];
  const api = program
    .command('api')
    .description('send any request to the platform with your key')
    .argument('<method>', METHODS.join(', '))
    .argument('<path>', 'the path with its query: /v1/contracts?limit=5')
    .option('--data <text>', 'the body: text, @file, or @- for standard input; JSON by default')
    .option('--header <header>', "a header, written as 'name: value'; may be repeated", collect)
    .addHelpText('after', NOTES);
  addExamples(
    api,
    "api GET '/v1/nominations?limit=5' --select 'nominations[].id'",
    'api POST /operator/v1/nominations/run --data \'{"delivery_date": "2026-10-25"}\'',
    'api PATCH /v1/customers/cust_… --data @change.json --header \'If-Match: "…"\'',
  ).action(
    doing(open, async (session, { args: [given = '', target = ''], command }) => {
      const method = given.toUpperCase();
      if (!METHODS.includes(method))
        throw new UsageError(`${JSON.stringify(given)} is not one of ${METHODS.join(', ')}`);
      const { data, header = [] } = command.opts<{ data?: string; header?: string[] }>();
      if (data !== undefined && ['GET', 'HEAD'].includes(method))
        throw new UsageError(`a ${method} has no --data`);
      const { baseUrl, apiKey } = await session.access();
      const body = data === undefined ? null : await readData(data, session.terminal);
      const headers = headersOf(apiKey, body !== null, header);
      await answer(session, await send(session, addressOf(baseUrl, target), { method, headers, body }));
    }),
  );
}

/**
 * Texts such as `//other.example` and `/\other.example` are addresses of another host, and other programs may have paths of the
 * same host. Neither must get the key, so that the address is compared, and sent, without its `..`.
 */
function addressOf(baseUrl: string, target: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  const address = URL.parse(/^\/(?![/\\])/.test(target) ? base + target : target);
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new UsageError(`${JSON.stringify(target)} is not a path such as /v1/contracts`);
  const { origin, pathname } = new URL(`${base}/`);
  if (address.origin !== origin || !`${address.pathname}/`.startsWith(pathname))
    throw new UsageError(`the address is not of the platform at ${base}, to which the key belongs`);
  return address.href;
}

async function readData(data: string, { cwd, stdin }: Terminal): Promise<string | Uint8Array<ArrayBuffer>> {
  if (!data.startsWith('@')) return data;
  if (data === '@-') return new Uint8Array(await buffer(stdin));
  const file = data.slice(1);
  const content = await readFile(path.resolve(cwd, file)).catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
  return new Uint8Array(content);
}

function headersOf(apiKey: string, hasBody: boolean, given: readonly string[]): Headers {
  const headers = new Headers({ accept: 'application/json, */*', 'x-api-key': apiKey });
  if (hasBody) headers.set('content-type', 'application/json');
  for (const line of given) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    try {
      headers.set(name, value);
    } catch {
      throw new UsageError(`${JSON.stringify(line)} is no header: write it as 'name: value'`);
    }
  }
  return headers;
}

async function send({ terminal }: Session, address: string, init: RequestInit): Promise<Response> {
  const { fetch: send = fetch } = terminal.dependencies ?? {};
  return send(address, { ...init, redirect: 'manual', signal: terminal.signal }).catch(unreachable);
}

/** `fetch` only reports "fetch failed"; the reason is in `cause`. */
function unreachable(error: unknown): never {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  throw new SaldoConnectionError('network', reason instanceof Error ? reason.message : String(reason), error);
}

async function answer(session: Session, response: Response): Promise<void> {
  const { status, statusText, body, ok } = response;
  const isDone = ok || status === NOT_MODIFIED;
  (isDone ? session.note : session.complain)(`${status} ${statusText}`.trim());
  if (!isDone) session.endWith(PROBLEM);
  if (isDone && session.flags.select !== undefined) {
    const text = await response.text().catch(unreachable);
    return text === '' ? undefined : session.printJson(parseJson(text));
  }
  if (body !== null) await pipeline(chunksOf(body), session.terminal.stdout, { end: false });
}

/** Only errors of the body are those of the connection: standard output has errors of its own. */
async function* chunksOf(body: NonNullable<Response['body']>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    unreachable(error);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('the answer is not JSON, so that --select cannot be used');
  }
}
