import { REAL_DEPENDENCIES } from './retry.ts';
import { hasXhr, sendByXhr, type UploadProgress } from './xhr.ts';

type Chunk = Uint8Array | string;
type SingleUse = ReadableStream<Uint8Array> | AsyncIterable<Chunk>;
type Repeatable = Blob | string | Uint8Array<ArrayBuffer>;

/**
 * Sources of an upload. A stream can be read only once, so its upload is not retried; a function that opens a new
 * stream allows retries.
 */
export type UploadSource = Repeatable | SingleUse | (() => SingleUse | Repeatable);

export const isRepeatable = (source: UploadSource): boolean =>
  typeof source === 'function' || isWhole(source);

const isWhole = (source: unknown): source is Repeatable =>
  typeof source === 'string' || source instanceof Blob || source instanceof Uint8Array;

type Sending = {
  readonly init: RequestInit & { readonly signal: AbortSignal };
  readonly source: UploadSource;
  readonly onProgress: (progress: UploadProgress) => void;
};

/** Sends a source for one attempt and reports its progress. */
export async function sendUpload(
  fetch: typeof globalThis.fetch,
  url: string,
  { init, source, onProgress }: Sending,
): Promise<Response> {
  const opened = typeof source === 'function' ? source() : source;
  // Browsers send streams over HTTP/2 only, and report upload progress only through XMLHttpRequest.
  if (fetch === REAL_DEPENDENCIES.fetch && hasXhr()) {
    return sendByXhr(url, init, await blobOf(opened), onProgress);
  }
  return fetch(url, { ...init, ...(await openUpload(opened, onProgress)) });
}

const blobOf = async (source: Repeatable | SingleUse): Promise<Blob> =>
  isWhole(source) ? new Blob([source]) : new Response(streamOf(chunksOf(source), () => {})).blob();

/** Opens a source for one attempt and counts the bytes that are read. */
async function openUpload(
  opened: Repeatable | SingleUse,
  onProgress: (progress: UploadProgress) => void,
): Promise<RequestInit> {
  const totalBytes = isWhole(opened) ? new Blob([opened]).size : null;
  let bytes = 0;
  onProgress({ bytes, totalBytes });
  const counted = streamOf(chunksOf(opened), (length) => {
    bytes += length;
    onProgress({ bytes, totalBytes });
  });
  if (sendsStreams()) return { body: counted, duplex: 'half' } as RequestInit;
  // Such a browser cannot send a stream; a blob at least need not be in memory.
  return { body: opened instanceof Blob ? opened : await new Response(counted).blob() };
}

function chunksOf(source: Repeatable | SingleUse): AsyncIterator<Chunk> {
  const stream = isWhole(source) ? new Blob([source]).stream() : source;
  if (!(stream instanceof ReadableStream)) return stream[Symbol.asyncIterator]();
  // Not every browser supports async iteration of a stream, but all support a reader.
  const reader = stream.getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? { done, value: undefined } : { done: false, value };
    },
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

function streamOf(chunks: AsyncIterator<Chunk>, count: (length: number) => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) {
        controller.close();
        return;
      }
      const chunk = typeof value === 'string' ? encoder.encode(value) : value;
      controller.enqueue(chunk);
      count(chunk.byteLength);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}

/** Without support for stream bodies, `Request` converts a stream to text and sets a media type. */
function sendsStreams(): boolean {
  let asked = false;
  const probe = new Request('https://probe.invalid', {
    method: 'POST',
    body: new ReadableStream(),
    get duplex() {
      asked = true;
      return 'half';
    },
  } as RequestInit);
  return asked && !probe.headers.has('content-type');
}
