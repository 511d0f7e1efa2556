import { contractEndpoints } from './contracts.ts';
import { customerEndpoints } from './customers.ts';
import { deliveryDayEndpoints } from './delivery-days.ts';
import { nominationEndpoints } from './nominations.ts';
import { operatorContractEndpoints } from './operator/contracts.ts';
import { operatorCustomerEndpoints } from './operator/customers.ts';
import { operatorExchangeEndpoints } from './operator/exchange.ts';
import { operatorMarketEndpoints } from './operator/market.ts';
import { operatorNominationEndpoints } from './operator/nominations.ts';
import { operatorPartyEndpoints } from './operator/parties.ts';
import { operatorPlatformEndpoints } from './operator/platform.ts';
import { operatorUserEndpoints } from './operator/users.ts';
import { operatorVolumeEndpoints } from './operator/volumes.ts';
import { portalMarketEndpoints } from './portal/market.ts';
import { portalOwnEndpoints } from './portal/own.ts';
import { portalSessionEndpoints } from './portal/session.ts';
import { transactionEndpoints } from './transactions.ts';

/** Every operation of the BRP API, in the order in which it is documented. */
export const brpEndpoints = {
  ...contractEndpoints,
  ...transactionEndpoints,
  ...nominationEndpoints,
  ...customerEndpoints,
  ...deliveryDayEndpoints,
};

/** Every operation of the operator API that is there in every platform. */
export const operatorEndpoints = {
  ...operatorPartyEndpoints,
  ...operatorUserEndpoints,
  ...operatorCustomerEndpoints,
  ...operatorMarketEndpoints,
  ...operatorContractEndpoints,
  ...operatorVolumeEndpoints,
  ...operatorNominationEndpoints,
  ...operatorExchangeEndpoints,
  ...operatorPlatformEndpoints,
};

/** What the portal itself needs besides the two APIs: sessions, what belongs to the user's BRP or account, the market. */
export const portalEndpoints = {
  ...portalSessionEndpoints,
  ...portalOwnEndpoints,
  ...portalMarketEndpoints,
};

export * from './common.ts';
export * from './contracts.ts';
export * from './customers.ts';
export * from './delivery-days.ts';
export * from './endpoint.ts';
export * from './market.ts';
export * from './nominations.ts';
export * from './operator/contracts.ts';
export * from './operator/customers.ts';
export * from './operator/exchange.ts';
export * from './operator/market.ts';
export * from './operator/nominations.ts';
export * from './operator/parties.ts';
export * from './operator/platform.ts';
export * from './operator/users.ts';
export * from './operator/volumes.ts';
export * from './portal/market.ts';
export * from './portal/own.ts';
export * from './portal/session.ts';
export * from './problems.ts';
export * from './scopes.ts';
export * from './transactions.ts';
export * from './users.ts';
