import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './ports.ts';

export type RedisServer = { readonly url: string; stop(): Promise<void> };

/** A real `redis-server` without persistence, or null if none is installed. */
export async function startRedisServer(): Promise<RedisServer | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'saldo-redis-'));
  const port = String(await freePort());
  const settings = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ];
  const child = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close').catch((error: NodeJS.ErrnoException) => error);
  const ready = new Promise<void>((resolve) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ready to accept connections')) resolve();
    });
  });
  const outcome = await Promise.race([ready, ended]);
  if (outcome !== undefined) {
    await rm(folder, { recursive: true, force: true });
    if (outcome instanceof Error && outcome.code === 'ENOENT') return null;
    throw new Error('redis-server did not start', { cause: outcome });
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
