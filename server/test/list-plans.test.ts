import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brpEndpoints,
  type Endpoint,
  marketEndpoints,
  operatorEndpoints,
  portalEndpoints,
  TSOS,
} from '@saldo/api';
import pg from 'pg';
import { findTsosInUse } from '../src/parties/store.ts';
import { readerConfig } from '../src/platform/db/connection.ts';
import { findSeriesOfKind, readSeries } from '../src/series/store.ts';
import { listUnread, withoutOutdated } from '../src/sources/interchange-store.ts';
import { claimDue } from '../src/webhooks/claim.ts';
import { signedIn } from './browser.ts';
import { type Asked, explain, nodesOf, type PlanNode } from './explain.ts';
import { startTestPlatform } from './harness.ts';
import { insertPlatformRows, LOGGED_ID, pretendGrowth } from './platform-rows.ts';
import { createRecordedApp } from './recorded-app.ts';

/**
 * The cost of a list must depend on its tenant's rows, not on the platform's. Each list is requested over HTTP, and
 * its statements are explained on a platform whose statistics look large to the planner.
 */
const platform = await startTestPlatform();

async function loadPlatform(): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: platform.databaseUrl });
  await client.connect();
  try {
    await insertPlatformRows(client, { brps: 100, rowsPerBrp: 20, days: 4 });
    await pretendGrowth(client);
    const { rows } = await client.query(`select
      (select typeid('brp', id) from brp where no = 1) as brp_id,
      (select typeid('acc', id) from account where no = 1) as account_id,
      (select typeid('con', id) from contract where seller_brp = 1 limit 1) as contract_id,
      (select typeid('nom', id) from nomination where brp_no = 1 limit 1) as nomination_id,
      (select typeid('ser', id) from series where no = 1) as series_id,
      (select typeid('ast', asset_id) from series where asset_id is not null limit 1) as asset_id,
      (select typeid('cust', customer_id) from series where customer_id is not null limit 1) as customer_id,
      (select typeid('whe', id) from webhook_endpoint where tenant = 'brp/1' limit 1) as webhook_endpoint_id,
      (select t.id from contract c, transaction t
       where c.seller_brp = 1 and t.contract_id = typeid('con', c.id) and t.slot_number = 1 limit 1) as transaction_id`);
    return rows[0] as Record<string, string>;
  } finally {
    await client.end();
  }
}

const ids = await loadPlatform();
const { world } = platform;
const { eic } = await world.group({ no: 1, id: '', key: '' });
const cookieOf = async (owner: Parameters<typeof signedIn>[1]) => ({
  cookie: (await signedIn(platform, owner)).browser.cookie,
});
const CALLERS = {
  brp: { 'x-api-key': (await world.key({ no: 1 })).secret },
  operator: { 'x-api-key': await world.operatorKey() },
  account: { 'x-api-key': await world.accountKey() },
  'user of a BRP': await cookieOf({ type: 'brp', brpNo: 1 }),
  'user of an account': await cookieOf({ type: 'account', accountNo: 1 }),
};
type Caller = keyof typeof CALLERS;

const { app, customerApp, recording, asked } = await createRecordedApp(platform);
/** The last execution of each statement. */
const askedByName = () => new Map(asked.map((one) => [one.statement.name, one]));

const ENDPOINTS = Object.assign({}, brpEndpoints, marketEndpoints, operatorEndpoints, portalEndpoints) as {
  readonly [id: string]: Endpoint;
};

const SEALS = {
  '-': 'ledger_seal_pkey(; tree_size)',
  'tree_size=1': '',
};

/**
 * What a list reads, by caller, list and queries; a dash is a query without filters. Each index has the columns that
 * its condition compares for equality and, after the semicolon, for order. Look-ups of single rows by a unique key,
 * and of a balance group's positions, are omitted.
 */
