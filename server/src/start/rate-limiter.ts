import type { Logger } from 'pino';
import { monotonicNow } from '../platform/clock.ts';
import { memoryRateLimiter, type RateLimiter, redisRateLimiter } from '../platform/http/rate-limit.ts';
import type { Config } from './config.ts';

/** All listeners of a process share one limiter. With Redis, all processes share the counts. */
export async function createRateLimiter(
  config: Config,
  logger: Logger,
): Promise<{ limiter: RateLimiter; close: () => Promise<void> }> {
  const rule = { limit: config.rateLimit, windowS: config.rateWindowS };
  const inMemory = memoryRateLimiter(rule, monotonicNow);
  if (config.redisUrl === null) return { limiter: inMemory, close: async () => {} };
  // Loading it takes a tenth of the server's start.
  const { Redis } = await import('ioredis');
  const redis = new Redis(config.redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
  redis.on('error', (error) => logger.warn({ err: error }, 'redis is not reachable'));
  // Log the fallback once per outage, not once per request.
  let isLogged = false;
  redis.on('ready', () => {
    isLogged = false;
  });
  const limiter = redisRateLimiter(rule, redis, inMemory, (error) => {
    if (!isLogged) logger.warn({ err: error }, 'counting rate limits in memory');
    isLogged = true;
  });
  return { limiter, close: async () => redis.disconnect() };
}
