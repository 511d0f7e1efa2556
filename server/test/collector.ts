import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** Tests read exported messages without types. */
export type Json = ReturnType<typeof JSON.parse>;
type Received = { path: string; headers: Record<string, unknown>; body: Json };
type Collector = Awaited<ReturnType<typeof startCollector>>;

/** An OpenTelemetry collector that keeps what it receives. */
export async function startCollector(answer: (path: string) => number | null) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: Json = JSON.parse(Buffer.concat(chunks).toString());
      received.push({ path: request.url ?? '', headers: request.headers, body });
      const status = answer(request.url ?? '');
      if (status !== null) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The log records that have arrived. */
export const logRecordsOf = ({ received }: Collector): Json[] =>
  received
    .filter(({ path }) => path === '/v1/logs')
    .flatMap(({ body }) => body.resourceLogs[0].scopeLogs[0].logRecords);

export const attributesOf = ({ attributes }: Json): Json =>
  Object.fromEntries(attributes.map(({ key, value }: Json) => [key, Object.values(value)[0]]));
