import type { Socket } from 'node:net';
import pg from 'pg';

type Connection = { attachListeners(stream: Socket): void };

/**
 * A client whose connection breaks when the server's messages make no sense. A pooler whose server fails may send the
 * beginning of a message and then an error, and the parser of `pg` throws in the listener of the socket, which would
 * end the process.
 */
export class CheckedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: Connection };
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      const before = stream.listeners('data');
      attach(stream);
      const added = stream.listeners('data').filter((listener) => !before.includes(listener));
      for (const parse of added as ((chunk: Buffer) => void)[]) {
        stream.off('data', parse);
        stream.on('data', (chunk: Buffer) => {
          // What follows the first message that makes no sense is not read.
          if (stream.destroyed) return;
          try {
            parse(chunk);
          } catch (error) {
            stream.destroy(lostConnection(error));
          }
        });
      }
    };
  }
}

/** The code makes it a lost connection for `translate`. */
const lostConnection = (cause: unknown): Error =>
  Object.assign(new Error('The server sent a malformed message.', { cause }), { code: 'ECONNRESET' });
