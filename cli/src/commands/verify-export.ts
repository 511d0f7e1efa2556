import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ExportFormat, ExportManifest, Seal } from '@saldo/api';
import { sealText } from '@saldo/core/ledger/tree.ts';
import type { Download } from '@saldo/sdk';
import type { Command } from 'commander';
import { readJson } from '../files.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

/** The file beside an export that identifies it, with its manifest once that was read. */
type SideFile = {
  readonly export_id: string;
  readonly as_of: string;
  readonly format: ExportFormat;
  readonly manifest: ExportManifest | null;
};

const sideFileOf = (file: string) => `${file}.manifest.json`;

const writeSideFile = (file: string, content: SideFile) =>
  writeFile(sideFileOf(file), `${JSON.stringify(content, null, 2)}\n`);

/** Writes the id of an export to its side file. An export without an id deletes the side file of an earlier export. */
export async function noteExport(
  file: string,
  { exportId, asOf }: Download,
  format: ExportFormat,
): Promise<void> {
  if (exportId === null || asOf === null) await rm(sideFileOf(file), { force: true });
  else await writeSideFile(file, { export_id: exportId, as_of: asOf, format, manifest: null });
}

export function addVerifyExport(program: Command, open: OpenSession): void {
  const command = program
    .command('verify-export <file>')
    .description('compare an exported file with its manifest, which is read once and kept beside the file')
    .option(
      '--public-key <file>',
      'also check the seal: the answer of GET /v1/ledger/key, or the key in base64',
    );
  addExamples(
    command,
    'verify-export october.parquet',
    'verify-export october.parquet --public-key saldo-key.json',
  ).action(
    doing(open, async (session, { args: [name = ''] }) => {
      const { publicKey } = command.opts<{ publicKey?: string }>();
      const file = path.resolve(session.terminal.cwd, name);
      const { format, manifest } = await completeSideFile(session, file, publicKey !== undefined);
      const found = await digestOf(file, format);
      const faults = faultsOf(found, manifest);
      if (publicKey !== undefined)
        faults.push(...sealFaults(manifest.seal, await readKeys(publicKey, session.terminal)));
      await report(session, name, manifest, faults, publicKey !== undefined);
      if (faults.length > 0) session.endWith(1);
    }),
  );
}

/** Reads the manifest from the platform if the side file has none, or none with a seal that is needed. */
async function completeSideFile(session: Session, file: string, needsSeal: boolean) {
  const side = (await readJson(sideFileOf(file), session.terminal)) as SideFile;
  if (side.manifest !== null && (!needsSeal || side.manifest.seal !== null))
    return { ...side, manifest: side.manifest };
  // The platform makes the file again, which takes as long as the export did.
  const { exports } = await session.client();
  const manifest = await exports.manifest(side.export_id, { timeoutMs: 0 });
  const complete = { ...side, manifest };
  await writeSideFile(file, complete);
  return complete;
}

type Digest = {
  /** Null for Parquet, whose rows the hash covers. */
  readonly rows: number | null;
  readonly sha256: string;
};

const NEWLINE = 10;

async function digestOf(file: string, format: ExportFormat): Promise<Digest> {
  const hash = createHash('sha256');
  let lines = 0;
  try {
    for await (const chunk of createReadStream(file, {
      highWaterMark: 1024 * 1024,
    }) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      if (format === 'parquet') continue;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
    }
  } catch (error) {
    throw new UsageError(`the file cannot be read: ${(error as Error).message}`);
  }
  const rows = { csv: Math.max(0, lines - 1), ndjson: lines, parquet: null }[format];
  return { rows, sha256: hash.digest('hex') };
}

function faultsOf({ rows, sha256 }: Digest, manifest: ExportManifest): string[] {
  const faults: string[] = [];
  if (rows !== null && rows !== manifest.rows)
    faults.push(`the file has ${rows} rows, the manifest ${manifest.rows}`);
  if (sha256 !== manifest.sha256) faults.push(`SHA-256 is ${sha256}, in the manifest ${manifest.sha256}`);
  return faults;
}

async function report(
  session: Session,
  name: string,
  manifest: ExportManifest,
  faults: readonly string[],
  withSeal: boolean,
): Promise<void> {
  if (session.format !== 'text') return session.show({ agrees: faults.length === 0, faults, manifest });
  const seal = withSeal ? `, sealed at ${manifest.seal?.sealed_at}` : '';
  await session.print(
    faults.length === 0
      ? `${name} agrees with its manifest: ${manifest.rows} rows as of ${manifest.as_of}${seal}.\n`
      : `${name} differs from its manifest: ${faults.join('; ')}.\n`,
  );
}

/** The members `public_key` of a JSON document, or the whole text. */
async function readKeys(name: string, { cwd }: Terminal): Promise<string[]> {
  const text = await readFile(path.resolve(cwd, name), 'utf8').catch((error: Error) => {
    throw new UsageError(`${name} cannot be read: ${error.message}`);
  });
  const keys = [...text.matchAll(/"public_key"\s*:\s*"([^"]+)"/g)].map(([, key]) => key!);
  return keys.length > 0 ? keys : [text.trim()];
}

const KEY_BYTES = 32;

/** A seal is missing until the ledger is sealed after the instant of the export. */
function sealFaults(seal: Seal | null, keys: readonly string[]): string[] {
  if (seal === null) return ['the ledger has not been sealed since, repeat the command later'];
  const { tree_size, root_hash, sealed_at, signature } = seal;
  const signed = Buffer.from(sealText(tree_size, root_hash, sealed_at));
  const isSigned = keys.some((text) => {
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length !== KEY_BYTES) throw new UsageError('a public key has 32 bytes in base64');
    const key = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
    return verify(null, signed, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64'));
  });
  return isSigned ? [] : ['the signature of the seal is not by this key'];
}