const PLANS: Readonly<Record<Caller, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  brp: {
    listSeals: SEALS,
    listEvents: {
      '- order=newest_first': 'event_of_tenant(tenant; sequence) + event_checkpoint_pkey(tenant)',
      'types=nomination.created types=nomination.created&order=newest_first':
        'event_of_tenant(tenant; sequence) + event_checkpoint_pkey(tenant) + event_of_tenant(tenant; sequence)',
    },
    listCustomers: {
      '- tso=DE_TENNET search=x': 'customer_of_brp(brp_no; id)',
      'status=pending': 'customer_of_brp_by_status(brp_no, status; id)',
      'eic={eic} status=pending&eic={eic}': 'customer_of_position(brp_no, position_no; id)',
    },
    listContracts: {
      '- status=pending type=ppa active_on=2026-01-01 delivery_start={T1} delivery_end={T1}':
        'contract_sold(seller_brp; id) + contract_bought(buyer_brp; id) + former_party_of_brp(brp_no; contract_id)',
      'eic={eic}':
        'contract_sold_from(seller_brp, seller_eic; id) + contract_sold_to(seller_brp, buyer_eic; id) + contract_bought_from(buyer_brp, seller_eic; id) + contract_bought_at(buyer_brp, buyer_eic; id) + former_party_of_brp(brp_no; contract_id)',
    },
    listTransactions: {
      '- status=valid delivery_date=2026-01-02 type=ppa delivery_start={T1}&delivery_end={T2} slot_number_from=4&slot_number_to=8':
        'sheet_sent(sender_brp; delivery_day, contract_no) + sheet_received(receiver_brp; delivery_day, contract_no)',
      'status=invalid status=invalid&sender_eic={eic}':
        'sheet_sent_invalid(sender_brp; delivery_day, contract_no) + sheet_received_invalid(receiver_brp; delivery_day, contract_no)',
      'status=superseded status=superseded&sender_eic={eic}&receiver_eic={eic}':
        'sheet_sent_superseded(sender_brp; delivery_day, contract_no) + sheet_received_superseded(receiver_brp; delivery_day, contract_no)',
      'sender_eic={eic}':
        'sheet_sent_from(sender_brp, sender_position; delivery_day, contract_no) + sheet_received_from(receiver_brp, sender_position; delivery_day, contract_no)',
      'receiver_eic={eic}':
        'sheet_sent_to(sender_brp, receiver_position; delivery_day, contract_no) + sheet_received_at(receiver_brp, receiver_position; delivery_day, contract_no)',
      'sender_eic={eic}&receiver_eic={eic}':
        'sheet_sent_to(sender_brp, receiver_position; delivery_day, contract_no) + sheet_received_from(receiver_brp, sender_position; delivery_day, contract_no)',
      'contract_id={contract_id}':
        'former_party_of_brp(brp_no, contract_id) + sheet_contract_no_delivery_day_revision_key(contract_no; delivery_day)',
      'as_of={T2} status=valid&as_of={T2}':
        'sheet_sent(sender_brp; delivery_day, contract_no) + sheet_received(receiver_brp; delivery_day, contract_no)',
      'sender_eic={eic}&as_of={T2}':
        'sheet_sent_from(sender_brp, sender_position; delivery_day, contract_no) + sheet_received_from(receiver_brp, sender_position; delivery_day, contract_no)',
      'status=superseded&as_of={T2}':
        'sheet_sent_superseded(sender_brp; delivery_day, contract_no) + sheet_received_superseded(receiver_brp; delivery_day, contract_no) + sheet_contract_no_delivery_day_revision_key(contract_no, delivery_day) + invalidation_pkey(contract_no, delivery_day)',
      'status=invalid&as_of={T2}':
        'sheet_sent_invalid(sender_brp; delivery_day, contract_no) + sheet_received_invalid(receiver_brp; delivery_day, contract_no) + sheet_sent_superseded(sender_brp; delivery_day, contract_no) + invalidation_pkey(contract_no, delivery_day) + sheet_received_superseded(receiver_brp; delivery_day, contract_no) + invalidation_pkey(contract_no, delivery_day)',
    },
    listContractTransactions: {
      '- delivery_date=2026-01-02 delivery_start={T1}&delivery_end={T2} slot_number_from=4&slot_number_to=8':
        'former_party_of_brp(brp_no, contract_id) + sheet_contract_no_delivery_day_revision_key(contract_no; delivery_day)',
      // Without a transaction, the contract is read to tell an empty list from an unknown contract.
      'status=invalid':
        'former_party_of_brp(brp_no, contract_id) + sheet_status_pkey(contract_no; delivery_day) + former_party_of_brp(brp_no, contract_id)',
      'sender_eic={eic}&receiver_eic={eic}':
        'former_party_of_brp(brp_no, contract_id) + sheet_contract_no_delivery_day_revision_key(contract_no; delivery_day) + former_party_of_brp(brp_no, contract_id)',
      'as_of={T2}':
        'former_party_of_brp(brp_no, contract_id) + sheet_contract_no_delivery_day_revision_key(contract_no; delivery_day)',
      'status=invalid&as_of={T2}':
        'former_party_of_brp(brp_no, contract_id) + sheet_status_pkey(contract_no; delivery_day) + former_party_of_brp(brp_no, contract_id) + sheet_status_pkey(contract_no; delivery_day) + invalidation_pkey(contract_no, delivery_day) + former_party_of_brp(brp_no, contract_id)',
    },
    getTransactionHistory: {
      '-': 'sheet_contract_no_delivery_day_revision_key(contract_no, delivery_day)',
    },
    listNominations: {
      '- tso=DE_TENNET direction=out delivery_date=2026-01-02 delivery_start={T1}&delivery_end={T2} slot_number_from=4&slot_number_to=8 include_slots=true':
        'nomination_of_brp(brp_no; delivery_day, id)',
      'status=pending': 'nomination_of_brp_by_status(brp_no, status; delivery_day, id)',
      'eic={eic} status=pending&eic={eic}': 'nomination_of_eic(brp_no, eic; delivery_day, id)',
      // The status at an instant follows from the newest confirmation before it, and from the next version by its key.
      'as_of={T2} as_of={T2}&status=pending as_of={T2}&include_slots=true as_of={T2}&tso=DE_TENNET':
        'nomination_of_brp(brp_no; delivery_day, id) + nomination_confirmation_pkey(nomination_id)',
      'as_of={T2}&eic={eic} as_of={T2}&status=pending&eic={eic}':
        'nomination_of_eic(brp_no, eic; delivery_day, id) + nomination_confirmation_pkey(nomination_id)',
    },
    getNominationHistory: {
      '-': 'nomination_position_no_delivery_day_direction_version_key(position_no, delivery_day, direction)',
      'as_of={T2}':
        'nomination_position_no_delivery_day_direction_version_key(position_no, delivery_day, direction) + nomination_confirmation_pkey(nomination_id)',
    },
    // The versions that were sent or marked, and the names of the actors, are read by their ids.
    listOwnSchedules: {
      '- delivery_date=2026-01-02':
        'nomination_of_brp(brp_no; delivery_day, id) + nomination_position_no_delivery_day_direction_version_key(position_no, delivery_day, direction) + own_schedule_mark_pkey(nomination_id) + app_user_of_brp(brp_no, id) + api_key_of_brp(brp_no, id)',
      'changed=true':
        'nomination_of_brp(brp_no; delivery_day, id) + own_schedule_mark_pkey(nomination_id) + nomination_position_no_delivery_day_direction_version_key(position_no, delivery_day, direction; version) + own_schedule_mark_pkey(nomination_id) + nomination_position_no_delivery_day_direction_version_key(position_no, delivery_day, direction) + own_schedule_mark_pkey(nomination_id) + app_user_of_brp(brp_no, id) + api_key_of_brp(brp_no, id)',
    },
    listWebhookEndpoints: {
      '-': 'webhook_endpoint_of_tenant(tenant; id)',
    },
    listWebhookDeliveries: {
      '- order=newest_first': 'webhook_delivery_pkey(endpoint_id; id)',
      'state=failed state=failed&order=newest_first': 'webhook_delivery_of_state(endpoint_id, state; id)',
    },
    listOwnBalanceGroups: {
      '- search=x': 'balance_group_of_brp_in_order(brp_no; eic)',
    },
    // The names of the callers are read by their ids.
    listRequests: {
      '- caller=x status_class=4xx method=GET route=x since={T1} until={T2} caller=x&status_class=5xx&since={T1}&until={T2}':
        'request_batch_of_tenant(tenant; last_at, id) + app_user_of_brp(brp_no, id) + api_key_of_brp(brp_no, id)',
    },
    getRequest: {
      '-': 'request_batch_of_tenant(tenant) + app_user_of_brp(brp_no, id) + api_key_of_brp(brp_no, id)',
    },
    getDaySchedule: {
      'delivery_date=2026-01-02': 'nomination_of_brp(brp_no, delivery_day)',
    },
  },
  operator: {
    listBrps: {
      '- search=x': 'brp_id_key(; id)',
    },
    listAccounts: {
      '-': 'account_id_key(; id)',
    },
    listBalanceGroups: {
      '- tso=DE_TENNET search=x': 'balance_group_in_order(; eic)',
      'brp_id={brp_id} brp_id={brp_id}&search=x': 'balance_group_of_brp_in_order(brp_no; eic)',
    },
    listApiKeys: {
      '-': 'api_key_pkey(; id)',
      'owner_type=operator': 'api_key_of_owner(owner; id)',
      'owner_id={brp_id}': 'api_key_of_brp(brp_no; id)',
      'owner_id={account_id}': 'api_key_of_account(account_no; id)',
    },
    listUsers: {
      '-': 'app_user_pkey(; id) + provider_subject_user_id_issuer_key(user_id)',
      'role=operator': 'app_user_of_role(role; id) + provider_subject_user_id_issuer_key(user_id)',
      'email=a@users.example': 'provider_subject_user_id_issuer_key(user_id)',
      'brp_id={brp_id}': 'app_user_of_brp(brp_no; id) + provider_subject_user_id_issuer_key(user_id)',
      'account_id={account_id}':
        'app_user_of_account(account_no; id) + provider_subject_user_id_issuer_key(user_id)',
    },
    operatorListCustomers: {
      '- tso=DE_TENNET': 'customer_pkey(; id)',
      'search=x search=x&status=pending': 'customer_pkey(; id) + customer_search(; search_trigrams)',
      'brp_id={brp_id}': 'customer_of_brp(brp_no; id)',
      'brp_id={brp_id}&status=pending': 'customer_of_brp_by_status(brp_no, status; id)',
      'status=pending': 'customer_by_status(status; id)',
      'eic={eic}': 'customer_of_position(brp_no, position_no; id)',
      'sort=name sort=-name sort=name&status=pending': 'customer_by_name(; id)',
      'sort=name&brp_id={brp_id} sort=-name&brp_id={brp_id}&status=pending':
        'customer_of_brp_by_name(brp_no; id)',
      'sort=name&eic={eic} sort=-name&brp_id={brp_id}&eic={eic}': 'customer_of_position(brp_no, position_no)',
      'sort=name&search=x': 'customer_by_name(; id) + customer_search(; search_trigrams)',
    },
    listAssets: {
      '- offered=false': 'asset_pkey(; id)',
      'search=x search=x&tso=DE_TENNET': 'asset_pkey(; id) + asset_search(; search_trigrams)',
      'technology=solar': 'asset_of_technology(technology; id)',
      'tso=DE_TENNET': 'asset_of_tso(tso; id)',
      'offered=true': 'offer_asset_id_key(; asset_id)',
      'sort=name sort=-name sort=name&tso=DE_TENNET': 'asset_by_name(; id)',
      'sort=name&search=x': 'asset_by_name(; id) + asset_search(; search_trigrams)',
      'sort=nominal_power sort=-nominal_power&offered=true': 'asset_by_power(; nominal_power_kw, id)',
    },
    listDemands: {
      '-': 'demand_id_key(; id)',
      'country=DE': 'demand_of_country(country; id)',
      'sort=published_at sort=-published_at&country=DE': 'demand_pkey(; published_no)',
    },
    operatorListContracts: {
      '- status=pending type=ppa active_on=2026-01-01 delivery_start={T1} delivery_end={T1}':
        'contract_id_key(; id) + contract_source_pkey(contract_no)',
      'search=x search=x&status=pending':
        'contract_id_key(; id) + contract_search(; search_trigrams) + contract_source_pkey(contract_no)',
      'external_id=x': 'contract_source_pkey(contract_no)',
      'sort=external_id sort=-external_id sort=external_id&status=pending':
        'contract_by_reference(; id) + contract_source_pkey(contract_no)',
      'sort=delivery_start sort=-delivery_start':
        'contract_by_start(; id) + contract_source_pkey(contract_no)',
      'sort=delivery_start&search=x':
        'contract_by_start(; id) + contract_search(; search_trigrams) + contract_source_pkey(contract_no)',
      'eic={eic}':
        'contract_sold_from(seller_brp, seller_eic; id) + contract_bought_at(buyer_brp, buyer_eic; id) + contract_source_pkey(contract_no)',
    },
    listSeries: {
      '-': 'series_id_key(; id)',
      'kind=meter': 'series_of_kind(kind; id)',
      'owner_id={asset_id}': 'series_of_asset(asset_id)',
      'owner_id={customer_id}': 'series_of_customer(customer_id)',
      'market_location=00000000001 market_location=00000000001&kind=meter':
        'series_of_location(market_location)',
    },
    getSeriesValues: {
      'delivery_date=2026-01-02': 'series_sheet_pkey(series_no, delivery_day)',
    },
    listInquiries: {
      '-': 'inquiry_pkey(; id)',
      'status=open': 'inquiry_by_status(status; id)',
    },
    operatorListSeals: SEALS,
    listInterchanges: {
      '-': 'interchange_id_key(; id) + interchange_unknown_pkey(interchange_no)',
    },
    getSeriesDeviation: {
      'from=2026-01-01&to=2026-01-03':
        'series_of_asset(asset_id) + series_of_customer(customer_id) + series_sheet_pkey(series_no, delivery_day)',
    },
    // The sources of a page are read per contract-day.
    operatorListTransactions: {
      '- status=valid type=ppa delivery_date=2026-01-02 delivery_start={T1}&delivery_end={T2} slot_number_from=4&slot_number_to=8':
        'sheet_of_day(; delivery_day, contract_no) + sheet_source_pkey(contract_no, delivery_day)',
      'status=invalid':
        'sheet_invalid(; delivery_day, contract_no) + sheet_source_pkey(contract_no, delivery_day) + invalidation_pkey(contract_no, delivery_day)',
      'status=superseded':
        'sheet_superseded(; delivery_day, contract_no) + sheet_source_pkey(contract_no, delivery_day)',
      // No transaction matches, so no sources are read.
      'sender_eic={eic} sender_eic={eic}&receiver_eic={eic} status=invalid&sender_eic={eic}':
        'sheet_sent_from(sender_brp, sender_position; delivery_day, contract_no)',
      'receiver_eic={eic}': 'sheet_received_at(receiver_brp, receiver_position; delivery_day, contract_no)',
      'contract_id={contract_id}':
        'sheet_contract_no_delivery_day_revision_key(contract_no; delivery_day) + sheet_source_pkey(contract_no, delivery_day)',
      'as_of={T2}':
        'sheet_of_day(; delivery_day, contract_no) + sheet_source_pkey(contract_no, delivery_day)',
      'status=invalid&as_of={T2}':
        'sheet_invalid(; delivery_day, contract_no) + sheet_superseded(; delivery_day, contract_no) + invalidation_pkey(contract_no, delivery_day) + sheet_contract_no_delivery_day_revision_key(contract_no, delivery_day) + invalidation_pkey(contract_no, delivery_day)',
      'status=superseded&as_of={T2}':
        'sheet_superseded(; delivery_day, contract_no) + sheet_contract_no_delivery_day_revision_key(contract_no, delivery_day) + invalidation_pkey(contract_no, delivery_day)',
      'status=invalid&sender_eic={eic}&as_of={T2}':
        'sheet_sent_from(sender_brp, sender_position; delivery_day, contract_no) + invalidation_pkey(contract_no, delivery_day)',
    },
    operatorListNominations: {
      '- tso=DE_TENNET direction=out delivery_date=2026-01-02 delivery_start={T1}&delivery_end={T2} slot_number_from=4&slot_number_to=8 include_slots=true':
        'nomination_of_day(; delivery_day, id)',
      'status=pending': 'nomination_by_status(status; delivery_day, id)',
      'eic={eic}': 'nomination_of_eic(brp_no, eic; delivery_day, id)',
      'as_of={T2} as_of={T2}&status=pending as_of={T2}&include_slots=true':
        'nomination_of_day(; delivery_day, id) + nomination_confirmation_pkey(nomination_id)',
      'as_of={T2}&eic={eic}':
        'nomination_of_eic(brp_no, eic; delivery_day, id) + nomination_confirmation_pkey(nomination_id)',
    },
    listLate: {
      '-': 'late_position_day_pkey(; delivery_day, position_no)',
      'delivery_date=2026-01-02 brp_id={brp_id}&delivery_date=2026-01-02':
        'late_position_day_pkey(delivery_day; position_no)',
      'brp_id={brp_id}': 'late_position_day_of_brp(brp_no; delivery_day, position_no)',
    },
    getExchangeBoard: {
      '-': 'nomination_of_day(; delivery_day) + nomination_of_day(delivery_day) + nomination_of_day(delivery_day) + message_of_day(delivery_day) + unsent_schedule_pkey(delivery_day)',
      'include_slots=true':
        'nomination_of_day(; delivery_day) + nomination_of_day(delivery_day) + nomination_of_day(delivery_day) + message_of_day(delivery_day) + unsent_schedule_pkey(delivery_day) + nomination_of_day(delivery_day)',
    },
    listMismatches: {
      'delivery_date=2026-01-02 delivery_date=2026-01-02&tso=DE_TENNET':
        'nomination_of_day(delivery_day; id)',
    },
    listUnsent: {
      '- delivery_date=2026-01-02 tso=DE_TENNET': 'nomination_unsent(; gate_closure, id)',
    },
    listAlarms: {
      '- kind=rejected tso=DE_TENNET delivery_date=2026-01-02 order=newest_first': 'alarm_open(; id)',
      'state=resolved state=resolved&kind=rejected state=resolved&tso=DE_TENNET state=resolved&order=newest_first':
        'alarm_ended(; id)',
    },
    listMessages: {
      '- direction=out order=newest_first': 'message_pkey(; id)',
      'delivery_date=2026-01-02 order=newest_first&delivery_date=2026-01-02':
        'message_of_day(delivery_day; id)',
      'state=failed order=newest_first&state=failed': 'message_of_state(state; id)',
      'type=anomaly': 'message_of_type(type; id)',
      'tso=DE_TENNET': 'message_of_tso(tso; id)',
    },
    operatorListEvents: {
      '- order=newest_first': 'event_of_tenant(tenant; sequence) + event_checkpoint_pkey(tenant)',
      'types=nomination.*,exchange.alarm':
        'event_of_tenant(tenant; sequence) + event_checkpoint_pkey(tenant) + event_of_tenant(tenant; sequence)',
    },
    operatorListWebhookEndpoints: {
      '-': 'webhook_endpoint_of_tenant(tenant; id)',
    },
    operatorListWebhookDeliveries: {
      '- order=newest_first': 'webhook_delivery_pkey(endpoint_id; id)',
      'state=failed': 'webhook_delivery_of_state(endpoint_id, state; id)',
    },
    listAudit: {
      '- order=newest_first': 'audit_pkey(; no)',
      'subject=x order=newest_first&subject=x': 'audit_of_subject(subject; no)',
      'actor=x': 'audit_of_actor(actor; no)',
      'action=x': 'audit_of_action(action; no)',
      'since={T1} until={T1}&order=newest_first since={T1}&until={T2}&actor=x': 'audit_of_time(; at, no)',
      'since={T1}&subject=x': 'audit_of_subject(subject; no)',
    },
    operatorListRequests: {
      '- caller=x status_class=4xx method=GET route=x since={T1} until={T2} caller=x&status_class=5xx&since={T1}&until={T2}':
        'request_batch_of_tenant(tenant; last_at, id)',
    },
    operatorGetRequest: {
      '-': 'request_batch_of_tenant(tenant)',
    },
  },
  'user of a BRP': {
    listOwnApiKeys: {
      '-': 'api_key_of_brp(brp_no; id)',
    },
    listOwnUsers: {
      '-': 'app_user_of_brp(brp_no; id) + provider_subject_user_id_issuer_key(user_id)',
    },
    listOwnCustomers: {
      '- search=x tso=DE_TENNET': 'customer_of_brp(brp_no; id)',
      'status=pending': 'customer_of_brp_by_status(brp_no, status; id)',
      'eic={eic}': 'customer_of_position(brp_no, position_no; id)',
      'sort=name sort=-name&search=x sort=name&status=pending': 'customer_of_brp_by_name(brp_no; id)',
    },
    searchOwnContracts: {
      '- search=x status=pending type=ppa active_on=2026-01-01 delivery_start={T1} delivery_end={T1}':
        'contract_sold(seller_brp; id) + contract_bought(buyer_brp; id) + former_party_of_brp(brp_no; contract_id)',
      'eic={eic} search=x&eic={eic}':
        'contract_sold_from(seller_brp, seller_eic; id) + contract_sold_to(seller_brp, buyer_eic; id) + contract_bought_from(buyer_brp, seller_eic; id) + contract_bought_at(buyer_brp, buyer_eic; id) + former_party_of_brp(brp_no; contract_id)',
    },
  },
  'user of an account': {
    listOwnRequests: {
      '- caller=x status_class=4xx method=GET route=x since={T1} until={T2} caller=x&status_class=5xx&since={T1}&until={T2}':
        'request_batch_of_tenant(tenant; last_at, id)',
    },
    getOwnRequest: {
      '-': 'request_batch_of_tenant(tenant)',
    },
    listOwnApiKeys: {
      '-': 'api_key_of_account(account_no; id)',
    },
    listOwnUsers: {
      '-': 'app_user_of_account(account_no; id) + provider_subject_user_id_issuer_key(user_id)',
    },
    browseAssets: {
      '-': 'offer_pkey(; published_no)',
    },
    browseDemands: {
      '-': 'demand_pkey(; published_no)',
    },
    listOwnInquiries: {
      '-': 'inquiry_of_account(account_no; id)',
    },
  },
  account: {
    listMarketEvents: {
      '- order=newest_first': 'event_of_tenant(tenant; sequence) + event_checkpoint_pkey(tenant)',
      'types=asset.*':
        'event_of_tenant(tenant; sequence) + event_checkpoint_pkey(tenant) + event_of_tenant(tenant; sequence)',
    },
    marketListWebhookEndpoints: {
      '-': 'webhook_endpoint_of_tenant(tenant; id)',
    },
    marketListWebhookDeliveries: {
      '- order=newest_first': 'webhook_delivery_pkey(endpoint_id; id)',
      'state=failed': 'webhook_delivery_of_state(endpoint_id, state; id)',
    },
    listMarketAssets: {
      '-': 'offer_pkey(; published_no)',
    },
    listMarketDemands: {
      '-': 'demand_pkey(; published_no)',
    },
  },
};

