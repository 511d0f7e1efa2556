import { type BodyOf, operatorPartyEndpoints as endpoints, type NewApiKey, SCOPES } from '@saldo/api';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/database.ts';
import { parseInstant } from '../../domain/delivery-day.ts';
import { decodeId, ID_PREFIX } from '../../domain/id.ts';
import { type PageRequest, pageById, paginate } from '../../http/paging.ts';
import { fieldProblem, problem, validationProblem } from '../../http/problem.ts';
import { type Route, route, writeRoute } from '../../http/routes.ts';
import { recordAudit } from '../audit/store.ts';
import {
  balanceGroupNotFound,
  createAccount,
  createApiKey,
  createBalanceGroup,
  createBrp,
  type KeyOwner,
  type NewKey,
  revokeApiKey,
  rotateApiKey,
  updateBalanceGroup,
} from './actions.ts';
import {
  findAccount,
  findBalanceGroup,
  findBrp,
  getKey,
  type KeyFilter,
  listAccounts,
  listBalanceGroups,
  listBrps,
  listKeys,
} from './store.ts';
import { wireAccount, wireBalanceGroup, wireBrp, wireKey } from './wire.ts';

export const operatorPartyRoutes = (db: Db, clock: Clock): Route[] => [
  ...brpRoutes(db, clock),
  ...balanceGroupRoutes(db, clock),
  ...accountRoutes(db, clock),
  ...keyRoutes(db, clock),
];

function brpRoutes(db: Db, clock: Clock): Route[] {
  return [
    writeRoute(endpoints.createBrp, async (call, tx) => {
      const now = clock.now();
      const after = wireBrp(await createBrp(tx, call.body, now));
      await recordAudit(tx, call, { action: 'brp.created', subject: after.id, before: null, after }, now);
      return after;
    }),
    route(endpoints.listBrps, async ({ page }) => {
      const { records, pagination } = paginate(page, await listBrps(db, pageById(page)), (row) => [row.id]);
      return { brps: records.map(wireBrp), pagination };
    }),
    route(endpoints.getBrp, async ({ params }) => {
      const row = await findBrp(db, params.brp_id);
      if (row === null) throw problem('brp_not_found', 'There is no such BRP.');
      return wireBrp(row);
    }),
  ];
}

function balanceGroupRoutes(db: Db, clock: Clock): Route[] {
  const getBalanceGroup = async (from: Db, eic: string) => {
    const row = await findBalanceGroup(from, eic);
    if (row === null) throw balanceGroupNotFound();
    return wireBalanceGroup(row);
  };
  return [
    writeRoute(endpoints.createBalanceGroup, async (call, tx) => {
      const now = clock.now();
      const { brp_id, ...group } = call.body;
      const brp = await findBrp(tx, brp_id);
      if (brp === null) throw fieldProblem('brp_id', 'validation_failed', 'is not the id of a BRP');
      await createBalanceGroup(tx, { ...group, brpNo: brp.no }, now);
      const after = await getBalanceGroup(tx, group.eic);
      const deed = { action: 'balance_group.created', subject: group.eic, before: null, after };
      await recordAudit(tx, call, deed, now);
      return after;
    }),
    route(endpoints.listBalanceGroups, async ({ query, page }) => {
      const brp = query.brp_id === undefined ? null : await findBrp(db, query.brp_id);
      const findsNothing = query.brp_id !== undefined && brp === null;
      const filter = { brpNo: brp?.no ?? null, tso: query.tso ?? null };
      const rows = findsNothing ? [] : await listBalanceGroups(db, filter, pageByEic(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.eic]);
      return { balance_groups: records.map(wireBalanceGroup), pagination };
    }),
    route(endpoints.getBalanceGroup, ({ params }) => getBalanceGroup(db, params.eic)),
    writeRoute(endpoints.updateBalanceGroup, async (call, tx) => {
      const before = wireBalanceGroup(await updateBalanceGroup(tx, call.params.eic, call.body));
      const after = await getBalanceGroup(tx, before.eic);
      const deed = { action: 'balance_group.updated', subject: before.eic, before, after };
      await recordAudit(tx, call, deed, clock.now());
      return after;
    }),
  ];
}

const pageByEic = (page: PageRequest) => ({
  after: String(page.after?.[0] ?? ''),
  count: page.limit + 1,
});

