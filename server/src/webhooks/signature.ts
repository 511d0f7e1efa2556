import { createHmac, randomBytes } from 'node:crypto';

/** Signs webhooks as the Standard Webhooks specification defines it. */

const SECRET_BYTES = 32;
const SECRET_PREFIX = 'whsec_';

export const newWebhookSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** A secret as its owner gets it. */
export const formatSecret = (secret: Buffer): string => SECRET_PREFIX + secret.toString('base64');

/** The headers of a delivery. During a rotation it has a signature of each secret. */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly Buffer[],
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / 1000);
  const signatures = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64'),
  );
  return {
    'content-type': 'application/json',
    'user-agent': 'Saldo-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}
