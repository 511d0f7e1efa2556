import { portalInquiryEndpoints } from '../inquiries.ts';
import { portalRequestEndpoints } from '../requests.ts';
import { portalChangesEndpoints } from './changes.ts';
import { portalContractEndpoints } from './contracts.ts';
import { portalCustomerEndpoints } from './customers.ts';
import { portalFactorEndpoints } from './factors.ts';
import { portalLastChangeEndpoints } from './last-change.ts';
import { portalMarketEndpoints } from './market.ts';
import { portalOwnEndpoints } from './own.ts';
import { portalPasskeyEndpoints } from './passkeys.ts';
import { portalProviderEndpoints } from './providers.ts';
import { portalSessionEndpoints } from './session.ts';
import { portalUserEndpoints } from './users.ts';

/** Operations that only the portal needs: sessions, records of the user's own BRP or account, the market. */
export const portalEndpoints = {
  ...portalSessionEndpoints,
  ...portalFactorEndpoints,
  ...portalPasskeyEndpoints,
  ...portalProviderEndpoints,
  ...portalOwnEndpoints,
  ...portalUserEndpoints,
  ...portalContractEndpoints,
  ...portalCustomerEndpoints,
  ...portalMarketEndpoints,
  ...portalInquiryEndpoints,
  ...portalChangesEndpoints,
  ...portalLastChangeEndpoints,
  ...portalRequestEndpoints,
};
