import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { LuaFactory } from 'wasmoon';

/**
 * The part of Redis that the rate limiter needs: counters that expire on a clock that the test sets, and a Lua
 * interpreter for scripts on them. With `isSilent` it accepts connections without answering.
 */
export type RedisStandIn = {
  readonly url: string;
  now: number;
  isSilent: boolean;
  stop(): Promise<void>;
  start(): Promise<void>;
};

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** A value in RESP: Redis returns integers for numbers, and arrays for Lua's tables. */
const encode = (value: unknown): string =>
  Array.isArray(value)
    ? `*${value.length}\r\n${value.map(encode).join('')}`
    : typeof value === 'number'
      ? `:${value}\r\n`
      : bulk(String(value));

export async function startRedisStandIn(): Promise<RedisStandIn> {
  const lua = await new LuaFactory().createEngine();
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

  function call(name: unknown, key: unknown, argument: unknown): number {
    if (typeof key !== 'string') throw new Error('ERR a key must be a string');
    const known = counters.get(key);
    const counter = known && known.endsAt > redis.now ? known : null;
    switch (name) {
      case 'INCR': {
        const counted = counter ?? { count: 0, endsAt: Number.POSITIVE_INFINITY };
        counters.set(key, counted);
        return ++counted.count;
      }
      case 'PEXPIRE':
        if (!/^\d+$/.test(String(argument))) throw new Error('ERR value is not an integer or out of range');
        if (counter) counter.endsAt = redis.now + Number(argument);
        return counter ? 1 : 0;
      case 'PTTL':
        if (!counter) return -2;
        return counter.endsAt === Number.POSITIVE_INFINITY ? -1 : counter.endsAt - redis.now;
      default:
        throw new Error(`ERR unknown command '${String(name)}'`);
    }
  }
  lua.global.set('redis', { call });

  function runScript(script: string, keyCount: number, words: string[]): unknown {
    lua.global.set('KEYS', words.slice(0, keyCount));
    lua.global.set('ARGV', words.slice(keyCount));
    return lua.doStringSync(script);
  }

  function answer([name = '', ...rest]: string[]): string {
    switch (name.toUpperCase()) {
      case 'INFO':
        return bulk('redis_version:7.4.0\r\nloading:0\r\n');
      case 'HELLO':
        return `%1\r\n${bulk('proto')}:3\r\n`;
      case 'CLIENT':
        return '+OK\r\n';
    }
    try {
      const [script = '', keyCount = '', ...words] = rest;
      return encode(
        name.toUpperCase() === 'EVAL'
          ? runScript(script, Number(keyCount), words)
          : call(name.toUpperCase(), rest[0], rest[1]),
      );
    } catch (error) {
      return `-${(error as Error).message.replaceAll(/\s+/g, ' ')}\r\n`;
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

/** The first command in the received bytes, an array of bulk strings; null while it is incomplete. */
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
