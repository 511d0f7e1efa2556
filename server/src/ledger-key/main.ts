/** Entry point of `saldo ledger rotate-key`. */
import { existsSync } from 'node:fs';
import { explain } from '../backup/explain.ts';
import { readLedgerKeyFile } from '../start/config.ts';
import { ConfigError } from '../start/config-error.ts';
import { readLedgerKey, renewLedgerKey } from '../start/ledger-key-file.ts';

/** The database gets the public key with the first seal that is signed with it. */
async function main(): Promise<void> {
  const file = readLedgerKeyFile(process.env);
  if (!existsSync(file))
    throw new ConfigError(
      `LEDGER_KEY_FILE must be a file that exists, but "${file}" does not. Start the server once.`,
    );
  readLedgerKey(file);
  const { publicKey } = await renewLedgerKey(file);
  process.stdout.write(
    `The key in ${file} is new. Its public key is ${publicKey.toString('base64')}.\n` +
      'The next seal is signed with it. Copy the file to the other machines of the platform.\n',
  );
}

await main().catch((error: unknown) => {
  process.stderr.write(`Not completed: ${explain(error)}\n`);
  process.exitCode = 1;
});
