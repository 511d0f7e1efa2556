import { operatorEndpoints as api, type BodyOf, type Profile, type SourceInput } from '@saldo/api';
import {
  type DeliveryDay,
  dayEnd,
  dayOf,
  dayStart,
  formatInstant,
  slotCount,
} from '@saldo/core/delivery-day.ts';
import { formatMwh, kwhFromMwh, sumKwh } from '@saldo/core/energy.ts';
import type { BrpClient, OperatorClient } from '@saldo/sdk';
import type { Command } from 'commander';
import { addFields, numberOf, parseDayArgument, readFields } from '../fields.ts';
import { readJson } from '../files.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { addExamples, addList, doing, type OpenSession, showing } from './command.ts';

export function addContractCommands(program: Command, open: OpenSession): void {
  const contracts = program.command('contracts').description('energy agreements between two customers');
  addList(contracts, open, {
    endpoint: api.operatorListContracts,
    about: 'list contracts, oldest first',
    examples: ['contracts list --status in_progress', 'contracts list --active-on 2026-10-25 --all --json'],
    columns: [
      ['ID', ({ id }) => id],
      ['REFERENCE', ({ external_id }) => external_id],
      ['TYPE', ({ type, ppa_type }) => (ppa_type ? `${type} ${ppa_type}` : type)],
      ['STATUS', ({ status }) => status],
      ['FIRST DAY', ({ delivery_start }) => delivery_start && dayOf(Date.parse(delivery_start))],
      ['LAST DAY', ({ delivery_end }) => delivery_end && lastDayBefore(delivery_end)],
      ['SELLER', ({ seller }) => seller.name],
      ['BUYER', ({ buyer }) => buyer.name],
    ],
    fromBoth: (client) => client.contracts,
  });
  const show = contracts.command('show <contract>').description('show a contract, by its id or reference');
  addExamples(show, 'contracts show PPA-2026-0017').action(
    showing(open, 'client', async (client, reference) =>
      client.contracts.get(await contractId(client, reference)),
    ),
  );
  addCreation(contracts, open);
  addUpdate(contracts, open);
  const end = contracts
    .command('end <contract>')
    .description('end a contract early; later volumes become invalid');
  end.requiredOption('--last-day <day>', 'the last delivery day', (text) => parseDayArgument(text));
  addExamples(end, 'contracts end PPA-2026-0017 --last-day 2027-12-31').action(
    doing(open, async (session, { args: [reference = ''] }) => {
      const { lastDay } = end.opts<{ lastDay: string }>();
      const change = { delivery_end: formatInstant(dayEnd(lastDay)) };
      const client = await session.operator();
      await session.show(await client.contracts.update(await contractId(client, reference), change));
    }),
  );
  addDays(program, open);
}

/** The end of delivery is the midnight after the last day. */
const lastDayBefore = (end: string): DeliveryDay => dayOf(Date.parse(end) - 1);

/** Users know contracts by their reference, the API by their id. */
async function contractId(client: OperatorClient | BrpClient, reference: string): Promise<string> {
  if (reference.startsWith('con_')) return reference;
  const found = 'brps' in client ? await ofAll(client, reference) : await ofOwn(client, reference);
  if (!found) throw new UsageError(`there is no contract with the reference ${JSON.stringify(reference)}`);
  return found.id;
}

const ofAll = async (client: OperatorClient, external_id: string) =>
  (await client.contracts.list({ external_id })).contracts[0];

/** The BRP API has no filter by reference. */
async function ofOwn(client: BrpClient, reference: string) {
  for await (const contract of client.contracts.each())
    if (contract.external_id === reference) return contract;
  return undefined;
}

type DateOptions = { firstDay?: string; lastDay?: string };

function addDates(command: Command): void {
  command.option('--first-day <day>', 'the first delivery day', (text) => parseDayArgument(text));
  command.option('--last-day <day>', 'the last delivery day', (text) => parseDayArgument(text));
}

const datesOf = ({ firstDay, lastDay }: DateOptions) => ({
  ...(firstDay === undefined ? {} : { delivery_start: formatInstant(dayStart(firstDay)) }),
  ...(lastDay === undefined ? {} : { delivery_end: formatInstant(dayEnd(lastDay)) }),
});

type SourceOptions = {
  sourceForecast?: string;
  sourceMeter?: string;
  sourceShare?: number;
  sourceMaxPower?: number;
};

function addSource(command: Command): void {
  command.option('--source-forecast <series>', 'compute the volumes from this series of forecasts');
  command.option('--source-meter <series>', 'compute the volumes from this meter, where it has a value');
  command.option('--source-share <share>', 'share of the energy of the series, above 0, up to 1', numberOf);
  command.option('--source-max-power <MW>', 'cut the volumes at this power', numberOf);
}

/** A source is written as a whole, so that an absent option is an absent part of it. Null: no option was given. */
function sourceOf(options: SourceOptions): SourceInput | null {
  const { sourceForecast: forecast, sourceMeter: meter, sourceShare: share, sourceMaxPower } = options;
  if ([forecast, meter, share, sourceMaxPower].every((value) => value === undefined)) return null;
  if (forecast === undefined && meter === undefined)
    throw new UsageError('a source needs --source-forecast or --source-meter');
  if (share === undefined) throw new UsageError('a source needs --source-share, 1 for all of the energy');
  return { forecast: forecast ?? null, meter: meter ?? null, share, max_power_mw: sourceMaxPower ?? null };
}

