import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port that is free now, for a server that must be told its own. */
export async function freePort(): Promise<number> {
  const finder = createServer().listen(0, '127.0.0.1');
  await once(finder, 'listening');
  const { port } = finder.address() as AddressInfo;
  finder.close();
  await once(finder, 'close');
  return port;
}
