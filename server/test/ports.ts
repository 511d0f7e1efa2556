import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a free port, for a server that needs its port number in advance. */
export async function freePort(): Promise<number> {
  const finder = createServer().listen(0, '127.0.0.1');
  await once(finder, 'listening');
  const { port } = finder.address() as AddressInfo;
  finder.close();
  await once(finder, 'close');
  return port;
}
