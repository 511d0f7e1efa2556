import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { listTables } from '../src/backup/catalogue.ts';
import { copyTarget } from '../src/backup/format.ts';

/** All rows of all tables in COPY's text format, as `pg_dump` writes them: `bytea` is in hexadecimal. */
export async function dumpDatabase(url: string): Promise<Buffer> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const chunks: Buffer[] = [];
    for (const table of await listTables(client)) {
      const rows = client.query(copyTo(`copy ${copyTarget(table)} to stdout`)) as AsyncIterable<Buffer>;
      for await (const chunk of rows) chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    await client.end();
  }
}

/** A secret as people and programs have it, or its bytes. */
export type Secret = string | Uint8Array;

const encodingsOf = (bytes: Buffer): Buffer[] => [
  bytes,
  ...(['hex', 'base64', 'base64url'] as const).map((encoding) =>
    // The padding of base64 differs where more text follows.
    Buffer.from(bytes.toString(encoding).replace(/=+$/, '')),
  ),
];

/** Every form in which the secret could be stored: as it is, without its prefix, decoded, and each of them encoded. */
function formsOf(secret: Secret): Buffer[] {
  if (typeof secret !== 'string') return encodingsOf(Buffer.from(secret));
  const parts = [secret, secret.slice(secret.lastIndexOf('_') + 1)];
  const decoded = parts.flatMap((part) => [Buffer.from(part, 'base64'), Buffer.from(part, 'hex')]);
  // A few bytes can be found anywhere by chance.
  return [...parts.map((part) => Buffer.from(part)), ...decoded]
    .filter(({ length }) => length >= 8)
    .flatMap(encodingsOf);
}

/** The names of the secrets that the text reveals in some form. */
export const revealedIn = (text: Buffer, secrets: Readonly<Record<string, Secret>>): string[] =>
  Object.keys(secrets).filter((name) => formsOf(secrets[name]!).some((form) => text.includes(form)));
