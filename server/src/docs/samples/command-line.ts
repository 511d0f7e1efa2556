import { type Call, type SampledApi, sentFile, shellWord, targetOf } from './call.ts';

/**
 * The commands of `saldo` by the ids of their operations, without the name of the API. A name in braces is an example value
 * of the operation, and `*` all members of its body or its query as options. Other operations are sent with `saldo api`.
 */
const COMMANDS: Readonly<Record<string, string>> = {
  listContracts: 'contracts list',
  getContract: 'contracts show {contract_id}',
  createContract:
    'contracts create --external-id {external_id} --type {type} --ppa-type {ppa_type} --seller {seller_customer_id} --buyer {buyer_customer_id} --first-day 2026-01-01 --last-day 2030-12-31',
  updateContract: 'contracts end {contract_id} --last-day 2027-12-31',
  putContractDay: 'days put {contract_id} {delivery_date} day.json',
  listTransactions: 'transactions list',
  invalidateTransaction: 'transactions invalidate {transaction_id} *',
  listNominations: 'nominations list',
  getNomination: 'nominations show {nomination_id}',
  getNominationHistory: 'nominations history {nomination_id}',
  explainNomination: 'explain {nomination_id}',
  getNominationCauses: 'causes {nomination_id}',
  runNominations: 'nominate --date {delivery_date}',
  listLate: 'nominations late',
  exportLate: 'nominations late --csv',
  exportTransactions: 'export transactions --from {delivery_date}',
  exportNominations: 'export nominations --from {delivery_date}',
  getNominationSchedule: 'schedules download {nomination_id}',
  getDaySchedule: 'schedules download {delivery_date}',
  checkSchedule: 'schedules check {file}',
  listOwnSchedules: 'schedules list',
  markSchedules: 'schedules mark {step} {nomination_ids}',
  listCustomers: 'customers list',
  getCustomer: 'customers show {customer_id}',
  createCustomer: 'customers create *',
  // The command of a BRP cannot send status and metadata together.
  operatorUpdateCustomer: 'customers update {customer_id} *',
  previewCustomer: 'customers preview {customer_id} --balance-group {eic} --tso {tso}',
  listPlacements: 'customers placements {customer_id}',
  listOwnBalanceGroups: 'balance-groups list',
  getOwnBalanceGroup: 'balance-groups show {eic}',
  updateOwnBalanceGroup: 'balance-groups set {eic} --tsos {enabled_tsos}',
  listBalanceGroups: 'balance-groups list',
  getBalanceGroup: 'balance-groups show {eic}',
  createBalanceGroup: 'balance-groups create *',
  updateBalanceGroup: 'balance-groups set {eic} *',
  createWebhookEndpoint: 'webhooks create {url} --types {types} --description {description}',
  listWebhookEndpoints: 'webhooks list',
  updateWebhookEndpoint: 'webhooks disable {webhook_endpoint_id}',
  deleteWebhookEndpoint: 'webhooks delete {webhook_endpoint_id}',
  rotateWebhookSecret: 'webhooks rotate {webhook_endpoint_id}',
  testWebhookEndpoint: 'webhooks test {webhook_endpoint_id}',
  replayWebhookEvents: 'webhooks replay {webhook_endpoint_id} *',
  listWebhookDeliveries: 'webhooks deliveries {webhook_endpoint_id}',
  retryWebhookDelivery: 'webhooks retry {webhook_endpoint_id} {webhook_delivery_id}',
  getDeliveryDay: 'delivery-day {date}',
  listRequests: 'requests list',
  getRequest: 'requests show {request_id}',
  listBrps: 'brps list',
  getBrp: 'brps show {brp_id}',
  createBrp: 'brps create *',
  listAccounts: 'accounts list',
  createAccount: 'accounts create *',
  listApiKeys: 'keys list',
  createApiKey: 'keys create --brp {id} --name {name} --scopes {scopes}',
  revokeApiKey: 'keys revoke {key_id}',
  rotateApiKey: 'keys rotate {key_id} --grace {grace_s}',
  listUsers: 'users list',
  getUser: 'users show {user_id}',
  createUser: 'users create *',
  updateUser: 'users set {user_id} *',
  inviteUser: 'users invite {user_id}',
  endUserSessions: 'users sign-out {user_id}',
  resetFactors: 'users reset-factors {user_id}',
  listAssets: 'assets list',
  getAsset: 'assets show {asset_id}',
  uploadCover: 'assets cover {file}',
  listDemands: 'demands list',
  getDemand: 'demands show {demand_id}',
  createDemand: 'demands create *',
  updateDemand: 'demands update {demand_id} *',
  deleteDemand: 'demands delete {demand_id}',
  listSeries: 'series list',
  getSeries: 'series show {series_id}',
  createSeries: 'series create --asset {id} --kind {kind} --name {name} --market-location {market_location}',
  updateSeries: 'series update {series_id} *',
  putSeriesDay: 'series put {series_id} {delivery_date} --file day.json --unit energy_kwh',
  getSeriesValues: 'series values {series_id} {delivery_date}',
  getSeriesDeviation: 'series deviation {series_id} *',
  importValues: 'import values {file}',
  importVolumes: 'import volumes {file}',
  listInterchanges: 'interchanges list',
  getInterchange: 'interchanges show {interchange_id}',
  getInterchangeRaw: 'interchanges raw {interchange_id}',
  runProfiles: 'profiles run *',
  sendSchedules: 'exchange send *',
  requestStatus: 'exchange status-request *',
  receiveMessage: 'exchange receive {file}',
  listMismatches: 'exchange mismatches *',
  listUnsent: 'exchange unsent',
  listMessages: 'exchange messages',
  getMessage: 'exchange message {message_id}',
  getMessageRaw: 'exchange message {message_id} --raw',
  listAlarms: 'exchange alarms',
  acknowledgeAlarm: 'exchange acknowledge {alarm_id} *',
  listAudit: 'audit',
  getClock: 'clock get',
  setClock: 'clock set {now}',
};

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values of an object and of the objects in it. */
const valuesOf = (members: Members): Members =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      isObject(value) ? Object.entries(valuesOf(value)) : [[name, value] as const],
    ),
  );

