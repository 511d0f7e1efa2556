import type { Endpoint, ExportManifest, NominationWithSlots, Transaction } from '@saldo/api';
import type { Client, Input } from './client.ts';
import { type Download, recordsOf } from './download.ts';
import type { CallOptions } from './options.ts';
import type { SentQuery } from './resources.ts';

type ExportEndpoints<T extends Endpoint, N extends Endpoint> = {
  transactions: T;
  nominations: N;
  manifest: Endpoint;
};

/** An export as a file in any format, or record by record. */
export function exportMethods<Exported extends Transaction, T extends Endpoint, N extends Endpoint>(
  client: Client,
  { transactions, nominations, manifest }: ExportEndpoints<T, N>,
) {
  const file = <E extends Endpoint>(endpoint: E) => {
    const download = (query: SentQuery<E>, options?: CallOptions): Promise<Download> =>
      client.download(endpoint, { query } as unknown as Input<E>, options);
    return Object.assign(download, { endpointId: endpoint.id, isDownload: true });
  };
  const each = <E extends Endpoint, Item>(endpoint: E) => {
    const walk = async function* eachRecord(
      filter: Omit<SentQuery<E>, 'format'>,
      options?: CallOptions,
    ): AsyncGenerator<Item, void, undefined> {
      const query = { ...filter, format: 'ndjson' };
      yield* recordsOf<Item>(await client.download(endpoint, { query } as unknown as Input<E>, options));
    };
    return Object.assign(walk, { walks: endpoint.id });
  };
  const readManifest = (exportId: string, options?: CallOptions) =>
    client.call(
      manifest,
      { params: { export_id: exportId } } as unknown as Input<Endpoint>,
      options,
    ) as Promise<ExportManifest>;
  return {
    transactions: file(transactions),
    nominations: file(nominations),
    /** Rows and hash of an export, by the `exportId` of its download. The server makes the file again, which takes as long. */
    manifest: Object.assign(readManifest, { endpointId: manifest.id }),
    /** All matching transactions with one request, in the order of the list. */
    eachTransaction: each<T, Exported>(transactions),
    /** All matching nominations with their slots, with one request. */
    eachNomination: each<N, NominationWithSlots>(nominations),
  };
}
