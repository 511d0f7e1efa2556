import { TSOS } from '@saldo/api';
import { type Check, failed, ok, warning } from '@saldo/core/check.ts';
import { type SftpSettings } from '../exchange/transport/sftp.ts';
import { sftpSession } from '../exchange/transport/sftp-session.ts';
import type { Config } from '../start/config.ts';

/** One line per TSO. `readConfig` has rejected incomplete settings. Servers are asked only if `isConnecting`. */
export async function checkTransports({ exchange }: Config, isConnecting: boolean): Promise<Check[]> {
  const { sftp, hasFolders, outboxDir, inboxDir, isSimulated } = exchange;
  const checks = TSOS.map(async (tso): Promise<Check> => {
    const server = sftp[tso];
    if (server !== undefined)
      return isConnecting ? connect(tso, server) : ok('transports', describe(tso, server));
    return hasFolders
      ? ok('transports', `${tso}: the folders ${outboxDir} and ${inboxDir}.`)
      : ok('transports', `${tso}: the folders of another process (EXCHANGE_FOLDERS=off).`);
  });
  const simulated = warning(
    'transports',
    'SIMULATE_TSO is on: the platform answers its own schedules.',
    'Remove SIMULATE_TSO before TSOs get schedules.',
  );
  return [...(await Promise.all(checks)), ...(isSimulated ? [simulated] : [])];
}

const describe = (tso: string, { user, host, port, outboxDir, inboxDir }: SftpSettings) =>
  `${tso}: the settings of sftp://${user}@${host}:${port} are complete (${outboxDir}, ${inboxDir}); --connect tries it.`;

/** Lists both folders and writes nothing. */
async function connect(tso: string, server: SftpSettings): Promise<Check> {
  const session = sftpSession(server);
  const { user, host, port, outboxDir, inboxDir } = server;
  try {
    for (const dir of [outboxDir, inboxDir])
      await session
        .request<unknown>((sftp, done) => sftp.readdir(dir, done))
        .catch((error: Error) => {
          throw new Error(`${error.message} (${dir})`, { cause: error });
        });
    return ok(
      'transports',
      `${tso}: sftp://${user}@${host}:${port} accepts the credentials and lists both folders.`,
    );
  } catch (error) {
    return failed(
      'transports',
      `${tso}: sftp://${user}@${host}:${port} cannot be used: ${(error as Error).message}`,
      'Check the entry of the TSO in EXCHANGE_TRANSPORTS with its operator: see docs/transport.md.',
    );
  } finally {
    session.close();
  }
}
