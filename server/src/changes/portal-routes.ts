import { type Changes, portalChangesEndpoints } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import type { EventIds } from '../events/ids.ts';
import type { WaitFilter } from '../events/poller.ts';
import { type Feed, waitForEvent } from '../events/routes.ts';
import { listChangedTypes, readHorizon, type Tenant, tenantsOf } from '../events/store.ts';
import type { Owner } from '../platform/auth/principal.ts';
import { type MovableClock, monotonicNow } from '../platform/clock.ts';
import type { Primary } from '../platform/db/database.ts';
import type { Position } from '../platform/http/cursor.ts';
import { type Call, getOwner, type Route, route } from '../platform/http/routes.ts';
import { type Fingerprint, fingerprintText, readFingerprint } from './store.ts';

/** Anything may have changed: too much at once, or the log is another one. */
const EVERYTHING = '*';

/** A state of the records that a user can see. */
type State = { readonly sequence: number; readonly fingerprint: Fingerprint | null };

const positionOf = ({ sequence, fingerprint }: State, ids: EventIds, reader: Tenant): Position => [
  ids.cursorOf(reader, sequence),
  fingerprint?.audit ?? '',
  fingerprint?.message ?? '',
];

type ChangesEndpoint = (typeof portalChangesEndpoints)['listChanges'];

/** Changes for the pages of the portal. The operator sees the records of all parties, so it follows all feeds. */
export const changesRoutes = (db: Primary, clock: MovableClock, feed: Feed): Route[] => [
  route(portalChangesEndpoints.listChanges, async (call): Promise<Changes> => {
    const { page, query } = call;
    const owner = getOwner(call);
    const [reader] = tenantsOf(owner);
    const tenants = owner.type === 'operator' ? null : tenantsOf(owner);
    const endsAt = monotonicNow() + (query.wait ?? 0) * 1000;
    const answer = (changed: readonly string[], state: State) => ({
      changed: [...changed],
      server_time: formatInstant(clock.now()),
      next: page.seal(positionOf(state, feed.ids, reader)),
    });
    let state = await readState(db, owner);
    if (page.after === null) return answer([], state);
    const [place, ...fingerprint] = page.after;
    const after = feed.ids.placeOf(reader, String(place))?.sequence ?? Number.POSITIVE_INFINITY;
    for (;;) {
      const changed = await changesSince(db, tenants, after, fingerprint, state);
      if (changed.length > 0 || monotonicNow() >= endsAt) return answer(changed, state);
      if (!(await waitForChange(call, feed, tenants, state, endsAt - monotonicNow()))) {
        return answer([], state);
      }
      state = await readState(db, owner);
    }
  }),
];

async function readState(db: Primary, owner: Owner): Promise<State> {
  const fingerprint = owner.type === 'operator' ? await readFingerprint(db) : null;
  return { sequence: (await readHorizon(db)).horizon, fingerprint };
}

async function changesSince(
  db: Primary,
  tenants: readonly Tenant[] | null,
  after: number,
  [audit, message]: Position,
  state: State,
): Promise<readonly string[]> {
  // A restored database has an older log, and an earlier version had other places.
  if (after > state.sequence) return [EVERYTHING];
  const types = after === state.sequence ? [] : await listChangedTypes(db, tenants, after, state.sequence);
  if (types === null) return [EVERYTHING];
  const { fingerprint } = state;
  return [
    ...types,
    ...(fingerprint !== null && (fingerprint.audit ?? '') !== audit ? ['audit'] : []),
    ...(fingerprint !== null && (fingerprint.message ?? '') !== message ? ['message'] : []),
  ];
}

/** Returns whether something has changed. */
async function waitForChange(
  call: Call<ChangesEndpoint>,
  feed: Feed,
  tenants: readonly Tenant[] | null,
  { sequence, fingerprint }: State,
  ms: number,
): Promise<boolean> {
  const watched = fingerprint === null ? {} : { fingerprint: fingerprintText(fingerprint) };
  const filter: WaitFilter = { tenants, types: null, ...watched };
  return (await waitForEvent(call, feed, filter, sequence, ms)) !== null;
}
