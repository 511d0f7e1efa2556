import path from 'node:path';
import { type LedgerKey, type Proof, SaldoProofError, verifyProof } from '@saldo/sdk';
import type { Command } from 'commander';
import { readJson } from '../files.ts';
import { UsageError } from '../usage.ts';
import { runCheckoutProgram } from './checkout-program.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

const PROGRAM = 'server/src/verification/main.ts';
const DIFFERS = 1;

const VERIFY_NOTES = `
Every entry of the ledger is computed again from the database and compared with what was stored when it was committed, and every
seal with the tree and its key. The exit code is 0 if all agree and 1 if something differs; then each difference is printed.
Seals that were kept elsewhere also show whether the whole tree was rewritten, or is that of an old backup.
The database is that of DATABASE_URL, else the embedded one in DATA_DIR, as for the server, which may run.`;

const PROOF_NOTES = `
The proof is the answer of /proof of a transaction or a nomination, the key that of /ledger/key, best of an earlier day. No
connection is needed. The exit code is 0 if the proof is valid and 1 if it is not.`;

export function addVerifyCommands(program: Command, open: OpenSession): void {
  const verify = program
    .command('verify')
    .description('compare the ledger with the database, on the server’s machine')
    .option('--since <instant>', 'compare records since then only; the tree is rebuilt as a whole')
    .option(
      '--seals <file>',
      'also compare with these seals: an answer of /ledger/seals that was kept elsewhere',
    )
    .addHelpText('after', VERIFY_NOTES);
  addExamples(
    verify,
    'verify',
    'verify --seals /mnt/elsewhere/seals.json',
    'verify --since 2026-10-25T00:00:00Z',
  ).action(
    doing(open, async (session, { command }) => {
      const { since, seals } = command.opts<{ since?: string; seals?: string }>();
      if (since !== undefined && Number.isNaN(Date.parse(since)))
        throw new UsageError(`--since must be an instant like 2026-10-25T00:00:00Z, not ${since}`);
      await runCheckoutProgram(session, 'verify', PROGRAM, [
        ...(since === undefined ? [] : ['--since', since]),
        ...(seals === undefined ? [] : ['--seals', path.resolve(session.terminal.cwd, seals)]),
      ]);
    }),
  );
  const proof = program
    .command('verify-proof <file>')
    .description('verify a proof of the ledger, without a connection')
    .requiredOption('--public-key <file>', 'the answer of /ledger/key')
    .addHelpText('after', PROOF_NOTES);
  addExamples(proof, 'verify-proof proof.json --public-key key.json').action(
    doing(open, async (session, { args: [file = ''], command }) => {
      const { publicKey } = command.opts<{ publicKey: string }>();
      const [given, key] = [
        await readJson(file, session.terminal),
        await readJson(publicKey, session.terminal),
      ];
      if (!isObject(given) || !isObject(key) || !('public_key' in key))
        throw new UsageError(`${publicKey} is not an answer of /ledger/key, or ${file} is not a proof`);
      try {
        const { entry, sealed_at } = await verifyProof(given as Proof, key as LedgerKey);
        await session.show({ ...entry, sealed_at });
        session.note(`The proof is valid: the ledger had this entry at ${sealed_at}.`);
      } catch (error) {
        if (!(error instanceof SaldoProofError)) throw error;
        session.complain(`The proof is not valid. ${error.message}`);
        session.endWith(DIFFERS);
      }
    }),
  );
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
