import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from './config.ts';

type Addresses = Pick<Config, 'host' | 'port' | 'customerPort' | 'adminHost' | 'adminPort'>;

/**
 * Fails if the server could not listen on its ports. Called before the database is touched: a first start that fails
 * afterwards would have created data, and a key that was never shown.
 */
export async function checkPorts(config: Addresses): Promise<void> {
  const { host, port, customerPort, adminHost, adminPort } = config;
  const addresses = [
    { host, port: customerPort },
    { host, port },
    { host: adminHost, port: adminPort },
  ];
  const servers = addresses.map(() => createServer());
  try {
    for (const [at, server] of servers.entries()) await once(server.listen(addresses[at]), 'listening');
  } finally {
    await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  }
}
