import { type Dependencies, withTimeout } from './retry.ts';

/** A file that the server sends as a stream. */
export type Download = {
  /** As the server names it. */
  readonly fileName: string;
  readonly mediaType: string;
  /** Of an export: the instant of its records, and the id of its manifest. Null for other files. */
  readonly asOf: string | null;
  readonly exportId: string | null;
  /**
   * Read at your own speed. It fails if the connection breaks before the end of the file, so a stream that ends is
   * complete. Cancel it to stop the transfer.
   */
  readonly body: ReadableStream<Uint8Array>;
  /**
   * Writes the file, in Node.js only: under a temporary name beside it, and renamed when it is complete. An earlier file of
   * that name is replaced then. A transfer that fails leaves no file.
   */
  saveTo(path: string): Promise<void>;
};

type Settings = {
  /** Limit for each part of the file. Time in which the caller does not read is not counted. */
  readonly timeoutMs: number;
  readonly dependencies: Dependencies;
  readonly signal: AbortSignal | undefined;
  readonly fail: (error: unknown) => Error;
};

export function downloadOf(response: Response, settings: Settings): Download {
  const { headers } = response;
  const body = response.body === null ? new Blob([]).stream() : watched(response.body, settings);
  return {
    fileName: fileNameOf(response),
    mediaType: (headers.get('content-type') ?? '').split(';', 1)[0] ?? '',
    asOf: headers.get('x-saldo-as-of'),
    exportId: headers.get('x-saldo-export-id'),
    body,
    // Loaded at the first use: browsers do not need it.
    saveTo: async (path) => (await import('./save-download.ts')).saveDownload(body, path),
  };
}

/** The name that the server gives a file. */
export const fileNameOf = ({ headers }: Response): string =>
  /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? 'download';

function watched(
  body: ReadableStream<Uint8Array>,
  { timeoutMs, dependencies, signal, fail }: Settings,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const read = (inner: AbortSignal) =>
    new Promise<ReadableStreamReadResult<Uint8Array>>((resolve, reject) => {
      const stop = () => reject(inner.reason as Error);
      inner.addEventListener('abort', stop, { once: true });
      if (inner.aborted) stop();
      else reader.read().then(resolve, reject);
    });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await withTimeout(timeoutMs, dependencies, signal, read);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          reader.cancel(error).catch(() => {});
          signal?.throwIfAborted();
          throw fail(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Without a buffer of its own, so that the server is not asked for more than is read.
    { highWaterMark: 0 },
  );
}

/** The records of NDJSON, as they arrive. Leaving the iteration early stops the transfer. */
export async function* recordsOf<T>({ body }: Download): AsyncGenerator<T, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as T;
    }
  } finally {
    await reader.cancel();
  }
}
