import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Tenant } from '../events/store.ts';
import { ByteWriter } from '../platform/bytes/byte-writer.ts';
import { newId } from '../platform/db/new-id.ts';

/** A request as it is stored. Times are those of its answer. */
export type RequestRecord = {
  readonly at: number;
  readonly ms: number;
  readonly method: string;
  /** Null for a path that does not exist. */
  readonly route: string | null;
  readonly path: string;
  readonly status: number;
  readonly requestId: string;
  readonly caller: string;
  readonly address: string;
  readonly userAgent: string | null;
  readonly problem: string | null;
};

/** The requests of a batch are of one owner and one window of time, so that readers know how far back a batch reaches. */
export const WINDOW_MS = 10_000;
/** More make a page dearer to read, fewer take more space. */
export const REQUESTS_PER_BATCH = 500;
const FIRST_BYTES = 1024;
/** Below it, creating the compressor takes longer than writing the bytes. */
const COMPRESSED_FROM_BYTES = 2048;
/** The first byte of a text is that of `[`. */
const ZSTD_MAGIC = 0x28;

/** FNV-1a with 32 bits, as Postgres's `int`. */
export function idHash(requestId: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < requestId.length; at++) hash = Math.imul(hash ^ requestId.charCodeAt(at), 0x01000193);
  return hash | 0;
}

export const statusClassOf = (status: number): number => Math.floor(status / 100);

type Kind = readonly [caller: string, method: string, statusClass: number, route: string];

/** A batch that is being filled. Requests are text at once: as objects they would be copied by the garbage collector. */
export class Batch {
  readonly id = newId();
  readonly tenant: Tenant;
  lastAt = 0;
  readonly idHashes: number[] = [];
  private readonly kinds = new Map<string, Kind>();
  private readonly lines = new ByteWriter(FIRST_BYTES);

  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }

  get count(): number {
    return this.idHashes.length;
  }

  /** Whether a request of this time belongs to another batch. */
  isClosedFor(at: number): boolean {
    if (this.count === 0) return false;
    return this.count >= REQUESTS_PER_BATCH || windowOf(at) !== windowOf(this.lastAt);
  }

  add(record: RequestRecord): void {
    const { at, ms, method, route, path, status, requestId, caller } = record;
    // The texts without `quote` are ours or checked. Passing everything to `JSON.stringify` takes half as much again.
    this.lines.utf8(
      `[${at},${ms},"${method}",${quote(route)},${quote(path)},${status},"${requestId}","${caller}",` +
        `${quote(record.address)},${quote(record.userAgent)},${quote(record.problem)}]\n`,
    );
    this.lastAt = Math.max(this.lastAt, at);
    this.idHashes.push(idHash(requestId));
    const statusClass = statusClassOf(status);
    const kind = `${caller} ${method} ${statusClass} ${route ?? ''}`;
    if (!this.kinds.has(kind)) this.kinds.set(kind, [caller, method, statusClass, route ?? '']);
  }

  /** The combinations of caller, method, status class and route that occur, column by column. */
  columns() {
    const kinds = [...this.kinds.values()];
    return {
      callers: kinds.map(([caller]) => caller),
      methods: kinds.map(([, method]) => method),
      statusClasses: kinds.map(([, , statusClass]) => statusClass),
      routes: kinds.map(([, , , route]) => route),
    };
  }

  /** Compressed at once, which takes a tenth of a millisecond: in the thread pool it took up to ten times as long. */
  body(): Buffer {
    const text = this.lines.written();
    return text.length < COMPRESSED_FROM_BYTES ? text : zstdCompressSync(text);
  }
}

const quote = (text: string | null) => JSON.stringify(text);

const windowOf = (at: number) => Math.floor(at / WINDOW_MS);

type Line = [
  ...[at: number, ms: number, method: string, route: string | null, path: string, status: number],
  ...[requestId: string, caller: string, address: string, userAgent: string | null, problem: string | null],
];

/** The requests of a stored batch, oldest first. */
export function readBody(body: Buffer): RequestRecord[] {
  const text = (body[0] === ZSTD_MAGIC ? zstdDecompressSync(body) : body).toString();
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const [at, ms, method, route, path, status, requestId, caller, address, userAgent, problem] =
        JSON.parse(line) as Line;
      return { at, ms, method, route, path, status, requestId, caller, address, userAgent, problem };
    });
}
