import {
  COVER_MEDIA_TYPES,
  type Cover,
  type Endpoint,
  type OperatorTransaction,
  operatorEndpoints,
  operatorWebhooks,
  type ResponseOf,
  sandboxEndpoints,
  simulationEndpoints,
} from '@saldo/api';
import { type Client, createClient, type Input } from './client.ts';
import { exportMethods } from './exports.ts';
import { feedOf } from './follow.ts';
import type {
  CallOptions,
  ClientOptions,
  CoverOptions,
  ImportOptions,
  ValuesImportOptions,
} from './options.ts';
import { methodsOf } from './resources.ts';
import type { UploadSource } from './upload.ts';
import { webhookMethods } from './webhook-methods.ts';

export type OperatorClient = ReturnType<typeof createOperatorClient>;

/** The operator API: master data, imports and daily operation. */
export function createOperatorClient(options: ClientOptions) {
  const client = createClient(options);
  const { method, list } = methodsOf(client);
  const api = operatorEndpoints;
  const mismatches = list(api.listMismatches);
  const unsent = list(api.listUnsent);
  const late = list(api.listLate);
  const seals = list(api.operatorListSeals);
  const alarms = list(api.listAlarms);
  return {
    brps: { ...list(api.listBrps), create: method(api.createBrp), get: method(api.getBrp) },
    balanceGroups: {
      ...list(api.listBalanceGroups),
      create: method(api.createBalanceGroup),
      get: method(api.getBalanceGroup),
      update: method(api.updateBalanceGroup),
    },
    customers: {
      ...list(api.operatorListCustomers),
      create: method(api.operatorCreateCustomer),
      get: method(api.operatorGetCustomer),
      update: method(api.operatorUpdateCustomer),
      /** What an update would do; nothing is changed. */
      preview: method(api.operatorPreviewCustomer),
      /** The balance groups of a customer by delivery day, newest first. */
      placements: method(api.operatorListPlacements),
    },
    accounts: { ...list(api.listAccounts), create: method(api.createAccount) },
    apiKeys: {
      ...list(api.listApiKeys),
      create: method(api.createApiKey),
      revoke: method(api.revokeApiKey),
      rotate: method(api.rotateApiKey),
    },
    users: {
      ...list(api.listUsers),
      create: method(api.createUser),
      get: method(api.getUser),
      update: method(api.updateUser),
      invite: method(api.inviteUser),
      endSessions: method(api.endUserSessions),
      resetFactors: method(api.resetFactors),
    },
    assets: {
      ...list(api.listAssets),
      create: method(api.createAsset),
      get: method(api.getAsset),
      update: method(api.updateAsset),
      uploadCover: coverUpload(client),
    },
    events: feedOf(client, options, api.operatorListEvents, api.operatorGetEvent),
    inquiries: { ...list(api.listInquiries), answer: method(api.answerInquiry) },
    demands: {
      ...list(api.listDemands),
      create: method(api.createDemand),
      get: method(api.getDemand),
      update: method(api.updateDemand),
      delete: method(api.deleteDemand),
    },
    contracts: {
      ...list(api.operatorListContracts),
      create: method(api.createContract),
      get: method(api.operatorGetContract),
      update: method(api.updateContract),
      putDay: method(api.putContractDay),
    },
    transactions: {
      ...list(api.operatorListTransactions),
      invalidate: method(api.invalidateTransaction),
      /** Proves the newest change of the transaction: see `verifyProof`. */
      proof: method(api.operatorGetTransactionProof),
    },
    volumes: {
      // No interchanges.
      importFile: fileImport(client, api.importVolumes) as FileImport<
        typeof api.importVolumes,
        ImportOptions
      >,
    },
    series: {
      ...list(api.listSeries),
      create: method(api.createSeries),
      get: method(api.getSeries),
      update: method(api.updateSeries),
      putDay: method(api.putSeriesDay),
      values: method(api.getSeriesValues),
      deviation: method(api.getSeriesDeviation),
      importFile: fileImport(client, api.importValues),
    },
    interchanges: {
      ...list(api.listInterchanges),
      get: method(api.getInterchange),
      /** The interchange, byte for byte as received. */
      raw: interchangeDownload(client),
    },
    profiles: { run: method(api.runProfiles) },
    exports: exportMethods<
      OperatorTransaction,
      typeof api.operatorExportTransactions,
      typeof api.operatorExportNominations
    >(client, {
      transactions: api.operatorExportTransactions,
      nominations: api.operatorExportNominations,
      manifest: api.operatorGetExportManifest,
    }),
    nominations: {
      ...list(api.operatorListNominations),
      run: method(api.runNominations),
      get: method(api.operatorGetNomination),
      history: method(api.operatorGetNominationHistory),
      /** Proves the newest change of the nomination: see `verifyProof`. */
      proof: method(api.operatorGetNominationProof),
      explain: method(api.operatorExplainNomination),
      causes: method(api.operatorGetNominationCauses),
      late: late.list,
      eachLate: late.each,
      /** All late changes as CSV. */
      exportLate: method(api.exportLate),
    },
    exchange: {
      send: method(api.sendSchedules),
      receive: answerUpload(client),
      requestStatus: method(api.requestStatus),
      /** The state of the exchange with each TSO by delivery day. */
      board: method(api.getExchangeBoard),
      mismatches: mismatches.list,
      eachMismatch: mismatches.each,
      unsent: unsent.list,
      eachUnsent: unsent.each,
      alarms: alarms.list,
      eachAlarm: alarms.each,
      acknowledgeAlarm: method(api.acknowledgeAlarm),
      /** Available only with a demo world or in a sandbox; otherwise 404. */
      simulateAnswer: method(simulationEndpoints.simulateAnswer),
    },
    messages: {
      ...list(api.listMessages),
      get: method(api.getMessage),
      /** The document, byte for byte as sent or received. */
      raw: method(api.getMessageRaw),
    },
    health: { get: method(api.getHealth) },
    deliveryDays: { get: method(api.operatorGetDeliveryDay) },
    webhookEndpoints: webhookMethods(methodsOf(client), operatorWebhooks),
    audit: list(api.listAudit),
    /** The log of the requests of the operator’s keys and users. */
    /** The ledger: its public keys, its signed roots, and the proof that a later one extends an earlier one. */
    ledger: {
      key: method(api.operatorGetLedgerKey),
      seals: seals.list,
      eachSeal: seals.each,
      consistency: method(api.operatorGetConsistency),
    },
    requests: { ...list(api.operatorListRequests), get: method(api.operatorGetRequest) },
    /** Available only in a sandbox; otherwise 404. */
    clock: { get: method(sandboxEndpoints.getClock), set: method(sandboxEndpoints.setClock) },
    /** Calls any endpoint by its description, including endpoints without a method here. */
    call: client.call,
  };
}