type ContractOptions = DateOptions &
  SourceOptions & {
    seller: string;
    buyer: string;
    baseload?: number;
    peakload?: number;
    shaped?: string;
  };

const PARSED_BY_COMMAND = [
  'seller_customer_id',
  'buyer_customer_id',
  'delivery_start',
  'delivery_end',
  'profile',
  'source',
];

function addCreation(contracts: Command, open: OpenSession): void {
  const create = contracts.command('create').description('create a contract between two customers');
  create.requiredOption('--seller <customer>', 'id of the customer that sells');
  create.requiredOption('--buyer <customer>', 'id of the customer that buys');
  addDates(create);
  addFields(create, api.createContract.body, { except: PARSED_BY_COMMAND });
  create.option('--baseload <MW>', 'generate volumes with this power in every slot', numberOf);
  create.option(
    '--peakload <MW>',
    'generate volumes with this power, Monday to Friday from 8 to 20',
    numberOf,
  );
  create.option('--shaped <file>', 'generate volumes from JSON with 12 months of 24 hours of MW');
  addSource(create);
  addExamples(
    create,
    'contracts create --external-id PPA-2026-0017 --type ppa --ppa-type produced --asset-id ast_… --seller cust_… --buyer cust_… --first-day 2026-01-01 --last-day 2030-12-31 --source-forecast ser_… --source-meter ser_… --source-share 0.5',
    'contracts create --external-id BASE-1 --type ppa --ppa-type baseload --baseload 5 --seller cust_… --buyer cust_… --first-day 2026-11-01 --last-day 2026-11-30',
  ).action(
    doing(open, async (session) => {
      const { seller, buyer, ...rest } = create.opts<ContractOptions>();
      const profile = await profileOf(rest, session.terminal);
      const source = sourceOf(rest);
      const body = {
        ...readFields(create, api.createContract.body),
        seller_customer_id: seller,
        buyer_customer_id: buyer,
        ...datesOf(rest),
        ...(profile === null ? {} : { profile }),
        ...(source === null ? {} : { source }),
      };
      const client = await session.operator();
      await session.show(await client.contracts.create(body as BodyOf<typeof api.createContract>));
    }),
  );
}

function addUpdate(contracts: Command, open: OpenSession): void {
  const update = contracts
    .command('update <contract>')
    .description('set the dates of a contract, or replace or end its source');
  addDates(update);
  addSource(update);
  update.option('--no-source', 'end the source; what is stored stays');
  addExamples(
    update,
    'contracts update PPA-2026-0017 --source-forecast ser_… --source-meter ser_… --source-share 0.25',
    'contracts update PPA-2026-0017 --no-source',
  ).action(
    doing(open, async (session, { args: [reference = ''] }) => {
      // Commander sets `source` to true unless --no-source is given.
      const options = update.opts<DateOptions & SourceOptions & { source: boolean }>();
      const source = sourceOf(options);
      if (source !== null && !options.source)
        throw new UsageError('--no-source excludes the other options of a source');
      const change = {
        ...datesOf(options),
        ...(source === null && options.source ? {} : { source }),
      };
      if (Object.keys(change).length === 0) throw new UsageError('give at least one change; see --help');
      const client = await session.operator();
      await session.show(await client.contracts.update(await contractId(client, reference), change));
    }),
  );
}

async function profileOf(
  { baseload, peakload, shaped }: Pick<ContractOptions, 'baseload' | 'peakload' | 'shaped'>,
  terminal: Terminal,
): Promise<Profile | null> {
  const given = [baseload, peakload, shaped].filter((value) => value !== undefined);
  if (given.length > 1) throw new UsageError('--baseload, --peakload and --shaped exclude each other');
  if (baseload !== undefined) return { kind: 'baseload', power: baseload };
  if (peakload !== undefined) return { kind: 'peakload', power: peakload };
  if (shaped === undefined) return null;
  return { kind: 'shaped', power: (await readJson(shaped, terminal)) as number[][] };
}

function addDays(program: Command, open: OpenSession): void {
  const days = program.command('days').description('a contract’s volumes, a whole day at a time');
  const put = days
    .command('put <contract> <day> [file]')
    .description('write the volumes of a contract’s delivery day');
  put.option('--volume <MWh>', 'the same volume in every slot, instead of a file', numberOf);
  put.addHelpText(
    'after',
    '\nThe file (- is standard input) has a JSON array with the MWh of each slot, 92, 96 or 100 of them; null keeps a slot unchanged.\n',
  );
  addExamples(
    put,
    'days put PPA-2026-0017 2026-10-25 day.json',
    'days put PPA-2026-0017 tomorrow --volume 1.25',
    'days put PPA-2026-0017 2026-10-26 - < day.json',
  ).action(
    doing(open, async (session, { args: [reference = '', given = '', file] }) => {
      const day = await session.day(given);
      const { volume } = put.opts<{ volume?: number }>();
      if ((file === undefined) === (volume === undefined)) throw new UsageError('give a file or --volume');
      const slots = slotCount(day);
      const volumes =
        file === undefined
          ? Array.from({ length: slots }, () => volume ?? null)
          : ((await readJson(file, session.terminal)) as (number | null)[]);
      const client = await session.operator();
      const result = await client.contracts.putDay(await contractId(client, reference), day, { volumes });
      await session.show(result);
      const totalKwh = sumKwh(volumes.map((volume) => kwhFromMwh(volume ?? 0)));
      if (session.format === 'text')
        session.note(`${day}: ${slots} slots, ${formatMwh(totalKwh)} MWh in total.`);
    }),
  );
}