const cases = (Object.keys(PLANS) as Caller[]).flatMap((caller) =>
  Object.entries(PLANS[caller]).flatMap(([id, plans]) =>
    Object.entries(plans).flatMap(([queries, wanted]) =>
      queries.split(' ').map((query) => ({ caller, id, query: query === '-' ? '' : query, wanted })),
    ),
  ),
);

type Index = { readonly name: string; readonly is_unique: boolean; readonly columns: readonly string[] };
const READ_INDEXES = `
  select c.relname as name, i.indisunique as is_unique, array(
    select a.attname::text from pg_attribute a where a.attrelid = i.indexrelid order by a.attnum) as columns
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = 'public'::regnamespace`;

class Explainer {
  private readonly client = new pg.Client(readerConfig(platform.databaseUrl));
  private indexes = new Map<string, Index>();

  async open(): Promise<void> {
    await this.client.connect();
    const { rows } = await this.client.query<Index>(READ_INDEXES);
    this.indexes = new Map(rows.map((row) => [row.name, row]));
  }

  close = () => this.client.end();

  /** What the statement reads with its generic plan, under the settings of the server's read connections. */
  async readsOf(one: Asked): Promise<string[]> {
    const plan = await explain(this.client, one);
    // The index of a bitmap scan is in a node of its own.
    const scans = nodesOf(plan).filter(
      (node) => node['Node Type'] === 'Bitmap Index Scan' || node['Relation Name'] !== undefined,
    );
    return scans
      .filter((node) => node['Node Type'] !== 'Bitmap Heap Scan')
      .map((node) => this.scanOf(node))
      .filter((scan) => scan !== null);
  }

