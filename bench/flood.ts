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
  /** Requests that were sent, and requests that were due while every connection was waiting for a response. */
  sent: number;
  unsent: number;
  /** Answered before the last request was sent: with 200, and with 503 and Retry-After. */
  answered: number;
  shed: number;
  /** Sent, but not answered or answered with another status. */
  failed: number;
  firstFailure: string | null;
  answeredP50Ms: number;
  answeredP99Ms: number;
  shedP50Ms: number;
  shedP99Ms: number;
  /**
   * Milliseconds from the end of the flood to the first 200 for a request sent afterwards, to the first of ten
   * consecutive responses whose median latency is at most twice the usual one, and to the first 200 on a new
   * connection. Null: not within the time limit.
   */
  firstAnswerMs: number | null;
  usualAgainMs: number | null;
  newcomerMs: number | null;
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
  readonly answered: number[] = [];
  readonly shed: number[] = [];
  readonly underWay = new Set<Promise<void>>();
  failed = 0;
  firstFailure: string | null = null;
  private readonly idle: Connection[];

  constructor(connections: Connection[]) {
    this.idle = connections;
  }

  /** Whether a connection was free. */
  send(request: Buffer): boolean {
    const connection = this.idle.pop();
    if (!connection) return false;
    const asked = this.ask(connection, request).catch((error: Error) => {
      this.failed++;
      this.firstFailure ??= error.message;
      connection.close();
    });
    this.underWay.add(asked);
    void asked.finally(() => this.underWay.delete(asked));
    return true;
  }

  private async ask(connection: Connection, request: Buffer): Promise<void> {
    const sentAt = performance.now();
    const answer = await connection.send(request);
    const isShed = answer.status === 503 && /\r\nretry-after: \d+/i.test(answer.head);
    assert(isShed || answer.status === 200, `unexpected answer: ${answer.head}`);
    if (isShed && this.shed.length < READ_PROBLEMS) assertProblem(answer);
    (isShed ? this.shed : this.answered).push(performance.now() - sentAt);
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
  let [sent, unsent] = [0, 0];
  const startedAt = performance.now();
  for (let at = 0; at < job.milliseconds; at = performance.now() - startedAt) {
    for (const due = (job.perSecond * at) / 1000; sent + unsent < due; ) {
      if (flooding.send(requests[sent % requests.length]!)) sent++;
      else unsent++;
    }
    await delay(TICK_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const { answered, shed } = flooding;
  const [answers, refusals] = [answered.length, shed.length];
  const [newcomerMs, recovery] = await Promise.all([
    comeNew(job.port, requests[0]!),
    recover(prober, requests, job.usualMs),
  ]);
  await Promise.all(flooding.underWay);
  flooding.close();
  const [ofAnswered, ofShed] = [quantilesOf(answered), quantilesOf(shed)];
  return {
    seconds,
    sent,
    unsent,
    answered: answers,
    shed: refusals,
    failed: flooding.failed,
    firstFailure: flooding.firstFailure,
    answeredP50Ms: ofAnswered(0.5),
    answeredP99Ms: ofAnswered(0.99),
    shedP50Ms: ofShed(0.5),
    shedP99Ms: ofShed(0.99),
    ...recovery,
    newcomerMs,
  };
}

async function comeNew(port: number, request: Buffer): Promise<number | null> {
  const startedAt = performance.now();
  const connection = new Connection(port);
  let tookMs: number | null = null;
  for (let at = 0; at < RECOVERY_PATIENCE_MS && tookMs === null; at = performance.now() - startedAt) {
    const { status } = await connection.send(request);
    if (status === 200) tookMs = performance.now() - startedAt;
  }
  connection.close();
  return tookMs;
}

/** Sends sequential requests, starting while the last requests of the flood are still in progress. */
async function recover(
  connection: Connection,
  requests: readonly Buffer[],
  usualMs: number,
): Promise<Pick<FloodResult, 'firstAnswerMs' | 'usualAgainMs'>> {
  const lately: { answeredMs: number; tookMs: number }[] = [];
  const endedAt = performance.now();
  let firstAnswerMs: number | null = null;
  let usualAgainMs: number | null = null;
  for (let at = 0, asked = 0; at < RECOVERY_PATIENCE_MS && usualAgainMs === null; asked++) {
    const { status } = await connection.send(requests[asked % requests.length]!);
    const answeredMs = performance.now() - endedAt;
    const tookMs = answeredMs - at;
    at = answeredMs;
    if (status !== 200) {
      lately.length = 0;
      continue;
    }
    firstAnswerMs ??= answeredMs;
    lately.push({ answeredMs, tookMs });
    if (lately.length > IN_A_ROW) lately.shift();
    const inTheMiddle = quantilesOf(lately.map((answer) => answer.tookMs))(0.5);
    if (lately.length === IN_A_ROW && inTheMiddle <= MOST_OVER_USUAL * usualMs) {
      usualAgainMs = lately[0]?.answeredMs ?? null;
    }
  }
  connection.close();
  return { firstAnswerMs, usualAgainMs };
}
