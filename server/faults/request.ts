import type { Outcome } from './journal.ts';

/** The server has to answer within 15 s even without its database. The rest is a margin for a busy machine. */
const ANSWER_WITHIN_MS = 17_000;

/** Untyped, so that the checks do not depend on the types of the product. */
type Untyped = ReturnType<typeof JSON.parse>;

export type Answer =
  | {
      readonly outcome: 'acknowledged' | 'refused' | 'unavailable' | 'failed';
      status: number;
      body: Untyped;
      text: string;
    }
  | { readonly outcome: 'not_sent' | 'lost' | 'unanswered'; reason: string };

export type RequestOptions = {
  readonly key: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly idempotencyKey?: string | null;
  readonly timeoutMs?: number;
};

/** Sends one HTTP request and returns its outcome from the client's point of view. */
export async function request(url: string, options: RequestOptions): Promise<Answer> {
  const { key, method = 'GET', body, contentType = 'application/json', idempotencyKey = null } = options;
  const deadline = AbortSignal.timeout(options.timeoutMs ?? ANSWER_WITHIN_MS);
  try {
    const response = await fetch(url, {
      method,
      signal: deadline,
      headers: {
        'x-api-key': key,
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const { status } = response;
    return { outcome: outcomeOf(status), status, text, body: isJson ? JSON.parse(text) : null };
  } catch (error) {
    if (deadline.aborted) return { outcome: 'unanswered', reason: `no answer from ${method} ${url}` };
    return lostConnection(error);
  }
}

function outcomeOf(status: number) {
  if (status < 300) return 'acknowledged';
  if (status === 503) return 'unavailable';
  return status < 500 ? 'refused' : 'failed';
}

/** If the connection was refused, nothing was sent. After any other failure the outcome is unknown to the client. */
function lostConnection(error: unknown): Answer {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return { outcome: code === 'ECONNREFUSED' ? 'not_sent' : 'lost', reason: `${code} ${message}`.trim() };
}

export const detailOf = (answer: Answer): string =>
  'status' in answer ? `${answer.status} ${answer.text.slice(0, 500)}` : answer.reason;

/** Counts requests by outcome, for the report of a fault. */
export class OutcomeCounter {
  private counts: Partial<Record<Outcome, number>> = {};
  private failures: string[] = [];

  count(answer: Answer): void {
    this.counts[answer.outcome] = (this.counts[answer.outcome] ?? 0) + 1;
    if (answer.outcome === 'refused' || answer.outcome === 'failed')
      this.failures.push(`unexpected answer: ${detailOf(answer)}`);
    if (answer.outcome === 'unanswered')
      this.failures.push(`unanswered within the deadline: ${answer.reason}`);
  }

  take(): { outcomes: Partial<Record<Outcome, number>>; failures: string[] } {
    const taken = { outcomes: this.counts, failures: this.failures };
    this.counts = {};
    this.failures = [];
    return taken;
  }
}
