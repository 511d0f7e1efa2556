import type { ValuesImportOptions } from '@saldo/sdk';
import { isGzip, isNdjson } from '../ui/file-names.ts';

/** The first characters of a file, unpacked. Empty for a file that cannot be unpacked: the server explains it. */
async function beginningOf(file: File): Promise<string> {
  const stream: ReadableStream<Uint8Array> = isGzip(file)
    ? file.stream().pipeThrough(new DecompressionStream('gzip'))
    : file.stream();
  const reading = stream.getReader();
  try {
    const { value } = await reading.read();
    // The decoder drops a byte order mark. Other character sets of interchanges have the same first 128 characters.
    return new TextDecoder().decode(value?.subarray(0, 200));
  } catch {
    return '';
  } finally {
    await reading.cancel().catch(() => {});
  }
}

/** MSCONS files have many extensions, so they are recognised by their first segment. */
export async function valuesFormatOf(file: File): Promise<ValuesImportOptions['format']> {
  const beginning = (await beginningOf(file)).trimStart();
  if (/^UN[AB]/.test(beginning)) return 'mscons';
  return isNdjson(file) ? 'ndjson' : 'csv';
}
