import { balanceGroupEndpoints } from './balance-groups.ts';
import { contractEndpoints } from './contracts.ts';
import { customerEndpoints } from './customers.ts';
import { deliveryDayEndpoints } from './delivery-days.ts';
import { eventEndpoints } from './events.ts';
import { exportEndpoints } from './exports.ts';
import { ledgerEndpoints } from './ledger.ts';
import { nominationEndpoints } from './nominations.ts';
import { requestEndpoints } from './requests.ts';
import { scheduleEndpoints } from './schedules.ts';
import { transactionEndpoints } from './transactions.ts';
import { brpWebhooks } from './webhooks.ts';

/** Every operation of the BRP API, in the order in which it is documented. */
export const brpEndpoints = {
  ...contractEndpoints,
  ...transactionEndpoints,
  ...nominationEndpoints,
  ...exportEndpoints,
  ...ledgerEndpoints,
  ...scheduleEndpoints,
  ...customerEndpoints,
  ...balanceGroupEndpoints,
  ...brpWebhooks,
  ...deliveryDayEndpoints,
  ...eventEndpoints,
  ...requestEndpoints,
};
