import { contractEndpoints } from './contracts.ts';
import { customerEndpoints } from './customers.ts';
import { nominationEndpoints } from './nominations.ts';
import { transactionEndpoints } from './transactions.ts';

/** Every operation of the BRP API, in the order in which it is documented. */
export const brpEndpoints = {
  ...contractEndpoints,
  ...transactionEndpoints,
  ...nominationEndpoints,
  ...customerEndpoints,
};

export * from './common.ts';
export * from './contracts.ts';
export * from './customers.ts';
export * from './endpoint.ts';
export * from './nominations.ts';
export * from './problems.ts';
export * from './scopes.ts';
export * from './transactions.ts';