  private scanOf(node: PlanNode): string | null {
    const index = this.indexes.get(String(node['Index Name']));
    if (!index) return `${String(node['Node Type'])} on ${String(node['Relation Name'])}`;
    const condition = String(node['Index Cond'] ?? '');
    const { name, is_unique, columns } = index;
    const equal = columns.filter((column) => new RegExp(`\\b${column}\\)?(?:::\\w+)? = `).test(condition));
    const ranged = columns.filter(
      (column) => !equal.includes(column) && new RegExp(`\\b${column}\\b`).test(condition),
    );
    if (is_unique && equal.length === columns.length) return null;
    if (name === 'position_eic_tso_key' && equal[0] === 'eic') return null;
    return `${name}(${equal.join(', ')}${ranged.length === 0 ? '' : `; ${ranged.join(', ')}`})`;
  }
}

type Answer = { readonly statusCode: number; readonly body: string };

const newWebhook = async (baseUrl: string, path: string, headers: Record<string, string>) => {
  const answer = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://hooks.example/' }),
  });
  return { webhook_endpoint_id: ((await answer.json()) as { id: string }).id };
};
/** Endpoints of the callers other than the BRP. */
const webhookIds: Partial<Record<Caller, Record<string, string>>> = {
  operator: await newWebhook(platform.baseUrl, '/operator/v1/webhook-endpoints', CALLERS.operator),
  account: await newWebhook(platform.customerUrl, '/v1/webhook-endpoints', CALLERS.account),
};

