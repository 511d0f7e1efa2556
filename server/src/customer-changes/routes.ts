import {
  type Customer,
  type CustomerPreview,
  customerEndpoints,
  LIMITS,
  type OperatorCustomerUpdate,
  operatorCustomerEndpoints,
} from '@saldo/api';
import { mwhNumber, sumKwh } from '@saldo/core/energy.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { recordAudit } from '../audit/store.ts';
import { type CustomerCall, customerUuid, type Wire } from '../customers/routes.ts';
import { wireCustomer, wireOperatorCustomer } from '../customers/wire.ts';
import { type ComingVersion, previewVersions } from '../nominations/net-positions.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { answerChanged, ifMatch } from '../platform/http/preconditions.ts';
import { type Route, route, writeRoute } from '../platform/http/routes.ts';
import { type CustomerChange, changeCustomer } from './actions.ts';

type ChangeCall = CustomerCall & { readonly actor: string; readonly body: OperatorCustomerUpdate };
type Context = { readonly clock: Clock; readonly rules: MarketRules };

export function customerChangeRoutes(db: Database, context: Context): Route[] {
  return [
    writeRoute(customerEndpoints.updateCustomer, (call, tx) => update(tx, call, wireCustomer, context)),
    route(customerEndpoints.previewCustomer, (call) => preview(db, call, wireCustomer, context)),
  ];
}

export function operatorCustomerChangeRoutes(db: Database, context: Context): Route[] {
  return [
    writeRoute(operatorCustomerEndpoints.operatorUpdateCustomer, (call, tx) =>
      update(tx, call, wireOperatorCustomer, context),
    ),
    route(operatorCustomerEndpoints.operatorPreviewCustomer, (call) =>
      preview(db, call, wireOperatorCustomer, context),
    ),
  ];
}

function change(tx: Tx, call: ChangeCall, wire: Wire, context: Context): Promise<CustomerChange> {
  const { viewer, params, body, request } = call;
  const id = customerUuid(params.customer_id);
  return changeCustomer(tx, viewer, id, body, ifMatch(request, wire), context);
}

async function update(tx: Tx, call: ChangeCall, wire: Wire, context: Context): Promise<Customer> {
  const changed = await change(tx, call, wire, context);
  const [before, after] = [wireOperatorCustomer(changed.before), wireOperatorCustomer(changed.after)];
  await recordAudit(tx, call, { action: 'customer.updated', subject: after.id, before, after }, changed.now);
  return answerChanged(call, wire(changed.after));
}

/** Makes the change in a transaction that is rolled back, so that a preview cannot differ from the change. */
function preview(db: Database, call: ChangeCall, wire: Wire, context: Context): Promise<CustomerPreview> {
  return db.rolledBack(async (tx) => {
    const changed = await change(tx, call, wire, context);
    const coming = await previewVersions(tx, changed.dirty.all(), changed.now, context.rules);
    return {
      effective_day: changed.effectiveDay,
      customer: wire(changed.after),
      contracts: changed.contracts,
      transactions: changed.transactions,
      nominations: coming
        .slice(0, LIMITS.previewedNominations)
        .map(({ eic, tso, day, direction }) => ({ eic, tso, delivery_date: day, direction })),
      nominations_total: coming.length,
      energy: energyOf(coming, call.viewer),
    };
  });
}

/** What a BRP may see: the energy of other BRPs is not in it. */
function energyOf(coming: readonly ComingVersion[], viewer: Viewer): CustomerPreview['energy'] {
  const visible = viewer.kind === 'brp' ? coming.filter(({ brpNo }) => brpNo === viewer.brpNo) : coming;
  const groups = Map.groupBy(visible, ({ eic, tso, direction }) => `${eic} ${tso} ${direction}`);
  return [...groups.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, LIMITS.previewedNominations)
    .map(([, versions]) => {
      const [{ eic, tso, direction }] = versions as [ComingVersion];
      const before = sumKwh(versions.map(({ beforeKwh }) => beforeKwh));
      const after = sumKwh(versions.map(({ afterKwh }) => afterKwh));
      return { eic, tso, direction, before: mwhNumber(before), after: mwhNumber(after) };
    });
}
