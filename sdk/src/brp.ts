import { brpEndpoints, brpWebhooks, type ScheduleCheck, type Transaction } from '@saldo/api';
import { type Client, createClient } from './client.ts';
import { exportMethods } from './exports.ts';
import { feedOf } from './follow.ts';
import type { ClientOptions, ScheduleCheckOptions } from './options.ts';
import { methodsOf } from './resources.ts';
import type { UploadSource } from './upload.ts';
import { webhookMethods } from './webhook-methods.ts';

export type BrpClient = ReturnType<typeof createBrpClient>;

/** The BRP API: the data of a balancing responsible party, and its customers. */
export function createBrpClient(options: ClientOptions) {
  const client = createClient(options);
  const { method, list } = methodsOf(client);
  const api = brpEndpoints;
  const contractTransactions = list(api.listContractTransactions);
  const seals = list(api.listSeals);
  return {
    contracts: {
      ...list(api.listContracts),
      get: method(api.getContract),
      transactions: contractTransactions.list,
      eachTransaction: contractTransactions.each,
    },
    transactions: {
      ...list(api.listTransactions),
      get: method(api.getTransaction),
      history: method(api.getTransactionHistory),
      /** Proves the newest change of the transaction: see `verifyProof`. */
      proof: method(api.getTransactionProof),
      bulk: method(api.postTransactionsBulk),
      bulkByQuery: method(api.getTransactionsBulk),
    },
    nominations: {
      ...list(api.listNominations),
      get: method(api.getNomination),
      history: method(api.getNominationHistory),
      /** Proves the newest change of the nomination: see `verifyProof`. */
      proof: method(api.getNominationProof),
      explain: method(api.explainNomination),
      /** Why a version differs from an earlier one: contracts, kinds of changes and MWh. */
      causes: method(api.getNominationCauses),
      /** Your side of the nomination, ready to be nominated: the text of a CSV, or of an ESS time series. */
      schedule: method(api.getNominationSchedule),
      /** A day of your side: the text of a CSV, or of a complete ESS or CIM message. */
      daySchedule: method(api.getDaySchedule),
      /** What the TSO made of the nomination, and why. */
      reconcile: method(api.reconcileNomination),
      bulk: method(api.postNominationsBulk),
      bulkByQuery: method(api.getNominationsBulk),
    },
    exports: exportMethods<Transaction, typeof api.exportTransactions, typeof api.exportNominations>(client, {
      transactions: api.exportTransactions,
      nominations: api.exportNominations,
      manifest: api.getExportManifest,
    }),
    schedules: {
      /** What you have done with your own side of current nominations, and which of them have changed since. */
      ...list(api.listOwnSchedules),
      /** Records that you have loaded, checked or submitted your own side. */
      mark: method(api.markSchedules),
      check: scheduleCheck(client),
    },
    customers: {
      ...list(api.listCustomers),
      get: method(api.getCustomer),
      update: method(api.updateCustomer),
      /** What an update would do; nothing is changed. */
      preview: method(api.previewCustomer),
      /** The balance groups of a customer by delivery day, newest first. */
      placements: method(api.listPlacements),
    },
    balanceGroups: {
      ...list(api.listOwnBalanceGroups),
      get: method(api.getOwnBalanceGroup),
      update: method(api.updateOwnBalanceGroup),
    },
    events: feedOf(client, options, api.listEvents, api.getEvent),
    webhookEndpoints: webhookMethods(methodsOf(client), brpWebhooks),
    deliveryDays: { get: method(api.getDeliveryDay) },
    /** The ledger: its public keys, its signed roots, and the proof that a later one extends an earlier one. */
    ledger: {
      key: method(api.getLedgerKey),
      seals: seals.list,
      eachSeal: seals.each,
      consistency: method(api.getConsistency),
    },
    /** The log of your own requests. */
    requests: { ...list(api.listRequests), get: method(api.getRequest) },
    /** Calls any endpoint by its description, including endpoints without a method here. */
    call: client.call,
  };
}

/**
 * Compares your schedule with the current nominations, and lists everything for which the TSO would reject it. Stores
 * nothing, unless it is marked as submitted.
 */
function scheduleCheck(client: Client) {
  const endpoint = brpEndpoints.checkSchedule;
  const check = async (source: UploadSource, options: ScheduleCheckOptions): Promise<ScheduleCheck> => {
    const { format, decimal, submitted = false, ...call } = options;
    const mediaType = format === 'csv' ? 'text/csv' : 'application/xml';
    const query = {
      ...(decimal ? { decimal } : {}),
      ...(submitted ? { submitted: 'true' as const } : {}),
    };
    return client.upload(endpoint, { query }, { source, mediaType }, call);
  };
  return Object.assign(check, { endpointId: endpoint.id });
}
