import { marketEndpoints, marketWebhooks } from '@saldo/api';
import { createClient } from './client.ts';
import { feedOf } from './follow.ts';
import type { ClientOptions } from './options.ts';
import { methodsOf } from './resources.ts';
import { webhookMethods } from './webhook-methods.ts';

export type MarketClient = ReturnType<typeof createMarketClient>;

/** The customer API, which account holders use. It has its own base URL. */
export function createMarketClient(options: ClientOptions) {
  const client = createClient(options);
  const { list } = methodsOf(client);
  return {
    assets: list(marketEndpoints.listMarketAssets),
    demands: list(marketEndpoints.listMarketDemands),
    events: feedOf(client, options, marketEndpoints.listMarketEvents, marketEndpoints.getMarketEvent),
    webhookEndpoints: webhookMethods(methodsOf(client), marketWebhooks),
    /** Calls any endpoint by its description, including endpoints without a method here. */
    call: client.call,
  };
}