const IMPORT_MEDIA_TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  mscons: 'application/edifact',
} as const;

type FileImport<E extends Endpoint, Options> = ((
  source: UploadSource,
  options: Options,
) => Promise<ResponseOf<E>>) & { readonly endpointId: string };

function fileImport<E extends Endpoint>(client: Client, endpoint: E): FileImport<E, ValuesImportOptions> {
  const importFile = async (source: UploadSource, options: ValuesImportOptions): Promise<ResponseOf<E>> => {
    const { format, isGzip = false, dryRun = false, decimal, onProgress, ...call } = options;
    const mediaType = IMPORT_MEDIA_TYPES[format];
    if (!endpoint.stream?.includes(mediaType))
      throw new TypeError(`the format ${JSON.stringify(format)} is not accepted`);
    const query = { ...(dryRun ? { dry_run: 'true' as const } : {}), ...(decimal ? { decimal } : {}) };
    const upload = { source, mediaType, isGzip, ...(onProgress ? { onProgress } : {}) };
    return client.upload(endpoint, { query } as Input<E>, upload, call);
  };
  return Object.assign(importFile, { endpointId: endpoint.id });
}

/** A download, because text would be decoded as UTF-8, which few interchanges are written in. */
function interchangeDownload(client: Client) {
  const endpoint = operatorEndpoints.getInterchangeRaw;
  const raw = async (interchange_id: string, options?: CallOptions) =>
    client.download(endpoint, { params: { interchange_id } }, options);
  return Object.assign(raw, { endpointId: endpoint.id, isDownload: true });
}

function coverUpload(client: Client) {
  const endpoint = operatorEndpoints.uploadCover;
  const uploadCover = async (source: UploadSource, options: CoverOptions = {}): Promise<Cover> => {
    const { mediaType = COVER_MEDIA_TYPES[0], ...call } = options;
    return client.upload(endpoint, {}, { source, mediaType }, call);
  };
  return Object.assign(uploadCover, { endpointId: endpoint.id });
}

function answerUpload(client: Client) {
  const endpoint = operatorEndpoints.receiveMessage;
  const receive = async (document: UploadSource, options: CallOptions = {}) =>
    client.upload(endpoint, {}, { source: document, mediaType: 'application/xml' }, options);
  return Object.assign(receive, { endpointId: endpoint.id });
}
