import { connect } from 'node:net';

export type RawAnswer = { status: number; headers: Record<string, string>; body: string };

/** Sends raw bytes, which no HTTP client would, and reads until the server closes the connection. */
export function exchange(baseUrl: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // The server may close the connection while the client is still sending. Its answer counts.
    socket.on('error', (error) => chunks.length === 0 && reject(error));
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(chunks).toString())));
  });
}

export function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  };
}

/** A request as text, on a connection that closes after its answer. */
export const requestText = (line: string, headers: Record<string, string> = {}, body = ''): string => {
  const lines = Object.entries({ Host: 'test', Connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
};
