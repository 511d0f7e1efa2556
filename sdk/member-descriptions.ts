type Described = {
  readonly description?: string;
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
};

/** Members that the tables do not describe, because their name says it in every record. */
const BY_NAME: Readonly<Record<string, string>> = {
  id: 'Identifier, with a prefix for its kind.',
  name: 'Display name.',
  type: 'Kind of this record.',
  status: 'Current status.',
  pagination: 'The place of this page in the list.',
  data: 'The record that has changed, by its identifier.',
  object: 'Kind of the changed record.',
  version: 'Number of the version, from 1.',
  seller: 'The seller and its balance group.',
  buyer: 'The buyer and its balance group.',
  sender: 'The delivering side.',
  receiver: 'The receiving side.',
  asset: 'The plant that is delivered from.',
  technology: 'Technology of the plant.',
  eic: 'EIC of the balance group.',
  direction: '`out` or `in`, from the perspective of the balance group.',
  nomination_id: 'Id of the nomination.',
  contract_id: 'Id of the contract.',
  brp_id: 'Id of the BRP.',
  request_id: 'Id of the request, also in the server’s log.',
  slots: 'The quarter-hours of the day.',
  transactions: 'The transactions.',
  balance_group: 'The balance group.',
  customer: 'The customer.',
  reason: 'Why it happened.',
  reasons: 'The reasons of the TSO.',
  description: 'Your own description.',
  event_type: 'Type of the event.',
  date: 'The German delivery day.',
  time_zone: 'Time zone of the delivery day.',
  gates: 'Gate closures of the day.',
  owner: 'The party that it belongs to.',
  scopes: 'Permissions.',
  tsos: 'Control areas in which it is enabled.',
  email: 'Email address.',
  role: 'Role of the user.',
  brp: 'The BRP that the user works for.',
  account: 'The account that the user works for.',
  user: 'The user.',
  password: 'The password.',
  current: 'The present password.',
  offer: 'The offer on the market.',
  profile: 'The profile that the platform generates volumes from.',
  source: 'The series that the volumes follow.',
  seller_customer_id: 'Id of the customer that sells.',
  buyer_customer_id: 'Id of the customer that buys.',
  created: 'Number of new records.',
  corrected: 'Number of corrected records.',
  unchanged: 'Number of records without a change.',
  code: 'Code of the error.',
  message: 'The message.',
  contracts: 'The contracts.',
  days: 'Number of delivery days.',
  file_name: 'Name of the file.',
  error: 'What failed.',
  severity: 'How urgent it is.',
  kind: 'Kind of alarm.',
  database: 'State of the database.',
  waiting: 'Work that is waiting.',
  action: 'What was done.',
  rejected: 'Number of rejected ones.',
  answer_overdue: 'Number of overdue answers.',
  unreadable: 'Number of unreadable messages.',
  unsent_before_gate: 'Number of unsent nominations shortly before their gate.',
  unknown_series: 'Number of series that are not in our schedule.',
  out_of_balance: 'Number of schedules out of balance.',
  confirmation_overdue: 'Number of schedules without a confirmation.',
  final_missing: 'Number of schedules without a final confirmation.',
  older_version_confirmed: 'Number of schedules of which an older version was confirmed.',
  status_request_rejected: 'Number of rejected status requests.',
  disk: 'Whether the disk is nearly full.',
  forecast_missing: 'Number of contracts without a complete forecast of tomorrow.',
  meter_missing: 'Number of days of contracts without complete metered values.',
};

/** The comment of a member: from the tables, else by its name. The records of a list are its first member. */
export function describeMember(name: string, schema: Described): string {
  const own = schema.description ?? schema.anyOf?.map(({ description }) => description).find(Boolean);
  const found =
    own ?? BY_NAME[name] ?? (schema.items === undefined ? undefined : 'The records of this page.');
  if (found === undefined) throw new Error(`the member ${name} has no description`);
  return found;
}
