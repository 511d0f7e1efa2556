import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { atEnd } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { startTestPlatform } from './harness.ts';

/** A platform whose database connection the test can close. On its own database, unless `databaseUrl` names one. */
export async function startSevered(databaseUrl?: string) {
  const connectionString = databaseUrl ?? (await createDatabase());
  const { host, port, user, password, database: name } = new pg.Client({ connectionString });
  const sockets = new Set<Socket>();
  const way = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const address = `127.0.0.1:${(way.address() as AddressInfo).port}`;
  const url = `postgres://${user}:${encodeURIComponent(password ?? '')}@${address}/${name}?sslmode=disable`;
  const cut = async () => {
    if (!way.listening) return;
    const closed = once(way, 'close');
    way.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  atEnd(cut);
  const { baseUrl, adminUrl } = await startTestPlatform({ environment: { DATABASE_URL: url } });
  return { baseUrl, adminUrl, cut };
}
