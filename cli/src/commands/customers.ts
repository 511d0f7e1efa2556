import { operatorEndpoints as api, type BodyOf, type CustomerStatus } from '@saldo/api';
import type { Command } from 'commander';
import { addFields, pairOf, readFields } from '../fields.ts';
import { UsageError } from '../usage.ts';
import { addExamples, addList, doing, type OpenSession } from './command.ts';

type PlaceOptions = { eic?: string; tso?: string; meta?: Record<string, string>; unset?: string[] };

/** Balance group and metadata are nested; all other fields are top-level members of the body. */
const NESTED = { except: ['balance_group', 'metadata', 'status'] };

export function addCustomerCommands(program: Command, open: OpenSession): void {
  const customers = program.command('customers').description('consumers and producers of the BRPs');
  addList(customers, open, {
    endpoint: api.operatorListCustomers,
    about: 'list customers of all BRPs, oldest first',
    examples: ['customers list --status pending', 'customers list --search stadtwerke --all --json'],
    columns: [
      ['ID', ({ id }) => id],
      ['NAME', ({ name }) => name],
      ['STATUS', ({ status }) => status],
      ['EIC', ({ balance_group }) => balance_group?.eic],
      ['TSO', ({ balance_group }) => balance_group?.tso],
      ['BRP', ({ brp_id }) => brp_id],
    ],
    from: (client) => client.customers,
  });
  const show = customers.command('show <customer>').description('show a customer');
  addExamples(show, 'customers show cust_01jhm3vz1he1tr8kc5g7w2m0qp').action(
    doing(open, async (session, { args: [id = ''] }) => {
      await session.show(await (await session.operator()).customers.get(id));
    }),
  );
  addCreation(customers, open);
  addUpdate(customers, open);
  addMove(customers, open, 'activate', 'active');
  addMove(customers, open, 'deactivate', 'deactivated');
}

function addCreation(customers: Command, open: OpenSession): void {
  const create = customers.command('create').description('create a customer of a BRP, with status pending');
  addFields(create, api.operatorCreateCustomer.body, NESTED);
  addPlace(create);
  addExamples(
    create,
    "customers create --brp-id brp_… --name 'Stadtwerke Viernau' --eic 11XSWVIERNAU---D --tso DE_AMPRION",
    "customers create --brp-id brp_… --name 'Solarpark Süd' --meta cost_center=4711",
  ).action(
    doing(open, async (session) => {
      const body = { ...readFields(create, api.operatorCreateCustomer.body), ...placeOf(create) };
      const client = await session.operator();
      await session.show(await client.customers.create(body as BodyOf<typeof api.operatorCreateCustomer>));
    }),
  );
}

function addUpdate(customers: Command, open: OpenSession): void {
  const update = customers.command('update <customer>').description('change a customer');
  addFields(update, api.operatorUpdateCustomer.body, NESTED);
  addPlace(update);
  update.option('--unset <key...>', 'metadata keys to remove');
  addExamples(
    update,
    'customers update cust_… --eic 11XSWVIERNAU---D --tso DE_AMPRION',
    'customers update cust_… --meta cost_center=4712 --unset old_key',
    'customers update cust_… --brp-id brp_…   # re-assigns it',
  ).action(
    doing(open, async (session, { args: [id = ''] }) => {
      const change = { ...readFields(update, api.operatorUpdateCustomer.body), ...placeOf(update) };
      if (Object.keys(change).length === 0) throw new UsageError('give at least one change; see --help');
      await session.show(await (await session.operator()).customers.update(id, change));
    }),
  );
}

function addMove(customers: Command, open: OpenSession, name: string, status: CustomerStatus): void {
  const move = customers.command(`${name} <customer>`).description(`${name} a customer`);
  addExamples(move, `customers ${name} cust_01jhm3vz1he1tr8kc5g7w2m0qp`).action(
    doing(open, async (session, { args: [id = ''] }) => {
      await session.show(await (await session.operator()).customers.update(id, { status }));
    }),
  );
}

function addPlace(command: Command): void {
  command.option('--eic <eic>', 'EIC of its balance group; together with --tso');
  command.option('--tso <tso>', 'TSO of its balance group; together with --eic');
  command.option('--meta <key=value>', 'a metadata entry; may be given several times', pairOf);
}

function placeOf(command: Command): object {
  const { eic, tso, meta, unset = [] } = command.opts<PlaceOptions>();
  if ((eic === undefined) !== (tso === undefined))
    throw new UsageError('--eic and --tso must be given together');
  const removed = Object.fromEntries(unset.map((key) => [key, null]));
  return {
    ...(eic === undefined ? {} : { balance_group: { eic, tso } }),
    ...(meta === undefined && unset.length === 0 ? {} : { metadata: { ...meta, ...removed } }),
  };
}
