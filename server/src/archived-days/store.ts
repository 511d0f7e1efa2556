import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { perViewer, tenantValues, type Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { hotStatement, statement } from '../platform/db/statement.ts';
import { problem } from '../platform/http/problem.ts';
import { firstDayOf, firstKeptDay, type Month, monthOf } from './months.ts';

type ArchivedMonth = { readonly month: Month; readonly files: readonly string[] };

const COLUMNS = `to_char(a.month, 'YYYY-MM') as month,
  array(select file ->> 'name' from jsonb_array_elements(a.files) as file) as files`;

/** Archived months that a rejection names at most. */
const MAX_NAMED = 12;

const FIND_MONTHS = hotStatement(
  'find_archived_months',
  `select ${COLUMNS} from archive a where a.month >= $1 and a.month <= $2 order by a.month limit ${MAX_NAMED + 1}`,
);

/** Rejects a request for these days if one of them is archived. Costs nothing for days that are too young for that. */
async function rejectArchived(db: Db, first: DeliveryDay, last: DeliveryDay): Promise<void> {
  if (first >= firstKeptDay() || first > last) return;
  rejectMonths(await db.hot.query<ArchivedMonth>(FIND_MONTHS, [firstDayOf(monthOf(first)), last]));
}

/**
 * Reads the rows of days that a request names. They are archived, and restored, in one transaction: the check before
 * the read is for a month that is restored meanwhile, the one after it for a month that is archived meanwhile.
 */
export async function readDays<T>(
  db: Db,
  { first, last }: { readonly first: DeliveryDay; readonly last: DeliveryDay },
  read: () => Promise<T>,
): Promise<T> {
  await rejectArchived(db, first, last);
  const found = await read();
  await rejectArchived(db, first, last);
  return found;
}

/**
 * Lists the rows of the days of a filter, from a cursor on. Days that the filter names are rejected if they are archived.
 * Without named days the list has what is stored, but the rest of a day that was archived since the previous page is
 * rejected: the walk would miss it.
 */
export function listDays<T>(
  db: Db,
  filter: { readonly isNamed: boolean; readonly first: DeliveryDay; readonly last: DeliveryDay },
  cursor: DeliveryDay | null,
  list: () => Promise<T>,
): Promise<T> {
  const isWalk = cursor !== null && cursor > filter.first;
  if (!filter.isNamed && !isWalk) return list();
  const first = isWalk ? cursor : filter.first;
  return readDays(db, { first, last: filter.isNamed ? filter.last : first }, list);
}

const FIND_MONTH_OF_ID = perViewer(
  statement,
  'find_archived_month_of_id',
  'i.brp_no = $2 or i.other_brp_no = $2',
  (andTenant) => `select ${COLUMNS} from archive a join archived_id i on i.month = a.month
   where i.id = $1${andTenant}`,
);

/**
 * Reads the rows of an id. Without any, rejects the request if the viewer could read the record before it was archived. The
 * second read is for a month that is restored between the first one and the check.
 */
export async function readById<T>(
  db: Db,
  viewer: Viewer,
  id: string,
  read: () => Promise<T[]>,
): Promise<T[]> {
  const found = await read();
  if (found.length > 0) return found;
  rejectMonths(await db.query<ArchivedMonth>(FIND_MONTH_OF_ID[viewer.kind], [id, ...tenantValues(viewer)]));
  return read();
}

function rejectMonths(found: readonly ArchivedMonth[]): void {
  if (found.length === 0) return;
  const texts = found.slice(0, MAX_NAMED).map(({ month, files }) => `${month} (${files.join(', ')})`);
  const others = found.length > MAX_NAMED ? ' and later ones' : '';
  throw problem('archived', `Archived months: ${texts.join(', ')}${others}. The operator can restore them.`);
}
