import { portalMarketEndpoints } from './market.ts';
import { portalOwnEndpoints } from './own.ts';
import { portalSessionEndpoints } from './session.ts';

/** What the portal itself needs besides the two APIs: sessions, what belongs to the user's BRP or account, the market. */
export const portalEndpoints = {
  ...portalSessionEndpoints,
  ...portalOwnEndpoints,
  ...portalMarketEndpoints,
};