function accountRoutes(db: Db, clock: Clock): Route[] {
  return [
    writeRoute(endpoints.createAccount, async (call, tx) => {
      const now = clock.now();
      const after = wireAccount(await createAccount(tx, call.body, now));
      const deed = { action: 'account.created', subject: after.id, before: null, after };
      await recordAudit(tx, call, deed, now);
      return after;
    }),
    route(endpoints.listAccounts, async ({ page }) => {
      const rows = await listAccounts(db, pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { accounts: records.map(wireAccount), pagination };
    }),
  ];
}

function keyRoutes(db: Db, clock: Clock): Route[] {
  return [
    writeRoute(endpoints.createApiKey, async (call, tx): Promise<NewApiKey> => {
      const now = clock.now();
      const { id, secret } = await createApiKey(tx, await newKeyOf(tx, call.body, now), now);
      const after = wireKey(await getKey(tx, id));
      const deed = { action: 'api_key.created', subject: after.id, before: null, after };
      await recordAudit(tx, call, deed, now);
      return { ...after, secret };
    }),
    route(endpoints.listApiKeys, async ({ query, page }) => {
      const filter = keyFilter(query.owner_type, query.owner_id);
      const rows = filter === null ? [] : await listKeys(db, filter, pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { api_keys: records.map(wireKey), pagination };
    }),
    writeRoute(endpoints.revokeApiKey, async (call, tx) => {
      const now = clock.now();
      const change = await revokeApiKey(tx, call.params.key_id, now);
      if (change === null) return {};
      const [before, after] = [wireKey(change.before), wireKey(change.after)];
      await recordAudit(tx, call, { action: 'api_key.revoked', subject: after.id, before, after }, now);
      return {};
    }),
    writeRoute(endpoints.rotateApiKey, async (call, tx): Promise<NewApiKey> => {
      const now = clock.now();
      const graceMs = (call.body.grace_s ?? 0) * 1000;
      const { old, id, secret } = await rotateApiKey(tx, call.params.key_id, graceMs, now);
      const [before, after] = [wireKey(old.before), wireKey(old.after)];
      await recordAudit(tx, call, { action: 'api_key.rotated', subject: after.id, before, after }, now);
      const made = wireKey(await getKey(tx, id));
      const deed = { action: 'api_key.created', subject: made.id, before: null, after: made };
      await recordAudit(tx, call, deed, now);
      return { ...made, secret };
    }),
  ];
}

type KeyBody = BodyOf<typeof endpoints.createApiKey>;
type OwnerType = KeyBody['owner']['type'];

/** What a key is to be, once everything that depends on other records is known to be right. */
async function newKeyOf(db: Db, body: KeyBody, now: number): Promise<NewKey> {
  const errors = [];
  const owner = await findOwner(db, body.owner);
  if ('message' in owner) errors.push({ field: 'owner.id', ...owner });
  const isBrp = body.owner.type === 'brp';
  if (!isBrp && body.scopes !== undefined && body.scopes.length > 0) {
    const message = 'are for keys of BRPs only';
    errors.push({ field: 'scopes', code: 'validation_failed' as const, message });
  }
  const expiresAt = typeof body.expires_at === 'string' ? parseInstant(body.expires_at) : null;
  if (expiresAt !== null && (expiresAt <= now || expiresAt > LAST_EXPIRY)) {
    const message = expiresAt <= now ? 'must be in the future' : 'must be before the year 9999';
    errors.push({ field: 'expires_at', code: 'validation_failed' as const, message });
  }
  if ('message' in owner || errors.length > 0) throw validationProblem(errors);
  return { owner, name: body.name, scopes: isBrp ? (body.scopes ?? SCOPES) : [], expiresAt };
}

/** Later times have no form that every part of the platform can write. */
const LAST_EXPIRY = Date.UTC(9998, 11, 31);

type OwnerFault = { code: 'required' | 'validation_failed'; message: string };

async function findOwner(db: Db, { type, id }: KeyBody['owner']): Promise<KeyOwner | OwnerFault> {
  if (type === 'operator') {
    if (id === undefined) return { type };
    return { code: 'validation_failed', message: 'must not be given: there is only one operator' };
  }
  if (id === undefined) return { code: 'required', message: `is required: whose key is it?` };
  const found = type === 'brp' ? await findBrp(db, id) : await findAccount(db, id);
  if (found === null) return { code: 'validation_failed', message: `is not the id of any ${type}` };
  return type === 'brp' ? { type, brpNo: found.no } : { type, accountNo: found.no };
}

/** Null when no key can be meant. */
function keyFilter(owner: OwnerType | undefined, ownerId: string | undefined): KeyFilter | null {
  const filter: KeyFilter = { owner: owner ?? null, brpId: null, accountId: null };
  if (ownerId === undefined) return filter;
  const brpId = decodeId(ID_PREFIX.brp, ownerId);
  const accountId = decodeId(ID_PREFIX.account, ownerId);
  return brpId === null && accountId === null ? null : { ...filter, brpId, accountId };
}
