/**
 * Open-loop load: requests are sent at fixed times whether or not earlier ones are answered, above the server's
 * capacity.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, Connection, requestOf, type Target } from './connection.ts';
import { quantilesOf } from './quantiles.ts';

export type FloodJob = {
  readonly port: number;
  readonly targets: readonly Target[];
  readonly perSecond: number;
  readonly milliseconds: number;
  /** Opened and used once before the flood. */
  readonly connections: number;
  /** Latency of a request without other load. */
  readonly usualMs: number;
};

export type FloodResult = {
  seconds: number;
  /** Requests whose time had come. A few are not sent, because every connection waits for a response. */
  due: number;
  /** Answered before the last request was sent: with 200, and with 503 and Retry-After. */
  answered: number;
  rejected: number;
  /** Sent, but not answered or answered with another status. */
  failed: number;
  firstFailure: string | null;
  p99Ms: number;
  /**
   * Milliseconds from the end of the flood to the first of ten consecutive responses whose median latency is at most
   * twice the usual one. Infinite: not within the time limit.
   */
  usualAgainMs: number;
};

/** Number of connections opened concurrently, since a server accepts them one by one. */
const OPENED_AT_ONCE = 32;
const TICK_MS = 4;
/** Number of rejections whose body is read completely. */
const READ_PROBLEMS = 50;
const RECOVERY_PATIENCE_MS = 5_000;
const IN_A_ROW = 10;
const MOST_OVER_USUAL = 2;

/** Checks that a rejection is a problem with a Retry-After header. */
function assertProblem({ head, body }: Answer): void {
  assert.match(head, /\r\ncontent-type: application\/problem\+json/i, 'a refusal is a problem');
  const { status, type, title } = JSON.parse(Buffer.concat(body).toString());
  assert.deepEqual([status, title], [503, 'Unavailable']);
  assert.match(type, /\/errors\/unavailable$/);
}

class Flood {
  readonly latencies: number[] = [];
  readonly underWay = new Set<Promise<void>>();
  rejected = 0;
  failed = 0;
  firstFailure: string | null = null;
  private readonly idle: Connection[];

  constructor(connections: Connection[]) {
    this.idle = connections;
  }

  /** Does nothing while no connection is free. */
  send(request: Buffer): void {
    const connection = this.idle.pop();
    if (!connection) return;
    const asked = this.ask(connection, request).catch((error: Error) => {
      this.failed++;
      this.firstFailure ??= error.message;
      connection.close();
    });
    this.underWay.add(asked);
    void asked.finally(() => this.underWay.delete(asked));
  }

  private async ask(connection: Connection, request: Buffer): Promise<void> {
    const sentAt = performance.now();
    const answer = await connection.send(request);
    const isRejected = answer.status === 503 && /\r\nretry-after: \d+/i.test(answer.head);
    assert(isRejected || answer.status === 200, `unexpected answer: ${answer.head}`);
    if (isRejected && this.rejected++ < READ_PROBLEMS) assertProblem(answer);
    if (!isRejected) this.latencies.push(performance.now() - sentAt);
    this.idle.push(connection);
  }

  close(): void {
    for (const connection of this.idle) connection.close();
  }
}

/** Uses each connection once, because an unused one may not be accepted yet. */
async function openAll(port: number, count: number, request: Buffer): Promise<Connection[]> {
  const connections: Connection[] = [];
  while (connections.length < count) {
    const some = Array.from({ length: OPENED_AT_ONCE }, () => new Connection(port));
    await Promise.all(some.map((connection) => connection.get(request)));
    connections.push(...some);
  }
  return connections;
}

export async function flood(job: FloodJob): Promise<FloodResult> {
  const requests = job.targets.map(requestOf);
  const [prober, ...connections] = await openAll(job.port, job.connections, requests[0]!);
  assert(prober, 'there is a connection');
  const flooding = new Flood(connections);
  let due = 0;
  const startedAt = performance.now();
  for (let at = 0; at < job.milliseconds; at = performance.now() - startedAt) {
    for (; due < (job.perSecond * at) / 1000; due++) flooding.send(requests[due % requests.length]!);
    await delay(TICK_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const [answered, rejected] = [flooding.latencies.length, flooding.rejected];
  const usualAgainMs = await recover(prober, requests, job.usualMs);
  await Promise.all(flooding.underWay);
  flooding.close();
  const { failed, firstFailure, latencies } = flooding;
  return {
    ...{ seconds, due, answered, rejected, failed, firstFailure, usualAgainMs },
    p99Ms: quantilesOf(latencies)(0.99),
  };
}

/** Sends sequential requests, starting while the last requests of the flood are still in progress. */
async function recover(
  connection: Connection,
  requests: readonly Buffer[],
  usualMs: number,
): Promise<number> {
  let lately: { answeredMs: number; tookMs: number }[] = [];
  const endedAt = performance.now();
  for (let at = 0, asked = 0; at < RECOVERY_PATIENCE_MS; asked++) {
    const { status } = await connection.send(requests[asked % requests.length]!);
    const answeredMs = performance.now() - endedAt;
    lately = status === 200 ? [...lately, { answeredMs, tookMs: answeredMs - at }].slice(-IN_A_ROW) : [];
    at = answeredMs;
    const inTheMiddle = quantilesOf(lately.map(({ tookMs }) => tookMs))(0.5);
    if (lately.length < IN_A_ROW || inTheMiddle > MOST_OVER_USUAL * usualMs) continue;
    connection.close();
    return lately[0]!.answeredMs;
  }
  connection.close();
  return Number.POSITIVE_INFINITY;
}
