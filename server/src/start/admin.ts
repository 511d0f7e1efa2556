import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenDatabase } from '../platform/db/database.ts';
import { isReachable } from '../platform/db/reachable.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Config } from './config.ts';

type Answer = { status: number; type: string; body: string };
const plain = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });

/** Replicas do not affect readiness: without them the primary serves all reads. */
const replicaLines = ({ replication }: OpenDatabase): string =>
  (replication?.states() ?? [])
    .map(({ name, isInUse, lagS }) => {
      const lag = lagS === null ? 'lag unknown' : `${lagS.toFixed(1)} s behind`;
      return `replica ${name}: ${isInUse ? 'in use' : 'left out'}, ${lag}\n`;
    })
    .join('');

/** Liveness, readiness and metrics for the operations team. Listens on loopback by default. */
export async function startAdmin(
  { adminHost, adminPort }: Config,
  db: OpenDatabase,
  isFull: () => Promise<boolean>,
  metrics: Pick<Metrics, 'text' | 'contentType'>,
) {
  /** With a full disk reads succeed, so the status stays: a load balancer would take them away. */
  const readiness = async () =>
    (await isFull()) ? 'ready for reads; writes fail: the disk of the database is full' : 'ready';
  const pages: Record<string, () => Promise<Answer>> = {
    '/healthz': async () => plain(200, 'ok\n'),
    '/readyz': async () =>
      (await isReachable(db))
        ? plain(200, `${await readiness()}\n${replicaLines(db)}`)
        : plain(503, 'the database is not reachable\n'),
    '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
  };
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''] ?? (async () => plain(404, 'not found\n'));
    void page()
      .catch((error: unknown) => plain(500, `${String(error)}\n`))
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body));
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: await listen(server, adminHost, adminPort), stop };
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
