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
const REQUESTS_PER_BATCH = 500;
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

/** A batch that is being filled. Requests are text at once: as objects they would be copied by the garbage collector. */
export class Batch {
  readonly id = newId();
  readonly tenant: Tenant;
  lastAt = 0;
  readonly idHashes: number[] = [];
  /** By caller and route, the status classes with methods: `2 GET`. */
  private readonly kinds = new Map<string, Map<string, Set<string>>>();
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
    const { at, ms, method, route, path, status, requestId, caller, address, userAgent, problem } = record;
    // Texts of ours need no escaping, and the request id is checked. Passing the whole line to `JSON.stringify` takes half as much again.
    this.lines.utf8(
      `[${at},${ms},"${method}",${ours(route)},${JSON.stringify(path)},${status},"${requestId}","${caller}",` +
        `${JSON.stringify(address)},${JSON.stringify(userAgent)},${ours(problem)}]\n`,
    );
    this.lastAt = Math.max(this.lastAt, at);
    this.idHashes.push(idHash(requestId));
    // Nested, because these two texts are the same objects for many requests: their hashes are computed once.
    const ofCaller = this.kinds.getOrInsertComputed(caller, () => new Map<string, Set<string>>());
    ofCaller.getOrInsertComputed(route ?? '', () => new Set()).add(`${statusClassOf(status)} ${method}`);
  }

  /** The combinations of caller, method, status class and route that occur, column by column. */
  columns() {
    const kinds = Array.from(this.kinds, ([caller, routes]) =>
      Array.from(routes, ([route, answers]) => Array.from(answers, (answer) => ({ caller, route, answer }))),
    ).flat(2);
    return {
      callers: kinds.map(({ caller }) => caller),
      methods: kinds.map(({ answer }) => answer.slice(2)),
      statusClasses: kinds.map(({ answer }) => Number(answer[0])),
      routes: kinds.map(({ route }) => route),
    };
  }

  /** Compressed at once, which takes a tenth of a millisecond: in the thread pool it took up to ten times as long. */
  body(): Buffer {
    const text = this.lines.written();
    return text.length < COMPRESSED_FROM_BYTES ? text : zstdCompressSync(text);
  }
}

const ours = (text: string | null) => (text === null ? 'null' : `"${text}"`);

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
