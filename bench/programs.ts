/** Programs of other people that are used where they are there, and never needed. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Where Debian keeps the programs of Postgres, a folder for each version. */
const POSTGRES = '/usr/lib/postgresql';

function folders(): string[] {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES) : [];
  const newestFirst = versions.toSorted((one, other) => Number(other) - Number(one));
  return [
    ...(process.env['PATH'] ?? '').split(path.delimiter),
    ...newestFirst.map((version) => path.join(POSTGRES, version, 'bin')),
  ];
}

export function findProgram(name: string): string | null {
  for (const folder of folders()) {
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // It is not in this folder.
    }
  }
  return null;
}