/** Filters by id have the name of the path parameter. */
function addressOf({ path }: Endpoint, query: string, caller: Caller): string {
  const named = {
    ...ids,
    ...webhookIds[caller],
    eic,
    request_id: LOGGED_ID,
    T1: '2026-01-01T00:00:00Z',
    T2: '2026-01-03T00:00:00Z',
  };
  return `${path}?${query}`.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof named) => named[name] ?? name);
}

/** Look-ups of the caller. */
const isBesideTheList = (name: string) => /^find_(?:key|session)$/.test(name);

test('every list reads the rows of its tenant and main filter by an index, and no others', async (t) => {
  const explainer = new Explainer();
  await explainer.open();
  t.after(explainer.close);
  for (const { caller, id, query, wanted } of cases) {
    const endpoint = ENDPOINTS[id];
    assert.ok(endpoint, id);
    const listener = caller === 'account' ? customerApp : app;
    const ask = (): Promise<Answer> =>
      listener.inject({ url: addressOf(endpoint, query, caller), headers: CALLERS[caller] });
    // The first request of a process also reads data that later ones have cached.
    await ask();
    asked.length = 0;
    const { statusCode, body } = await ask();
    assert.equal(statusCode, 200, body);
    const reads = [];
    for (const [name, one] of askedByName())
      if (!isBesideTheList(name)) reads.push(...(await explainer.readsOf(one)));
    assert.equal(reads.join(' + '), wanted, `${id} for ${caller}: ${query}`);
  }
});

