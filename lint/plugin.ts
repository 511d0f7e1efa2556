import { layers } from './layers.ts';
import { mutationVariables } from './mutations.ts';
import { noDatabaseInTransaction } from './transactions.ts';

// The linter expects a plugin as the default export of its file.
export default {
  meta: { name: 'saldo' },
  rules: {
    layers,
    'mutation-variables': mutationVariables,
    'no-database-in-transaction': noDatabaseInTransaction,
  },
};
