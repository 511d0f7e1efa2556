import type { ClientOptions } from '../src/options.ts';

export type SentRequest = { method: string; url: string; headers: Headers; redirect: string; body: string };
type Reply = Response | Error | ((request: SentRequest, signal: AbortSignal) => Response | Promise<Response>);

/** A JSON response of the API. */
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_test', ...headers },
  });

export const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json(
    { type: `https://saldo.test/errors/${code}`, title: code, status, detail: `It was ${code}.` },
    status,
    headers,
  );

/**
 * Replaces network, clock and randomness. Replies are returned in order, the last one repeatedly. A delay takes no
 * time, moves the clock and is recorded.
 */
export function standIn(...replies: Reply[]) {
  const requests: SentRequest[] = [];
  const waits: number[] = [];
  let now = Date.parse('2026-10-20T08:00:00Z');
  const options = {
    baseUrl: 'https://saldo.test',
    apiKey: 'saldo_test_key',
    timeoutMs: 0,
    random: () => 0.5,
    now: () => now,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const sent = {
        method: request.method,
        url: request.url.slice('https://saldo.test'.length),
        headers: request.headers,
        redirect: request.redirect,
        body: await request.text(),
      };
      requests.push(sent);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      if (reply === undefined) throw new Error('no reply was prepared');
      if (reply instanceof Error) throw reply;
      return reply instanceof Response ? reply.clone() : reply(sent, request.signal);
    },
  } satisfies ClientOptions;
  return { options, requests, waits };
}