test('whether a position is in use is found by the placements in it', async (t) => {
  const explainer = new Explainer();
  await explainer.open();
  t.after(explainer.close);
  asked.length = 0;
  await findTsosInUse(recording, eic, TSOS, '2026-06-01');
  const reads = [];
  for (const one of askedByName().values()) reads.push(...(await explainer.readsOf(one)));
  assert.deepEqual(reads, [
    'placement_of_position(position_no; last_day)',
    'former_party_of_position(position_no; last_day)',
  ]);
});

test('series are found by their ids, their market locations, and those of a kind that a new one would repeat', async (t) => {
  const explainer = new Explainer();
  await explainer.open();
  t.after(explainer.close);
  asked.length = 0;
  const location = { marketLocation: '00000000001', kind: 'meter' as const };
  const [series] = await readSeries(recording, { locations: [location] });
  assert.ok(series);
  assert.equal((await readSeries(recording, { ids: [series.id], locations: [location] })).length, 1);
  assert.equal((await findSeriesOfKind(recording, series)).length, 1);
  const reads = [];
  for (const one of askedByName().values()) reads.push(...(await explainer.readsOf(one)));
  assert.deepEqual(reads, []);
});

test('later values of a day are found by index scans of that day, and unread interchanges by an index of their own', async (t) => {
  const explainer = new Explainer();
  await explainer.open();
  t.after(explainer.close);
  asked.length = 0;
  const valuesWh = Array.from({ length: 96 }, () => 1);
  const day = { series: { no: 5, id: '' }, day: '2026-01-02', message: 1, valuesWh };
  const [left] = await withoutOutdated(recording, { no: 1, received_at: 0 }, [day]);
  assert.deepEqual(new Set(left?.valuesWh), new Set([null]));
  assert.deepEqual(await listUnread(recording), []);
  const reads = [];
  for (const one of askedByName().values()) reads.push(...(await explainer.readsOf(one)));
  assert.deepEqual(reads, [
    'interchange_day_pkey(series_no, delivery_day; interchange_no, message)',
    'series_sheet_pkey(series_no, delivery_day)',
    'interchange_day_pkey(series_no, delivery_day)',
    'interchange_unread()',
    'interchange_unknown_pkey(interchange_no)',
  ]);
});

