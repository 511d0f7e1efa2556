import assert from 'node:assert/strict';
import { appendEvents, tenantsOf } from '../src/events/store.ts';
import type { Owner } from '../src/platform/auth/principal.ts';
import { fanOutEvents } from '../src/webhooks/fan-out.ts';
import type { Client, TestPlatform } from './harness.ts';

type Case = { readonly path: string; readonly body?: unknown };

/** A closed port: what is sent there fails at once. */
const url = 'http://127.0.0.1:1/hook';

/**
 * A successful request for each operation on webhook endpoints, by the name of the operation without the prefix of its
 * API. All can be repeated except the deletion, for which `newEndpoint` makes another path. The platform needs
 * WEBHOOK_ALLOW_PRIVATE.
 */
export async function webhookCases(
  platform: TestPlatform,
  request: Client,
  { base, owner }: { base: string; owner: Owner },
) {
  const list = `${base}/webhook-endpoints`;
  const newEndpoint = async () => {
    const answer = await request.post(list, { url });
    assert.equal(answer.status, 201, answer.text);
    return `${list}/${answer.body.id}`;
  };
  const one = await newEndpoint();
  const data = { object: 'api_key', id: 'key_1', expires_at: '2026-12-01T00:00:00Z', days_left: 14 } as const;
  const event = { type: 'api_key.expiring', tenants: [tenantsOf(owner)[0]], data } as const;
  await platform.db.transaction((tx) => appendEvents(tx, [event], platform.clock.now()));
  await fanOutEvents(platform.db, () => platform.clock.now());
  const [delivery] = (await request(`${one}/deliveries`)).body.deliveries;
  const cases: Readonly<Record<string, Case>> = {
    createWebhookEndpoint: { path: list, body: { url } },
    listWebhookEndpoints: { path: list },
    getWebhookEndpoint: { path: one },
    updateWebhookEndpoint: { path: one, body: { description: 'Changed' } },
    deleteWebhookEndpoint: { path: await newEndpoint() },
    rotateWebhookSecret: { path: `${one}/rotate-secret` },
    testWebhookEndpoint: { path: `${one}/test` },
    replayWebhookEvents: { path: `${one}/replay`, body: {} },
    listWebhookDeliveries: { path: `${one}/deliveries?state=pending&order=newest_first` },
    retryWebhookDelivery: { path: `${one}/deliveries/${delivery.id}/retry` },
  };
  return { cases, newEndpoint };
}

/** The names of the cases as ids of operations: `operatorCreateWebhookEndpoint`. */
export const withPrefix = (prefix: string, cases: Readonly<Record<string, Case>>): Record<string, Case> =>
  Object.fromEntries(
    Object.entries(cases).map(([name, one]) => [
      `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      one,
    ]),
  );
