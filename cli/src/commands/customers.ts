import {
  operatorEndpoints as api,
  type BodyOf,
  type CustomerPreview,
  type CustomerStatus,
  TSOS,
} from '@saldo/api';
import { type Command, Option } from 'commander';
import { addFields, pairOf, readFields } from '../fields.ts';
import type { Session } from '../session.ts';
import { detailsOf, mwh, tableOf } from '../tables.ts';
import { UsageError } from '../usage.ts';
import { addExamples, addList, doing, type OpenSession, showing } from './command.ts';

type PlaceOptions = { eic?: string; tso?: string; meta?: Record<string, string>; unset?: string[] };

/** Balance group and metadata are nested; all other fields are top-level members of the body. */
const NESTED = ['balance_group', 'metadata'];

export function addCustomerCommands(program: Command, open: OpenSession): void {
  const customers = program.command('customers').description('consumers and producers of the BRPs');
  addList(customers, open, {
    endpoint: api.operatorListCustomers,
    about: 'list customers, oldest first',
    examples: ['customers list --status pending', 'customers list --search stadtwerke --all --json'],
    columns: [
      ['ID', ({ id }) => id],
      ['NAME', ({ name }) => name],
      ['STATUS', ({ status }) => status],
      ['EIC', ({ balance_group }) => balance_group?.eic],
      ['TSO', ({ balance_group }) => balance_group?.tso],
      ['BRP', ({ brp_id }) => brp_id],
    ],
    fromBoth: (client) => client.customers,
  });
  const show = customers.command('show <customer>').description('show a customer');
  addExamples(show, 'customers show cust_01jhm3vz1he1tr8kc5g7w2m0qp').action(
    showing(open, 'client', (client, id) => client.customers.get(id)),
  );
  addCreation(customers, open);
  addUpdate(customers, open);
  addStatus(customers, open, 'activate', 'active');
  addStatus(customers, open, 'deactivate', 'deactivated');
  addMove(customers, open);
  addPreview(customers, open);
  addPlacements(customers, open);
}

function addCreation(customers: Command, open: OpenSession): void {
  const create = customers.command('create').description('create a customer of a BRP');
  addFields(create, api.operatorCreateCustomer.body, { except: NESTED });
  addPlace(create);
  addExamples(
    create,
    "customers create --brp-id brp_… --name 'Stadtwerke Viernau' --eic 11XSWVIERNAU---D --tso DE_AMPRION",
    "customers create --brp-id brp_… --name 'Solarpark Süd' --meta cost_center=4711",
    "customers create --brp-id brp_… --name 'Windpark Nord' --status active",
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
  addFields(update, api.operatorUpdateCustomer.body, { except: [...NESTED, 'status'] });
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
      await session.show(await (await session.client()).customers.update(id, change));
    }),
  );
}

function addStatus(customers: Command, open: OpenSession, name: string, status: CustomerStatus): void {
  const change = customers
    .command(`${name} <customer>`)
    .description(`${name} a customer from the next delivery day on whose day-ahead gate is open`);
  addExamples(change, `customers ${name} cust_01jhm3vz1he1tr8kc5g7w2m0qp`).action(
    showing(open, 'client', (client, id) => client.customers.update(id, { status })),
  );
}

type MoveOptions = { balanceGroup?: string; tso?: string; brp?: string };

function addDestination(command: Command): void {
  command.option('--balance-group <eic>', 'EIC of the new balance group; together with --tso');
  command.addOption(new Option('--tso <tso>', 'TSO of the new balance group').choices(TSOS));
  command.option('--brp <id>', 'the BRP of the new balance group, if it is another one (operator only)');
}

function destinationOf(command: Command) {
  const { balanceGroup: eic, tso, brp } = command.opts<MoveOptions>();
  if ((eic === undefined) !== (tso === undefined))
    throw new UsageError('--balance-group and --tso must be given together');
  return {
    ...(eic === undefined ? {} : { balance_group: { eic, tso } }),
    ...(brp === undefined ? {} : { brp_id: brp }),
  };
}

