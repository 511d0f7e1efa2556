import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Database, statement } from './db/database.ts';
import type { Metrics } from './metrics.ts';

const PING = statement('ping', 'select 1');

type Answer = { status: number; type: string; body: string };
const plain = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });

async function isReachable(db: Database): Promise<boolean> {
  try {
    await db.query(PING);
    return true;
  } catch {
    // Why it cannot be reached is in the log of the request that failed for it; here only yes or no is asked.
    return false;
  }
}

/** For those who run the platform: is the process up, can it work, how does it do. Loopback only by default. */
export function createAdminServer(db: Database, metrics: Pick<Metrics, 'text' | 'contentType'>): Server {
  const pages: Record<string, () => Promise<Answer>> = {
    '/healthz': async () => plain(200, 'ok\n'),
    '/readyz': async () =>
      (await isReachable(db)) ? plain(200, 'ready\n') : plain(503, 'the database is not reachable\n'),
    '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
  };
  return createServer((request, response) => {
    const page = pages[request.url ?? ''] ?? (async () => plain(404, 'not found\n'));
    void page()
      .catch((error: unknown) => plain(500, `${String(error)}\n`))
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body));
  });
}

export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
