import { STATUS_BIT } from '@saldo/core/transactions/sheet.ts';

const ofSheet = (sheet: string) => `sheet_status t
  where t.contract_no = ${sheet}.contract_no and t.delivery_day = ${sheet}.delivery_day and t.revision = ${sheet}.revision`;

/** A column of the row of a sheet in `sheet_status`, null while all its transactions are valid. */
export const statusColumnOf = (sheet: string, column: 'statuses' | 'mask') =>
  `(select t.${column} from ${ofSheet(sheet)})`;

/**
 * Joins the row as `status`, for reads of many sheets. `offset 0` makes it one look-up per sheet: the planner could
 * read all statuses instead.
 */
export const joinStatus = (sheet: string) =>
  `left join lateral (select t.mask, t.statuses from ${ofSheet(sheet)} offset 0) as status on true`;

/** The volumes of a sheet, null if all its transactions are superseded: no saldo and no correction needs them. */
export const volumesInUse = (sheet: string) =>
  `case when status.mask = ${STATUS_BIT.superseded} then null else ${sheet}.volumes end`;
