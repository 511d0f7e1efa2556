import { operatorEndpoints as api, type BodyOf, VALUE_UNITS, type ValueUnit } from '@saldo/api';
import { formatInstant, slotStart } from '@saldo/core/delivery-day.ts';
import { type Command, Option } from 'commander';
import { addFields, readBody, readFields } from '../fields.ts';
import { readJson } from '../files.ts';
import { localTime } from '../tables.ts';
import { UsageError } from '../usage.ts';
import { addExamples, addList, doing, type OpenSession, showing } from './command.ts';

export function addSeriesCommands(program: Command, open: OpenSession): void {
  const series = program.command('series').description('forecasts and meters of plants and customers');
  addList(series, open, {
    endpoint: api.listSeries,
    about: 'list series, oldest first',
    examples: ['series list --kind meter', 'series list --market-location 51238696781 --json'],
    columns: [
      ['ID', ({ id }) => id],
      ['KIND', ({ kind }) => kind],
      ['NAME', ({ name }) => name],
      ['MARKET LOCATION', ({ market_location }) => market_location],
      ['OWNER', ({ owner }) => owner.id],
    ],
    from: (client) => client.series,
  });
  const show = series.command('show <series>').description('show a series');
  addExamples(show, 'series show ser_01k9x3w8v5e2ntq0v9bgr4kx7c').action(
    showing(open, 'operator', (client, id) => client.series.get(id)),
  );
  addCreation(series, open);
  addUpdate(series, open);
  addPut(series, open);
  addValues(series, open);
  addDeviation(series, open);
}

function addCreation(series: Command, open: OpenSession): void {
  const create = series.command('create').description('create a series of a plant or a customer');
  create.option('--asset <asset>', 'id of the plant that the series is about');
  create.option('--customer <customer>', 'id of the customer that the series is about');
  addFields(create, api.createSeries.body, { except: ['owner'] });
  addExamples(
    create,
    "series create --kind forecast --asset ast_… --name 'Uckermark Nord, forecast'",
    "series create --kind meter --customer cust_… --name 'Stadtwerke Viernau' --market-location 51238696781",
  ).action(
    doing(open, async (session) => {
      const { asset, customer } = create.opts<{ asset?: string; customer?: string }>();
      if ((asset === undefined) === (customer === undefined))
        throw new UsageError('give one of --asset and --customer');
      const owner =
        asset === undefined ? { type: 'customer', id: customer } : ({ type: 'asset', id: asset } as const);
      const body = { ...readFields(create, api.createSeries.body), owner };
      const client = await session.operator();
      await session.show(await client.series.create(body as BodyOf<typeof api.createSeries>));
    }),
  );
}

function addUpdate(series: Command, open: OpenSession): void {
  const update = series.command('update <series>').description('rename a series, or set its market location');
  addFields(update, api.updateSeries.body);
  addExamples(update, 'series update ser_… --market-location 51238696781').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const change = readBody(update, api.updateSeries);
      if (Object.keys(change).length === 0) throw new UsageError('give at least one change; see --help');
      await session.show(await (await session.operator()).series.update(id, change));
    }),
  );
}

function addPut(series: Command, open: OpenSession): void {
  const put = series
    .command('put <series> <day>')
    .description('write the values of a series’ delivery day')
    .requiredOption('--file <file>', 'JSON array with one value per slot; - is standard input')
    .addOption(
      new Option('--unit <unit>', 'unit of the values').choices(VALUE_UNITS).default(VALUE_UNITS[0]),
    );
  put.addHelpText(
    'after',
    '\nThe array has 92, 96 or 100 values; null says nothing about a slot. The volumes of contracts with this source follow.\n',
  );
  addExamples(
    put,
    'series put ser_… tomorrow --file forecast.json --unit power_mw',
    'series put ser_… 2026-10-25 --file - < day.json',
  ).action(
    doing(open, async (session, { args: [id = '', day = ''] }) => {
      const { file, unit } = put.opts<{ file: string; unit: ValueUnit }>();
      const date = await session.day(day);
      const values = (await readJson(file, session.terminal)) as (number | null)[];
      await session.show(await (await session.operator()).series.putDay(id, date, { [unit]: values }));
    }),
  );
}

/** kWh with all decimals that a value has. */
const kwh = (value: number): string => value.toFixed(3);

function addValues(series: Command, open: OpenSession): void {
  const values = series
    .command('values <series> <day>')
    .description('show the values of a delivery day, or all versions of one slot');
  addFields(values, api.getSeriesValues.query, { except: ['delivery_date'] });
  addExamples(
    values,
    'series values ser_… tomorrow',
    'series values ser_… 2026-10-25 --as-of 2026-10-24T12:00:00Z',
    'series values ser_… 2026-10-25 --slot-number 48',
  ).action(
    doing(open, async (session, { args: [id = '', day = ''] }) => {
      const delivery_date = await session.day(day);
      const query = { ...readFields(values, api.getSeriesValues.query), delivery_date };
      const answer = await (await session.operator()).series.values(id, query);
      await session.showTable(
        answer.values,
        [
          ['SLOT', ({ slot_number }) => slot_number],
          ['START', ({ slot_number }) => localTime(formatInstant(slotStart(delivery_date, slot_number)))],
          ['KWH', ({ energy_wh }) => kwh(energy_wh / 1000), 'right'],
          ['VERSION', ({ version }) => version],
        ],
        'The day has no values.',
      );
    }),
  );
}

function addDeviation(series: Command, open: OpenSession): void {
  const deviation = series
    .command('deviation <series>')
    .description('compare forecast and meter of the owner of a series, day by day');
  addFields(deviation, api.getSeriesDeviation.query);
  addExamples(deviation, 'series deviation ser_… --from 2026-10-01 --to 2026-10-31').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const query = readFields(deviation, api.getSeriesDeviation.query) as { from: string; to: string };
      const answer = await (await session.operator()).series.deviation(id, query);
      await session.showTable(
        answer.days,
        [
          ['DAY', ({ delivery_date }) => delivery_date],
          ['FORECAST KWH', ({ forecast_kwh }) => kwh(forecast_kwh), 'right'],
          ['METER KWH', ({ meter_kwh }) => kwh(meter_kwh), 'right'],
          ['ERROR KWH', ({ error_kwh }) => kwh(error_kwh), 'right'],
          ['ABSOLUTE ERROR KWH', ({ absolute_error_kwh }) => kwh(absolute_error_kwh), 'right'],
          ['SLOTS', ({ slots_present }) => `${(slots_present * 100).toFixed(0)} %`, 'right'],
        ],
        'There are no days.',
      );
    }),
  );
}