/** A list is several words. */
const wordsOf = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).map((item) => shellWord(String(item))).join(' ');

function commandOf(call: Call, template: string): string {
  const members = call.body === null ? Object.fromEntries(call.query) : call.body.example;
  const input = isObject(members) ? members : {};
  const values: Members = {
    ...valuesOf(input),
    ...Object.fromEntries([...call.pathParameters, ...call.query]),
    file: sentFile(call),
  };
  const options = Object.entries(input).map(
    ([name, value]) => `--${name.replaceAll('_', '-')} ${wordsOf(value)}`,
  );
  return template
    .replace('*', options.join(' '))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => wordsOf(values[name]));
}

/** `saldo api`, which sends JSON unless a header says something else. */
function requestOf(call: Call): string {
  const words = [`api ${call.method} ${shellWord(targetOf(call))}`];
  if (call.body !== null) {
    const file = sentFile(call);
    words.push(`--data ${file === null ? shellWord(JSON.stringify(call.body.example)) : `@${file}`}`);
    if (file !== null) words.push(`--header 'Content-Type: ${call.body.mediaType}'`);
  }
  return words.join(' \\\n  ');
}

/** The command line reads `SALDO_URL` and `SALDO_KEY`. */
export function commandLineSample(call: Call, { client, url, key }: SampledApi): string {
  const { id } = call;
  const template =
    COMMANDS[id] ??
    COMMANDS[id.replace(/^(?:operator|market)([A-Z])/, (_, letter: string) => letter.toLowerCase())];
  const command = `saldo ${template === undefined ? requestOf(call) : commandOf(call, template)}`;
  return client === 'market' ? `SALDO_URL="$${url}" SALDO_KEY="$${key}" ${command}` : command;
}
