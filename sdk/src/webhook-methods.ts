import type { WebhookOperations } from '@saldo/api';
import type { methodsOf } from './resources.ts';

/** The methods of a client for its webhook endpoints, the same in each API. */
export function webhookMethods<T extends WebhookOperations>(
  { method, list }: ReturnType<typeof methodsOf>,
  api: T,
) {
  const deliveries = list<T['listWebhookDeliveries']>(api.listWebhookDeliveries);
  return {
    ...list<T['listWebhookEndpoints']>(api.listWebhookEndpoints),
    /** The answer has the secret, which is not shown again. */
    create: method<T['createWebhookEndpoint']>(api.createWebhookEndpoint),
    get: method<T['getWebhookEndpoint']>(api.getWebhookEndpoint),
    update: method<T['updateWebhookEndpoint']>(api.updateWebhookEndpoint),
    delete: method<T['deleteWebhookEndpoint']>(api.deleteWebhookEndpoint),
    rotateSecret: method<T['rotateWebhookSecret']>(api.rotateWebhookSecret),
    test: method<T['testWebhookEndpoint']>(api.testWebhookEndpoint),
    replay: method<T['replayWebhookEvents']>(api.replayWebhookEvents),
    deliveries: deliveries.list,
    eachDelivery: deliveries.each,
    retry: method<T['retryWebhookDelivery']>(api.retryWebhookDelivery),
  };
}
