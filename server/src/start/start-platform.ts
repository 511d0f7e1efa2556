import { startAdmin } from './admin.ts';
import type { Config } from './config.ts';
import { startInOrder } from './in-order.ts';
import { type ServiceDependencies, startService } from './start-service.ts';
import { type StoreDependencies, startStore } from './start-store.ts';

export type Platform = {
  /** Public URL of the BRP API. */
  readonly baseUrl: string;
  /** Public URL of the customer API. */
  readonly customerUrl: string;
  readonly adminUrl: string;
  /** Drains requests in flight, then stops all components in reverse order of their start. */
  stop(): Promise<void>;
};

export type PlatformDependencies = StoreDependencies & ServiceDependencies;

/** Starts store, service and admin server in this order, so that readiness is not reported too early. */
export const startPlatform = (config: Config, dependencies: PlatformDependencies) =>
  startInOrder(async (started) => {
    const store = await startStore(config, dependencies);
    started.push(store.stop);
    const service = await startService(config, store.url, dependencies);
    const { db, metrics, baseUrl, customerUrl, flush, stop } = service;
    started.push(stop);
    const admin = await startAdmin(config, db, async () => db.isFull(), metrics);
    // Keep the admin server up until everything except the store has stopped.
    started.splice(1, 0, admin.stop);
    return { baseUrl, customerUrl, adminUrl: admin.url, flush };
  });
