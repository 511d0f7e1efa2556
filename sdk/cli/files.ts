import { stat } from 'node:fs/promises';
import { UsageError } from './usage.ts';

/** How many bytes a file has that a person has named. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: Error) => {
    throw new UsageError(`the file cannot be read: ${error.message}`);
  });
  if (!found.isFile()) throw new UsageError(`${file} is not a file`);
  return found.size;
}
