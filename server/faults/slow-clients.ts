/** Clients that send requests slowly or not at all, half of them with a valid key. */
import { connect, type Socket } from 'node:net';

/** More than the places of the server (REQUESTS_AT_ONCE). */
const CONNECTIONS = 300;
/** Another address than that of the other clients, because one address may have few half-sent bodies. */
const LOCAL_ADDRESS = '127.0.0.2';
const SEND_EVERY_MS = 500;
/** Independent clients do not send at the same instant: a part of them takes its turn every 10 ms. */
const TURNS = 50;

export type Slowness = 'bodies' | 'headers' | 'connections';

const head = (line: string, host: string, headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, `Host: ${host}`, ...headers, ''].join('\r\n');

/** What a client sends first. Then it sends one blank after the other, unless it is silent. */
function beginning(slowness: Slowness, { origin, host }: URL, key: string | null): string {
  const credentials = key === null ? [`Origin: ${origin}`] : [`X-Api-Key: ${key}`];
  if (slowness === 'connections') return '';
  if (slowness === 'headers') return `${head('GET /v1/contracts', host, credentials)}X-Slow: `;
  const line = key === null ? 'POST /portal/v1/session' : 'POST /operator/v1/brps';
  return `${head(line, host, [...credentials, 'Content-Type: application/json', 'Content-Length: 5000'])}\r\n{`;
}

/** Opens the connections, and opens each again that the server closes. `stop` closes them. */
export function startSlowClients(slowness: Slowness, baseUrl: string, key: string): { stop(): void } {
  const url = new URL(baseUrl);
  const sockets = new Map<number, Socket>();
  const open = (at: number) => {
    const target = { host: url.hostname, port: Number(url.port), localAddress: LOCAL_ADDRESS };
    const socket = connect(target, () => socket.write(beginning(slowness, url, at % 2 === 0 ? key : null)));
    // Answers of the server are not read, as by a client that only wants to keep its connection.
    socket.on('error', () => {});
    sockets.set(at, socket);
  };
  let turn = 0;
  const send = setInterval(() => {
    for (let at = turn++ % TURNS; at < CONNECTIONS; at += TURNS) {
      const socket = sockets.get(at);
      if (socket === undefined || socket.destroyed) open(at);
      else if (slowness !== 'connections' && socket.writable) socket.write(' ');
    }
  }, SEND_EVERY_MS / TURNS);
  return {
    stop() {
      clearInterval(send);
      for (const socket of sockets.values()) socket.destroy();
    },
  };
}
