import { portalInquiryEndpoints as endpoints, operatorInquiryEndpoints } from '@saldo/api';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { recordAudit } from '../audit/store.ts';
import { type Clock, transactionClock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { type PageRequest, pageInOrder, paginate } from '../platform/http/paging.ts';
import { fieldProblem, getUuid, problem } from '../platform/http/problem.ts';
import { type Call, getOwner, type Route, route, writeRoute } from '../platform/http/routes.ts';
import { assetNotFound, assetUuid, demandNotFound, demandUuid } from './actions.ts';
import {
  answerInquiry,
  closeInquiry,
  createInquiry,
  listInquiries,
  listOwnInquiries,
  listWatchedOffers,
  unwatchOffer,
  watchOffer,
  wireInquiry,
} from './inquiries.ts';
import { findDemand, findOffers } from './store.ts';

type InquiryPage = Awaited<ReturnType<typeof listInquiries>>;

function answerPage(page: PageRequest, rows: InquiryPage) {
  const { records, pagination } = paginate(page, rows, ({ id }) => [id]);
  return { inquiries: records.map(wireInquiry), pagination };
}

/** The account and the user of a session. */
function askerOf(call: Pick<Call<typeof endpoints.listOwnInquiries>, 'owner' | 'request'>) {
  const owner = getOwner(call);
  const { session = null } = call.request.principal ?? {};
  if (owner.type !== 'account' || session === null)
    throw new Error('the guard admits only sessions of account users');
  return { accountNo: owner.accountNo, userId: session.userId };
}

const inquiryUuid = (id: string) => getUuid(ID_PREFIX.inquiry, id, () => problem('inquiry_not_found'));

/** What an inquiry is about. It has to be published. */
async function subjectOf(tx: Tx, { asset_id, demand_id }: { asset_id?: string; demand_id?: string }) {
  if ((asset_id === undefined) === (demand_id === undefined))
    throw fieldProblem(asset_id === undefined ? 'asset_id' : 'demand_id', 'validation_failed', {
      key: 'field.one_subject',
    });
  if (asset_id !== undefined) {
    const assetId = assetUuid(asset_id);
    if (!(await findOffers(tx, [assetId])).has(assetId)) throw assetNotFound();
    return { assetId, demandId: null };
  }
  const demandId = demandUuid(demand_id ?? '');
  if ((await findDemand(tx, demandId)) === null) throw demandNotFound();
  return { assetId: null, demandId };
}

/** Inquiries and the watch list, for users of accounts. */
export const portalInquiryRoutes = (db: Database, clock: Clock): Route[] => [
  writeRoute(endpoints.createInquiry, async (call, tx) => {
    const { message, ...about } = call.body;
    const subject = await subjectOf(tx, about);
    const { now } = transactionClock(clock);
    const after = wireInquiry(await createInquiry(tx, { ...askerOf(call), ...subject, message }, now));
    await recordAudit(tx, call, { action: 'inquiry.created', subject: after.id, after }, now());
    return after;
  }),
  route(endpoints.listOwnInquiries, async (call) => {
    const rows = await listOwnInquiries(db, askerOf(call).accountNo, pageInOrder(call.page, 'newest_first'));
    return answerPage(call.page, rows);
  }),
  writeRoute(endpoints.closeInquiry, async (call, tx) => {
    const id = inquiryUuid(call.params.inquiry_id);
    const { before, after } = await closeInquiry(tx, id, askerOf(call).accountNo);
    await recordAudit(tx, call, { action: 'inquiry.closed', subject: after.id, before, after }, clock.now());
    return after;
  }),
  route(endpoints.listWatchedOffers, async (call) => ({
    asset_ids: await listWatchedOffers(db, askerOf(call).userId),
  })),
  writeRoute(endpoints.watchOffer, async (call, tx) => {
    const id = assetUuid(call.params.asset_id);
    if (!(await watchOffer(tx, askerOf(call).userId, id, clock.now()))) throw assetNotFound();
    return {};
  }),
  writeRoute(endpoints.unwatchOffer, async (call, tx) => {
    const id = decodeId(ID_PREFIX.asset, call.params.asset_id);
    if (id !== null) await unwatchOffer(tx, askerOf(call).userId, id);
    return {};
  }),
];

export const operatorInquiryRoutes = (db: Database, clock: Clock): Route[] => [
  route(operatorInquiryEndpoints.listInquiries, async ({ query, page }) => {
    const rows = await listInquiries(db, query.status ?? null, pageInOrder(page, 'newest_first'));
    return answerPage(page, rows);
  }),
  writeRoute(operatorInquiryEndpoints.answerInquiry, async (call, tx) => {
    const id = inquiryUuid(call.params.inquiry_id);
    const { now } = transactionClock(clock);
    const { before, after } = await answerInquiry(tx, id, call.body.answer, now);
    await recordAudit(tx, call, { action: 'inquiry.answered', subject: after.id, before, after }, now());
    return after;
  }),
];
