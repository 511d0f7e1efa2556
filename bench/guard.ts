/** Measures the admission of a request: key check and rate limit. */
import { transactionEndpoints } from '@saldo/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { keyCredentials } from '../server/src/platform/auth/key-credentials.ts';
import { createLastUsed } from '../server/src/platform/auth/last-used.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { apiGuard, type SessionAuth } from '../server/src/platform/http/guard.ts';
import { memoryRateLimiter } from '../server/src/platform/http/rate-limit.ts';
import type { BenchWorld } from './world.ts';

export type GuardResults = {
  /** Microseconds of CPU time per request, including the periodic look-ups of keys. */
  readonly admissionUs: number;
};

const CALLS_AT_ONCE = 1000;

/** No request of the benchmark has a session. */
const NO_SESSIONS: SessionAuth = {
  sessions: { find: () => null, forget: () => {} },
  cookie: { name: 'saldo_session', read: () => null, set: () => {}, clear: () => {} },
  device: { read: () => null, remember: () => {} },
  sessionUsed: () => {},
  baseUrl: () => '',
};

export async function measureGuard(
  world: BenchWorld,
  milliseconds: number,
  say: (message: string) => void,
): Promise<GuardResults> {
  const db = openDatabase(world.url);
  try {
    const monotonicNow = () => performance.now();
    const keys = keyCredentials('brp', db, createLastUsed(db), Date.now, monotonicNow);
    const limiter = memoryRateLimiter({ limit: 1e9, windowS: 60 }, monotonicNow);
    const admit = apiGuard('brp', keys, NO_SESSIONS, limiter)(transactionEndpoints.listTransactions);
    const requests = world.brps.map(({ key }) => {
      const request = { headers: { 'x-api-key': key }, method: 'GET', ip: '127.0.0.1' };
      return request as unknown as FastifyRequest;
    });
    const reply = { headers: () => reply } as unknown as FastifyReply;
    const admitFor = async (duration: number) => {
      let count = 0;
      for (const endsAt = performance.now() + duration; performance.now() < endsAt; ) {
        for (let call = 0; call < CALLS_AT_ONCE; call++)
          await admit(requests[count++ % requests.length]!, reply);
      }
      return count;
    };
    await admitFor(milliseconds / 2);
    const before = process.cpuUsage();
    const count = await admitFor(milliseconds);
    const { user, system } = process.cpuUsage(before);
    const admissionUs = (user + system) / count;
    say(`Key check and rate limit: ${admissionUs.toFixed(2)} µs a request.`);
    return { admissionUs };
  } finally {
    await db.close();
  }
}
