export type UploadProgress = {
  /** Bytes sent so far. */
  readonly bytes: number;
  /** The total, if known. */
  readonly totalBytes: number | null;
};

/** XMLHttpRequest exists in pages only. */
export const hasXhr = (): boolean => typeof XMLHttpRequest === 'function';

/** Sends a file from a page and reports upload progress, which `fetch` cannot. */
export function sendByXhr(
  url: string,
  init: RequestInit & { readonly signal: AbortSignal },
  body: Blob,
  onProgress: (progress: UploadProgress) => void,
): Promise<Response> {
  const xhr = new XMLHttpRequest();
  const { signal } = init;
  const report = (bytes: number) => onProgress({ bytes, totalBytes: body.size });
  return new Promise<Response>((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => xhr.abort();
    signal.addEventListener('abort', stop, { once: true });
    xhr.open(init.method ?? 'POST', url);
    for (const [name, value] of new Headers(init.headers)) xhr.setRequestHeader(name, value);
    report(0);
    xhr.upload.addEventListener('progress', ({ loaded }) => report(loaded));
    xhr.addEventListener('load', () => resolve(responseOf(xhr)));
    xhr.addEventListener('error', () => reject(new TypeError('the network failed')));
    xhr.addEventListener('abort', () => reject(signal.reason as Error));
    // `loadend` follows each of these events.
    xhr.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    xhr.send(body);
  });
}

function responseOf(xhr: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return new Response(xhr.status === 204 ? null : xhr.responseText, { status: xhr.status, headers });
}
