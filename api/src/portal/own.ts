import Type from 'typebox';
import { Page, pageQuery, paginationExample, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import {
  ApiKey,
  keyExample,
  keyRotation,
  keySettings,
  NewApiKey,
  newKeyExample,
} from '../operator/parties.ts';

/** Keys of the BRP or account that the user works for. */
export const portalOwnEndpoints = endpoints('Own records', {
  listOwnApiKeys: endpoint({
    method: 'GET',
    path: '/portal/v1/api-keys',
    summary: 'List the own API keys',
    description: 'Keys of the user’s BRP or account, oldest first, without their secrets.',
    query: Strict(pageQuery),
    response: Page('api_keys', ApiKey, 'OwnApiKeyList'),
    problems: ['invalid_session', 'insufficient_permissions'],
    example: { response: { api_keys: [keyExample], pagination: paginationExample } },
  }),
  createOwnApiKey: endpoint({
    method: 'POST',
    path: '/portal/v1/api-keys',
    summary: 'Create an own API key',
    description: 'The secret is only in this answer. A BRP’s key has scopes, by default all.',
    status: 201,
    body: Strict(keySettings, { title: 'OwnApiKeyCreate' }),
    response: NewApiKey,
    problems: ['invalid_session', 'foreign_origin', 'insufficient_permissions'],
    example: { request: { name: keyExample.name, scopes: keyExample.scopes }, response: newKeyExample },
  }),
  revokeOwnApiKey: endpoint({
    method: 'DELETE',
    path: '/portal/v1/api-keys/{key_id}',
    summary: 'Revoke an own API key',
    description: 'Takes effect within 5 seconds in every process. Revoking a revoked key changes nothing.',
    status: 204,
    response: Type.Null(),
    problems: ['invalid_session', 'foreign_origin', 'insufficient_permissions', 'api_key_not_found'],
    example: { response: null },
  }),
  rotateOwnApiKey: endpoint({
    method: 'POST',
    path: '/portal/v1/api-keys/{key_id}/rotate',
    summary: 'Rotate an own API key',
    description:
      'A new key of the same name, scopes, addresses and expiry; the old one ends after the grace.',
    status: 201,
    body: Strict(keyRotation, { title: 'OwnApiKeyRotate' }),
    response: NewApiKey,
    problems: [
      'invalid_session',
      'foreign_origin',
      'insufficient_permissions',
      'api_key_not_found',
      'invalid_status_transition',
    ],
    example: { request: { grace_s: 3600 }, response: newKeyExample },
  }),
});
