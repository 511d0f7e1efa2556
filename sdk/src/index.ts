// Re-exports the API types, so that users of the SDK need no other package.
export type * from '@saldo/api';
export { type BrpClient, createBrpClient } from './brp.ts';
export { type Client, createClient, type Input, type Upload } from './client.ts';
export { type Download, fileNameOf } from './download.ts';
export {
  type ProvedEntry,
  SaldoProofError,
  verifyConsistency,
  verifyProof,
  verifySeal,
} from './ledger.ts';
export { createMarketClient, type MarketClient } from './market.ts';
export { createOperatorClient, type OperatorClient } from './operator.ts';
export type {
  Access,
  CallOptions,
  ClientOptions,
  CoverOptions,
  FollowOptions,
  ImportOptions,
  ScheduleCheckOptions,
  ValuesImportOptions,
} from './options.ts';
export { createPortalClient, type PortalClient } from './portal.ts';
export { isProblem, SaldoConnectionError, SaldoProblem } from './problem.ts';
export type { Filter, ListMethods, Method, RecordOf } from './resources.ts';
export type { Dependencies, RetryOptions } from './retry.ts';
export type { UploadSource } from './upload.ts';
export {
  SaldoWebhookError,
  signWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookTestEvent,
} from './webhooks.ts';
export type { UploadProgress } from './xhr.ts';
