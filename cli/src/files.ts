import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage.ts';

/** What to upload, and its size if it is known. `-` is standard input, which cannot be read again for a retry. */
export async function openFile({ cwd, stdin }: Terminal, file: string) {
  if (file === '-') return { source: stdin, totalBytes: null };
  const name = path.resolve(cwd, file);
  const totalBytes = await sizeOf(name);
  return { source: () => createReadStream(name, { highWaterMark: 1024 * 1024 }), totalBytes };
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: Error) => {
    throw new UsageError(`the file cannot be read: ${error.message}`);
  });
  if (!found.isFile()) throw new UsageError(`${file} is not a file`);
  return found.size;
}

/** The value of a JSON file; `-` is standard input. */
export async function readJson(name: string, { cwd, stdin }: Terminal): Promise<unknown> {
  let text = '';
  if (name === '-') for await (const chunk of stdin.setEncoding('utf8')) text += chunk;
  else {
    text = await readFile(path.resolve(cwd, name), 'utf8').catch((error: Error) => {
      throw new UsageError(`${name} cannot be read: ${error.message}`);
    });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${(error as Error).message}`);
  }
}
