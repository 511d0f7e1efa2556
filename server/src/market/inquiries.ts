import { type Inquiry, type InquiryStatus, LIMITS } from '@saldo/api';
import { formatInstant, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList } from '../platform/db/filtered-list.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow } from '../platform/db/rows.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { problem } from '../platform/http/problem.ts';

type InquiryRow = {
  id: string;
  status: InquiryStatus;
  account_id: string;
  account_name: string;
  user_name: string;
  user_email: string;
  asset_id: string | null;
  demand_id: string | null;
  message: string;
  answer: string | null;
  answered_at: number | null;
  created_at: number;
};

const SELECT = `select i.id, i.status, a.id as account_id, a.name as account_name, u.name as user_name, u.email as user_email,
    i.asset_id, i.demand_id, i.message, i.answer, i.answered_at, i.created_at
  from inquiry i join account a on a.no = i.account_no join app_user u on u.id = i.user_id`;

const idOrNull = (prefix: 'ast' | 'dem', uuid: string | null) => uuid && encodeId(prefix, uuid);

export const wireInquiry = (row: InquiryRow): Inquiry => ({
  id: encodeId(ID_PREFIX.inquiry, row.id),
  status: row.status,
  account: { id: encodeId(ID_PREFIX.account, row.account_id), name: row.account_name },
  user: { name: row.user_name, email: row.user_email },
  asset_id: idOrNull(ID_PREFIX.asset, row.asset_id),
  demand_id: idOrNull(ID_PREFIX.demand, row.demand_id),
  message: row.message,
  answer: row.answer,
  answered_at: formatInstantOrNull(row.answered_at),
  created_at: formatInstant(row.created_at),
});

type PageStart = { readonly after: string; readonly count: number };

const LIST_OWN = statement(
  'list_own_inquiries',
  `${SELECT} where i.account_no = $1 and i.id < $2 order by i.id desc limit $3`,
);

/** Newest first. */
export const listOwnInquiries = (db: Db, accountNo: number, { after, count }: PageStart) =>
  db.query<InquiryRow>(LIST_OWN, [accountNo, after, count]);

const LIST = filteredList({
  make: statement,
  name: 'list_inquiries',
  ownParameters: 2,
  filters: { status: { type: 'inquiry_status', condition: (status: string) => `i.status = ${status}` } },
  leads: ['status'],
  text: (where) => `${SELECT} where i.id < $1 and ${where} order by i.id desc limit $2`,
});

/** Newest first. */
export const listInquiries = (db: Db, status: InquiryStatus | null, { after, count }: PageStart) =>
  db.query<InquiryRow>(...LIST([after, count], { status }));

const FIND = statement('find_inquiry', `${SELECT} where i.id = $1`);
const FIND_OWN = statement('find_own_inquiry', `${SELECT} where i.id = $1 and i.account_no = $2`);
const LOCK_ACCOUNT = statement('lock_account', 'select no from account where no = $1 for update');
const COUNT_OPEN = statement(
  'count_open_inquiries',
  "select count(*)::int as count from inquiry where account_no = $1 and status = 'open'",
);

/** Null means the operator, who sees all inquiries. */
type Asker = number | null;

async function getInquiry(tx: Tx, id: string, accountNo: Asker): Promise<InquiryRow> {
  const [row] =
    accountNo === null
      ? await tx.query<InquiryRow>(FIND, [id])
      : await tx.query<InquiryRow>(FIND_OWN, [id, accountNo]);
  if (!row) throw problem('inquiry_not_found');
  return row;
}

export type NewInquiry = {
  readonly accountNo: number;
  readonly userId: string;
  readonly assetId: string | null;
  readonly demandId: string | null;
  readonly message: string;
};

/** `now` is read after the lock. */
export async function createInquiry(tx: Tx, inquiry: NewInquiry, now: () => number): Promise<InquiryRow> {
  const { accountNo, userId, assetId, demandId, message } = inquiry;
  await tx.query(LOCK_ACCOUNT, [accountNo]);
  const [open] = await tx.query<{ count: number }>(COUNT_OPEN, [accountNo]);
  if ((open?.count ?? 0) >= LIMITS.openInquiries)
    throw problem('too_many_inquiries', { key: 'problem.too_many_inquiries', count: LIMITS.openInquiries });
  const row = {
    ...{
      id: newId(),
      account_no: accountNo,
      user_id: userId,
      asset_id: assetId,
      demand_id: demandId,
      message,
    },
    created_at: timestamp(now()),
  };
  await insertRow(tx, 'inquiry', row);
  return getInquiry(tx, row.id, accountNo);
}

const LOCK = statement('lock_inquiry', 'select id from inquiry where id = $1 for update');
const ANSWER = statement(
  'answer_inquiry',
  "update inquiry set status = 'answered', answer = $2, answered_at = $3 where id = $1",
);
const CLOSE = statement('close_inquiry', "update inquiry set status = 'closed' where id = $1");

/** The inquiry before and after a change. A closed one stays as it is. */
async function changeInquiry(
  tx: Tx,
  id: string,
  accountNo: Asker,
  change: () => Promise<unknown>,
): Promise<{ before: Inquiry; after: Inquiry }> {
  await getInquiry(tx, id, accountNo);
  await tx.query(LOCK, [id]);
  const before = wireInquiry(await getInquiry(tx, id, accountNo));
  if (before.status === 'closed')
    throw problem('invalid_status_transition', { key: 'problem.inquiry_closed' });
  await change();
  return { before, after: wireInquiry(await getInquiry(tx, id, accountNo)) };
}

export const answerInquiry = (tx: Tx, id: string, answer: string, now: () => number) =>
  changeInquiry(tx, id, null, () => tx.query(ANSWER, [id, answer, timestamp(now())]));

export const closeInquiry = (tx: Tx, id: string, accountNo: number) =>
  changeInquiry(tx, id, accountNo, () => tx.query(CLOSE, [id]));

const LIST_WATCHED = statement(
  'list_watched_offers',
  `select w.asset_id from watched_offer w join offer o on o.asset_id = w.asset_id
   where w.user_id = $1 order by w.watched_at desc, w.asset_id`,
);
const WATCH = statement(
  'watch_offer',
  `insert into watched_offer (user_id, asset_id, watched_at)
   select $1, o.asset_id, $3 from offer o where o.asset_id = $2
   on conflict (user_id, asset_id) do update set watched_at = watched_offer.watched_at
   returning asset_id`,
);
const UNWATCH = statement('unwatch_offer', 'delete from watched_offer where user_id = $1 and asset_id = $2');

export async function listWatchedOffers(db: Db, userId: string): Promise<string[]> {
  const rows = await db.query<{ asset_id: string }>(LIST_WATCHED, [userId]);
  return rows.map(({ asset_id }) => encodeId(ID_PREFIX.asset, asset_id));
}

/** False if there is no such offer. */
export async function watchOffer(tx: Tx, userId: string, assetId: string, now: number): Promise<boolean> {
  return (await tx.query(WATCH, [userId, assetId, timestamp(now)])).length > 0;
}

export async function unwatchOffer(tx: Tx, userId: string, assetId: string): Promise<void> {
  await tx.query(UNWATCH, [userId, assetId]);
}
