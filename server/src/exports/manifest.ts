import { createHash } from 'node:crypto';
import { EXPORT_FORMATS, type ExportManifest } from '@saldo/api';
import { type Owner, ownerKey } from '../platform/auth/principal.ts';
import type { CursorSealer } from '../platform/http/cursor.ts';
import type { Exported, ExportFile } from './files.ts';
import type { Chunks } from './parquet.ts';

/** A file as of an instant. */
export type DatedFile = ExportFile & { readonly asOf: number };

/**
 * The id of an export is what its file was made from, signed: a read stores nothing. Only its owner can open it, and the filters
 * in it were validated when it was made.
 */
export function exportIds(sealer: CursorSealer) {
  const bindingOf = (owner: Owner) => JSON.stringify([ownerKey(owner), 'export']);
  return {
    seal({ subject, query, format, asOf }: DatedFile, owner: Owner): string {
      const { format: _format, as_of: _asOf, ...filters } = query;
      return sealer.seal(bindingOf(owner), [subject, format, asOf, JSON.stringify(filters)]);
    },
    /** Null for an id that the platform did not give to this owner. */
    open(id: string, owner: Owner): DatedFile | null {
      const [subject, format, asOf, filters] = sealer.open(bindingOf(owner), id) ?? [];
      if (filters === undefined) return null;
      const exported = { subject, query: JSON.parse(String(filters)) } as Exported;
      const found = EXPORT_FORMATS.find((known) => known === format);
      return found === undefined ? null : { ...exported, format: found, asOf: Number(asOf) };
    },
  };
}

/** Makes the file again, without keeping it. `isAborted` is asked between its parts. */
export async function digestOf(
  chunks: Chunks,
  isAborted: () => boolean,
): Promise<Pick<ExportManifest, 'rows' | 'sha256'> | null> {
  const hash = createHash('sha256');
  try {
    for (;;) {
      const { done, value } = await chunks.next();
      if (done) return { rows: value, sha256: hash.digest('hex') };
      if (isAborted()) return null;
      hash.update(value);
    }
  } finally {
    await chunks.return(0);
  }
}