type Change = BodyOf<typeof api.operatorUpdateCustomer>;

function addMove(customers: Command, open: OpenSession): void {
  const move = customers
    .command('move <customer>')
    .description('change the balance group from the next delivery day on whose day-ahead gate is open');
  addDestination(move);
  addExamples(
    move,
    'customers move cust_… --balance-group 11XSWVIERNAU---D --tso DE_AMPRION',
    'customers move cust_… --brp brp_… --balance-group 11XSWVIERNAU---D --tso DE_AMPRION',
  ).action(
    doing(open, async (session, { args: [id = ''] }) => {
      const change = destinationOf(move) as Change;
      if (change.balance_group === undefined) throw new UsageError('give --balance-group and --tso');
      await session.show(await (await session.client()).customers.update(id, change));
    }),
  );
}

function addPreview(customers: Command, open: OpenSession): void {
  const preview = customers
    .command('preview <customer>')
    .description('show what a change of status or balance group would do, without changing anything');
  const statuses: readonly CustomerStatus[] = ['active', 'deactivated'];
  preview.addOption(new Option('--status <status>', 'the new status').choices(statuses));
  addDestination(preview);
  addExamples(
    preview,
    'customers preview cust_… --balance-group 11XSWVIERNAU---D --tso DE_AMPRION',
    'customers preview cust_… --status deactivated --json',
  ).action(
    doing(open, async (session, { args: [id = ''] }) => {
      const { status } = preview.opts<{ status?: CustomerStatus }>();
      const change = { ...destinationOf(preview), ...(status === undefined ? {} : { status }) } as Change;
      if (Object.keys(change).length === 0)
        throw new UsageError('give --status, or --balance-group and --tso');
      await showPreview(session, await (await session.client()).customers.preview(id, change));
    }),
  );
}

async function showPreview(session: Session, preview: CustomerPreview): Promise<void> {
  if (session.format !== 'text') return session.show(preview);
  const { effective_day, customer, contracts, transactions, nominations, nominations_total, energy } =
    preview;
  const { status, balance_group } = customer;
  const summary = { effective_day, status, balance_group, contracts, transactions, nominations_total };
  await session.print(detailsOf(summary, session.style));
  if (nominations.length === 0) return session.print('\nNothing changes for nominations.\n');
  const energies = tableOf(
    energy,
    [
      ['EIC', ({ eic }) => eic],
      ['TSO', ({ tso }) => tso],
      ['DIRECTION', ({ direction }) => direction],
      ['MWH BEFORE', ({ before }) => mwh(before), 'right'],
      ['MWH AFTER', ({ after }) => mwh(after), 'right'],
    ],
    session.style,
  );
  const table = tableOf(
    nominations,
    [
      ['NEW VERSION FOR', ({ delivery_date }) => delivery_date],
      ['EIC', ({ eic }) => eic],
      ['TSO', ({ tso }) => tso],
      ['DIRECTION', ({ direction }) => direction],
    ],
    session.style,
  );
  await session.print(`\n${energies}\n${table}`);
  if (nominations.length < nominations_total)
    session.note(`These are the first ${nominations.length} of ${nominations_total} nominations.`);
}

function addPlacements(customers: Command, open: OpenSession): void {
  const placements = customers
    .command('placements <customer>')
    .description('the balance groups of a customer by delivery day, newest first');
  addExamples(placements, 'customers placements cust_01jhm3vz1he1tr8kc5g7w2m0qp').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const answer = await (await session.client()).customers.placements(id);
      await session.showTable(
        answer.placements,
        [
          ['FIRST DAY', ({ first_day }) => first_day],
          ['LAST DAY', ({ last_day }) => last_day],
          ['EIC', ({ balance_group }) => balance_group.eic],
          ['TSO', ({ balance_group }) => balance_group.tso],
        ],
        'The customer has no balance group.',
      );
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
