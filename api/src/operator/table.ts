import { operatorEventEndpoints } from '../events.ts';
import { operatorInquiryEndpoints } from '../inquiries.ts';
import { operatorLedgerEndpoints } from '../ledger.ts';
import { operatorRequestEndpoints } from '../requests.ts';
import { operatorWebhookEndpoints } from '../webhooks.ts';
import { operatorAlarmEndpoints } from './alarms.ts';
import { operatorContractEndpoints } from './contracts.ts';
import { operatorCustomerEndpoints } from './customers.ts';
import { operatorDemandEndpoints } from './demands.ts';
import { operatorExchangeEndpoints } from './exchange.ts';
import { operatorExportEndpoints } from './exports.ts';
import { operatorMarketEndpoints } from './market.ts';
import { operatorNominationEndpoints } from './nominations.ts';
import { operatorPartyEndpoints } from './parties.ts';
import { operatorPlatformEndpoints } from './platform.ts';
import { operatorSeriesEndpoints } from './series.ts';
import { operatorUserEndpoints } from './users.ts';
import { operatorVolumeEndpoints } from './volumes.ts';

/** All operations of the operator API, without those of the sandbox. */
export const operatorEndpoints = {
  ...operatorPartyEndpoints,
  ...operatorUserEndpoints,
  ...operatorCustomerEndpoints,
  ...operatorMarketEndpoints,
  ...operatorDemandEndpoints,
  ...operatorInquiryEndpoints,
  ...operatorContractEndpoints,
  ...operatorSeriesEndpoints,
  ...operatorVolumeEndpoints,
  ...operatorNominationEndpoints,
  ...operatorExportEndpoints,
  ...operatorLedgerEndpoints,
  ...operatorExchangeEndpoints,
  ...operatorAlarmEndpoints,
  ...operatorEventEndpoints,
  ...operatorWebhookEndpoints,
  ...operatorPlatformEndpoints,
  ...operatorRequestEndpoints,
};
