import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/**
 * As much of a Redis as the rate limiter needs: it counts per key until the key expires, on a clock that the test
 * sets. It can be told to listen without answering.
 */
export type RedisStandIn = {
  readonly url: string;
  now: number;
  isSilent: boolean;
  stop(): Promise<void>;
  start(): Promise<void>;
};

const integers = (values: number[]) =>
  `*${values.length}\r\n${values.map((value) => `:${value}\r\n`).join('')}`;
const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

export async function startRedisStandIn(): Promise<RedisStandIn> {
  const counters = new Map<string, { count: number; endsAt: number }>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
      for (let command = takeCommand(received); command; command = takeCommand(received)) {
        received = received.slice(command.length);
        if (!redis.isSilent) socket.write(answer(command.words));
      }
    });
  });

  function answer([name = '', ...rest]: string[]): string {
    switch (name.toUpperCase()) {
      case 'EVAL': {
        const [, , key = '', windowMs] = rest;
        const known = counters.get(key);
        const counter =
          known && known.endsAt > redis.now ? known : { count: 0, endsAt: redis.now + Number(windowMs) };
        counters.set(key, counter);
        counter.count++;
        return integers([counter.count, counter.endsAt - redis.now]);
      }
      case 'INFO':
        return bulk('redis_version:7.4.0\r\nloading:0\r\n');
      case 'HELLO':
        return `%1\r\n${bulk('proto')}:3\r\n`;
      default:
        return '+OK\r\n';
    }
  }

  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const redis = { now: 0, isSilent: false };
  const port = await listen(0);
  return Object.assign(redis, {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    start: async () => void (await listen(port)),
  });
}

/** The first command in what was received, an array of bulk strings; null while it is not complete. */
function takeCommand(received: string): { words: string[]; length: number } | null {
  const head = /^\*(\d+)\r\n/.exec(received);
  if (!head) return null;
  let at = head[0].length;
  const words: string[] = [];
  while (words.length < Number(head[1])) {
    const size = /^\$(\d+)\r\n/.exec(received.slice(at));
    if (!size) return null;
    at += size[0].length;
    const end = at + Number(size[1]);
    if (received.length < end + 2) return null;
    words.push(received.slice(at, end));
    at = end + 2;
  }
  return { words, length: at };
}