test('due webhooks are found by one index scan per enabled endpoint', async (t) => {
  const explainer = new Explainer();
  await explainer.open();
  t.after(explainer.close);
  asked.length = 0;
  await claimDue(recording, { byEndpoint: new Map(), failing: 0 }, 0);
  assert.deepEqual(
    [...askedByName().keys()],
    ['has_due_webhook_deliveries', 'has_due_failing_webhook_deliveries'],
  );
  for (const one of askedByName().values()) {
    assert.deepEqual(await explainer.readsOf(one), [
      'webhook_endpoint_enabled()',
      'webhook_delivery_due(endpoint_id; next_attempt_at)',
    ]);
  }
});

const isList = ({ response, numberedPages }: Endpoint) =>
  numberedPages === true || 'pagination' in ((response as { properties?: object }).properties ?? {});

/** Parameters that select the page and its format, not the records of the list. */
const NOT_FILTERS = new Set(['limit', 'after', 'page', 'listVersion', 'wait', 'include_assets']);

test('the plans of all lists are checked, for each of their filters', () => {
  const lists = Object.values(ENDPOINTS).filter(isList);
  assert.ok(lists.length > 20, `${lists.length} lists`);
  for (const { id, query } of lists) {
    const queries = cases.filter((one) => one.id === id).map((one) => one.query);
    assert.ok(queries.length > 0, `${id} is not in the table of plans`);
    const known = new Set(queries.flatMap((text) => [...new URLSearchParams(text).keys()]));
    const filters = Object.keys((query as { properties?: object }).properties ?? {});
    const missing = filters.filter((name) => !NOT_FILTERS.has(name) && !known.has(name));
    assert.deepEqual(missing, [], `filters of ${id} whose plans are not known`);
  }
});
