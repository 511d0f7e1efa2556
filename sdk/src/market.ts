import { marketEndpoints } from '@saldo/api';
import { type ClientOptions, createClient } from './client.ts';
import { methodsOf } from './resources.ts';

export type MarketClient = ReturnType<typeof createMarketClient>;

/** The customer API: what account holders browse. It has a base address of its own. */
export function createMarketClient(options: ClientOptions) {
  const client = createClient(options);
  const { list } = methodsOf(client);
  return {
    assets: list(marketEndpoints.listMarketAssets),
    demands: list(marketEndpoints.listMarketDemands),
    /** Any endpoint by its description: also one that this list does not know yet. */
    call: client.call,
  };
}
