import { endpoint, endpoints } from '../endpoint.ts';
import {
  describeExport,
  EXPORTS_TAG,
  exportManifest,
  nominationExport,
  transactionExport,
} from '../exports.ts';

export const operatorExportEndpoints = endpoints(EXPORTS_TAG, {
  operatorExportTransactions: endpoint({
    ...transactionExport,
    path: '/operator/v1/exports/transactions',
    description: describeExport('The transactions of all BRPs that match the filters.'),
    scopes: ['read'],
  }),
  operatorExportNominations: endpoint({
    ...nominationExport,
    path: '/operator/v1/exports/nominations',
    description: describeExport('The nominations of all BRPs that match the filters.'),
    scopes: ['read'],
  }),
  operatorGetExportManifest: endpoint({
    ...exportManifest,
    path: '/operator/v1/exports/{export_id}/manifest',
    scopes: ['read'],
  }),
});
