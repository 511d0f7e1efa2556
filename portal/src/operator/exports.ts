import type { Brp, OperatorCustomer } from '@saldo/api';
import { CUSTOMER_COLUMNS } from '../brp/exports.ts';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';

/** Shared by BRPs and accounts. */
export const PARTY_COLUMNS = memberColumns<Brp>('id', 'name', 'created_at');

export const OPERATOR_CUSTOMER_COLUMNS: readonly CsvColumn<OperatorCustomer>[] = [
  ...CUSTOMER_COLUMNS,
  { name: 'brp_id', value: ({ brp_id }) => brp_id },
];
