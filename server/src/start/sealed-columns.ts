import type { SealedColumn } from '../platform/auth/stored-secrets.ts';
import { platformSecretUse } from '../platform/http/cursor.ts';
import { useOfSecret } from '../users/second-factor.ts';
import { stepUse } from '../users/sign-in-steps.ts';
import { webhookSecretUse } from '../webhooks/store.ts';

/** 32 bytes, of which 244 bits are random. */
const RANDOM = 'uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())';

const useOfEndpoint = (row: Readonly<Record<string, unknown>>) => webhookSecretUse(row['id'] as string);

/** Every column with sealed text. A test compares the list with the schema. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'secret',
    column: 'sealed_value',
    plain: 'value',
    key: ['name'],
    useOf: ({ name }) => platformSecretUse(name as string),
    replace: `update secret set value = ${RANDOM}, sealed_value = null`,
    consequence:
      'The platform has a new secret: restart its servers. Cursors and ids of events that were given out before are invalid.',
  },
  {
    table: 'webhook_endpoint',
    column: 'sealed_secret',
    plain: 'secret',
    key: ['id'],
    useOf: useOfEndpoint,
    replace: `update webhook_endpoint set secret = ${RANDOM}, sealed_secret = null`,
    consequence:
      'Webhook endpoints have a new secret, which was shown to no owner. Their owners have to rotate it (saldo webhooks rotate); ' +
      'until then receivers reject their deliveries, which are repeated.',
  },
  {
    table: 'webhook_endpoint',
    column: 'sealed_previous_secret',
    plain: 'previous_secret',
    key: ['id'],
    useOf: useOfEndpoint,
    replace: 'update webhook_endpoint set sealed_previous_secret = null, previous_secret_ends_at = null',
    consequence: 'The previous secrets of webhook endpoints do not sign any more.',
  },
  {
    table: 'sign_in_step',
    column: 'sealed_data',
    plain: null,
    key: ['kind', 'hash'],
    useOf: ({ kind, hash }) => stepUse(kind as string, hash as Buffer),
    replace: 'delete from sign_in_step',
    consequence: 'Sign-ins that had begun have to be begun again.',
  },
  {
    table: 'one_time_code',
    column: 'sealed_secret',
    plain: null,
    key: ['user_id'],
    useOf: ({ user_id: id }) => useOfSecret(id as string),
    replace: 'delete from one_time_code',
    consequence: 'Users have to set up their one-time codes again.',
  },
];
