import { endpoint } from '../endpoint.ts';
import { describeExport, nominationExport, transactionExport } from '../exports.ts';

export const operatorExportEndpoints = {
  operatorExportTransactions: endpoint({
    ...transactionExport,
    id: 'operatorExportTransactions',
    path: '/operator/v1/exports/transactions',
    description: describeExport('The transactions of all BRPs that match the filters.'),
    scopes: [],
  }),
  operatorExportNominations: endpoint({
    ...nominationExport,
    id: 'operatorExportNominations',
    path: '/operator/v1/exports/nominations',
    description: describeExport('The nominations of all BRPs that match the filters.'),
    scopes: [],
  }),
};
