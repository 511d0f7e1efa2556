/** HTTP client of the load generator. It parses only the status and the length of a response. */
import { connect, type Socket } from 'node:net';

/** A request with a body is a POST of JSON. */
export type Target = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

const PATIENCE_MS = 10_000;

export type Answer = { readonly status: number; readonly head: string; readonly body: readonly Buffer[] };

/** A connection that sends requests sequentially. */
export class Connection {
  private readonly socket: Socket;
  private received: Buffer = Buffer.alloc(0);
  private bodyLength = -1;
  private chunks: Buffer[] = [];
  private length = 0;
  private head = '';
  private isAsked = false;
  private resolve: (answer: Answer) => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setTimeout(PATIENCE_MS, () => {
      // An idle connection has no timeout.
      if (this.isAsked) this.socket.destroy(new Error('no answer within 10 s'));
    });
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', (error) => this.reject(error));
    this.socket.on('close', () => this.reject(new Error('the server closed the connection')));
  }

  send(request: Buffer): Promise<Answer> {
    if (this.socket.destroyed) return Promise.reject(new Error('the connection is closed'));
    this.isAsked = true;
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.socket.write(request);
    });
  }

  private read(chunk: Buffer): void {
    if (this.bodyLength < 0) {
      this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
      const end = this.received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.received.toString('latin1', 0, end);
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      if (length === undefined) {
        this.socket.destroy(new Error(`unexpected answer: ${this.received}`));
        return;
      }
      this.head = head;
      this.bodyLength = Number(length);
      this.take(this.received.subarray(end + 4));
      this.received = Buffer.alloc(0);
    } else {
      this.take(chunk);
    }
    if (this.length < this.bodyLength) return;
    const body = this.chunks;
    this.chunks = [];
    this.length = 0;
    this.bodyLength = -1;
    this.isAsked = false;
    this.resolve({ status: Number(this.head.slice(9, 12)), head: this.head, body });
  }

  /** Returns the body of a successful response, and throws otherwise. */
  async get(request: Buffer): Promise<readonly Buffer[]> {
    const { status, head, body } = await this.send(request);
    if (status !== 200) throw new Error(`unexpected answer: ${head}\n${Buffer.concat(body)}`);
    return body;
  }

  private take(part: Buffer): void {
    this.chunks.push(part);
    this.length += part.length;
  }

  close(): void {
    this.socket.removeAllListeners('close');
    this.socket.destroy();
  }
}

export const requestOf = ({ path, headers, body }: Target): Buffer => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body === undefined)
    return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`);
  lines.push(`content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n${body}`);
};
