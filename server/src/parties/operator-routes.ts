import { type BodyOf, operatorPartyEndpoints as endpoints, type Scope } from '@saldo/api';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { recordAudit } from '../audit/store.ts';
import type { Owner } from '../platform/auth/principal.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { searchValue } from '../platform/db/search.ts';
import { grantableScopes, requireRightsOfKey } from '../platform/http/grants.ts';
import { pageByEic, pageById, paginate } from '../platform/http/paging.ts';
import { type FieldError, fieldProblem, problem, validationProblem } from '../platform/http/problem.ts';
import { type Route, replicaRoute, route, writeRoute } from '../platform/http/routes.ts';
import { createAccount, createBalanceGroup, createBrp, getBalanceGroup, type NewKey } from './actions.ts';
import { answerCreate, answerRevoke, answerRotate, keyFaults, keyOf } from './key-answers.ts';
import { answerBalanceGroup, changeBalanceGroup } from './routes.ts';
import {
  findAccount,
  findBrp,
  type KeyFilter,
  listAccounts,
  listBalanceGroups,
  listBrps,
  listKeys,
} from './store.ts';
import { wireAccount, wireBalanceGroup, wireBrp, wireKey } from './wire.ts';

export const operatorPartyRoutes = (db: Db, clock: Clock, operatorEic: string): Route[] => [
  ...brpRoutes(db, clock),
  ...balanceGroupRoutes(clock, operatorEic),
  ...accountRoutes(db, clock),
  ...keyRoutes(db, clock),
];

function brpRoutes(db: Db, clock: Clock): Route[] {
  return [
    writeRoute(endpoints.createBrp, async (call, tx) => {
      const now = clock.now();
      const after = wireBrp(await createBrp(tx, call.body, now));
      await recordAudit(tx, call, { action: 'brp.created', subject: after.id, after }, now);
      return after;
    }),
    route(endpoints.listBrps, async ({ query, page }) => {
      const rows = await listBrps(db, { search: searchValue(query.search) }, pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { brps: records.map(wireBrp), pagination };
    }),
    route(endpoints.getBrp, async ({ params }) => {
      const row = await findBrp(db, params.brp_id);
      if (row === null) throw problem('brp_not_found');
      return wireBrp(row);
    }),
  ];
}

function balanceGroupRoutes(clock: Clock, operatorEic: string): Route[] {
  return [
    writeRoute(endpoints.createBalanceGroup, async (call, tx) => {
      const now = clock.now();
      const { brp_id, ...group } = call.body;
      // It would be on both sides of its schedule.
      if (group.eic === operatorEic)
        throw fieldProblem('eic', 'validation_failed', { key: 'field.eic_of_operator' });
      const brp = await findBrp(tx, brp_id);
      if (brp === null) throw fieldProblem('brp_id', 'validation_failed', { key: 'field.unknown_brp' });
      await createBalanceGroup(tx, { ...group, brpNo: brp.no }, now);
      const after = wireBalanceGroup(await getBalanceGroup(tx, call.viewer, group.eic));
      await recordAudit(tx, call, { action: 'balance_group.created', subject: group.eic, after }, now);
      return after;
    }),
    replicaRoute(endpoints.listBalanceGroups, async ({ viewer, query, page }, db) => {
      const brp = query.brp_id === undefined ? null : await findBrp(db, query.brp_id);
      const findsNothing = query.brp_id !== undefined && brp === null;
      // A filter by BRP lists exactly the balance groups that the BRP sees, so its viewer is used.
      const seen = brp === null ? viewer : { kind: 'brp' as const, brpNo: brp.no };
      const filter = { tso: query.tso ?? null, search: searchValue(query.search) };
      const rows = findsNothing ? [] : await listBalanceGroups(db, seen, filter, pageByEic(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.eic]);
      return { balance_groups: records.map(wireBalanceGroup), pagination };
    }),
    replicaRoute(endpoints.getBalanceGroup, (call, db) => answerBalanceGroup(db, call, wireBalanceGroup)),
    writeRoute(endpoints.updateBalanceGroup, (call, tx) =>
      changeBalanceGroup(tx, call, call.body, wireBalanceGroup, clock.now()),
    ),
  ];
}

function accountRoutes(db: Db, clock: Clock): Route[] {
  return [
    writeRoute(endpoints.createAccount, async (call, tx) => {
      const now = clock.now();
      const after = wireAccount(await createAccount(tx, call.body, now));
      await recordAudit(tx, call, { action: 'account.created', subject: after.id, after }, now);
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
    writeRoute(endpoints.createApiKey, async (call, tx) => {
      const now = clock.now();
      const allowed = grantableScopes(call.request, call.body.owner.type);
      const key = await newKeyOf(tx, call.body, allowed, now);
      requireRightsOfKey(call.request, key.owner.type, key.scopes);
      return answerCreate(tx, call, key, now);
    }),
    route(endpoints.listApiKeys, async ({ query, page }) => {
      const filter = keyFilter(query.owner_type, query.owner_id);
      const rows = filter === null ? [] : await listKeys(db, filter, pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { api_keys: records.map(wireKey), pagination };
    }),
    writeRoute(endpoints.revokeApiKey, (call, tx) =>
      answerRevoke(tx, call, 'all', call.params.key_id, clock.now()),
    ),
    writeRoute(endpoints.rotateApiKey, (call, tx) =>
      answerRotate(tx, call, 'all', call.params.key_id, call.body, clock.now()),
    ),
  ];
}

type KeyBody = BodyOf<typeof endpoints.createApiKey>;
type OwnerType = KeyBody['owner']['type'];

/** Validates the parts of the body that refer to other records and returns the key to create. */
async function newKeyOf(db: Db, body: KeyBody, allowed: readonly Scope[], now: number): Promise<NewKey> {
  const owner = await findOwner(db, body.owner);
  const errors = keyFaults(body.owner.type, allowed, body, now);
  if ('message' in owner) throw validationProblem([{ field: 'owner.id', ...owner }, ...errors]);
  if (errors.length > 0) throw validationProblem(errors);
  return keyOf(owner, allowed, body);
}

type OwnerFault = Pick<FieldError, 'code' | 'message'>;

async function findOwner(db: Db, { type, id }: KeyBody['owner']): Promise<Owner | OwnerFault> {
  if (type === 'operator') {
    if (id === undefined) return { type };
    return { code: 'validation_failed', message: { key: 'field.one_operator' } };
  }
  if (id === undefined) return { code: 'required', message: { key: 'field.required_for_owner' } };
  const found = type === 'brp' ? await findBrp(db, id) : await findAccount(db, id);
  if (found === null) return { code: 'validation_failed', message: { key: `field.unknown_${type}` } };
  return type === 'brp' ? { type, brpNo: found.no } : { type, accountNo: found.no };
}

/** Returns null when the filter cannot match any key. */
function keyFilter(owner: OwnerType | undefined, ownerId: string | undefined): KeyFilter | null {
  const filter: KeyFilter = { owner: owner ?? null, brpId: null, accountId: null };
  if (ownerId === undefined) return filter;
  const brpId = decodeId(ID_PREFIX.brp, ownerId);
  const accountId = decodeId(ID_PREFIX.account, ownerId);
  return brpId === null && accountId === null ? null : { ...filter, brpId, accountId };
}
