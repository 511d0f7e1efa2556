import { type Sealer, SecretUnreadable } from '../platform/auth/sealed-secrets.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Send, SendResult } from './send.ts';
import { signedHeaders } from './signature.ts';
import { type EndpointRow, type EndpointSecrets, signingSecrets } from './store.ts';

type Receiver = EndpointSecrets & Pick<EndpointRow, 'id' | 'url' | 'previous_secret_ends_at'>;

/** The try is repeated as if the receiver had failed: by then the operator may have provided the key. */
export const UNSIGNED: SendResult = {
  statusCode: null,
  durationMs: 0,
  response: null,
  error: { key: 'webhook.unsigned' },
};

/** Sends an event with a signature of each secret of its endpoint. */
export async function sendSigned(
  { send, sealer, clock }: { send: Send; sealer: Sealer; clock: MovableClock },
  endpoint: Receiver,
  event: { id: string; body: string },
  signal?: AbortSignal,
): Promise<SendResult> {
  let secrets: Buffer[];
  try {
    secrets = signingSecrets(sealer, endpoint, clock.now());
  } catch (error) {
    if (error instanceof SecretUnreadable) return UNSIGNED;
    throw error;
  }
  const headers = signedHeaders(event.id, event.body, secrets, clock.machineNow());
  return send(endpoint.url, headers, event.body, signal);
}
