import type { IncomingMessage } from 'node:http';
import { networkOf } from '@saldo/core/users/network.ts';
import { monotonicNow } from '../clock.ts';
import { type ProblemError, problem, RETRY_SOON } from './problem.ts';

/** Limits for requests whose body is still arriving, which hold no place of the request queue. */
export const BODY_LIMITS = {
  /** Requests of one client address in this process. */
  perAddress: 64,
  /** Requests of all addresses in this process. Memory limit: each may hold a body of up to 1 MB. */
  total: 512,
  /** Minimum rate: a body has a second more for each time that it has sent so many bytes. */
  bytesPerS: 16 * 1024,
  /** Time limit of a schedule or message that is read as a stream, beyond its time at the minimum rate. */
  uploadMs: 10_000,
};

const TOO_MANY_OF_ADDRESS = problem(
  'rate_limited',
  { key: 'problem.arriving_of_address', max: BODY_LIMITS.perAddress },
  RETRY_SOON,
);

const TOO_MANY = problem('unavailable', { key: 'problem.arriving' }, RETRY_SOON);

/** Counts the requests whose body is still arriving, so that slow senders of one address cannot use up the memory. */
export class BodyArrivals {
  private readonly ofAddress = new Map<string, number>();
  private total = 0;

  get count(): number {
    return this.total;
  }

  /** Counts the request until its body is complete or its connection is closed. Returns why it must be rejected. */
  add(request: IncomingMessage, ip: string): ProblemError | null {
    // One host usually has all addresses of such a network.
    const address = networkOf(ip, 64);
    const known = this.ofAddress.get(address) ?? 0;
    if (known >= BODY_LIMITS.perAddress) return TOO_MANY_OF_ADDRESS;
    if (this.total >= BODY_LIMITS.total) return TOO_MANY;
    this.total++;
    this.ofAddress.set(address, known + 1);
    request.once('close', () => this.remove(address));
    return null;
  }

  private remove(address: string): void {
    this.total--;
    const left = (this.ofAddress.get(address) ?? 0) - 1;
    if (left > 0) this.ofAddress.set(address, left);
    else this.ofAddress.delete(address);
  }
}

/** Calls `onLate` unless the body is complete after `timeoutMs` and the time that it may take at the minimum rate. */
export function enforceBodyTimeout(request: IncomingMessage, timeoutMs: number, onLate: () => void): void {
  const { socket } = request;
  const [startedAt, before] = [monotonicNow(), socket.bytesRead];
  let timer: NodeJS.Timeout | null = null;
  const check = () => {
    if (request.complete) return;
    const rateMs = ((socket.bytesRead - before) * 1000) / BODY_LIMITS.bytesPerS;
    const leftMs = startedAt + timeoutMs + rateMs - monotonicNow();
    if (leftMs <= 0) onLate();
    // The body of a rejected request may never end, so the timer must not keep the process alive.
    else timer = setTimeout(check, leftMs).unref();
  };
  check();
  request.once('close', () => timer !== null && clearTimeout(timer));
}
