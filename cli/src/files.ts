import { stat } from 'node:fs/promises';
import { UsageError } from './usage.ts';

/** The size in bytes of a file that the user named. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: Error) => {
    throw new UsageError(`the file cannot be read: ${error.message}`);
  });
  if (!found.isFile()) throw new UsageError(`${file} is not a file`);
  return found.size;
}
