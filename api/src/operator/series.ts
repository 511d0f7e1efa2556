import { SERIES_KINDS, SERIES_OWNERS, VALUE_UNITS, type ValueUnit } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  Day,
  Decimal,
  Flag,
  LIMITS,
  Name,
  Nullable,
  ordered,
  Page,
  pageQuery,
  paginationExample,
  SlotNumber,
  Strict,
} from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { DayResult, ImportResult, incompleteDays } from './volumes.ts';

const SERIES_ID = 'ser_01k9x3w8v5e2ntq0v9bgr4kx7c';
const INTERCHANGE_ID = 'icg_01k9x41m8qf4t9v6q3w7x1y0zk';

const Owner = Strict(
  {
    type: Choice(SERIES_OWNERS, { examples: ['asset'] }),
    id: Type.String({
      description: 'Id of the asset or customer.',
      examples: ['ast_01jhm3w8v5e2ntq0v9bgr4kx7c'],
    }),
  },
  { title: 'SeriesOwner', description: 'The plant or customer that the series is about.' },
);
const SeriesName = Name('Display name.', 'Uckermark Nord, forecast');
const MarketLocation = Nullable(
  Type.String({
    description: 'A MaLo (11 digits) or a MeLo (33 characters), unique per kind.',
    examples: ['51238696781'],
  }),
);

export const Series = Type.Object(
  {
    id: Type.String({ examples: [SERIES_ID] }),
    kind: Choice(SERIES_KINDS, { description: 'What is expected, or what was measured.' }),
    owner: Owner,
    name: SeriesName,
    market_location: MarketLocation,
    created_at: DateTime('Creation, UTC.'),
  },
  { title: 'Series' },
);
export type Series = Static<typeof Series>;

const seriesExample: Series = {
  id: SERIES_ID,
  kind: 'meter',
  owner: { type: 'asset', id: 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c' },
  name: 'Uckermark Nord, meter',
  market_location: '51238696781',
  created_at: '2026-01-14T12:31:07Z',
};

/** One value per slot in one of the units; null says nothing about its slot. */
const dayValues = (unit: ValueUnit) =>
  Type.Optional(
    Type.Array(Type.Unsafe<number | null>({ type: ['number', 'null'] }), {
      description: `\`${unit}\`: one value per slot, or null; 92, 96 or 100 of them.`,
    }),
  );
const SeriesDay = Strict(
  Object.fromEntries(VALUE_UNITS.map((unit) => [unit, dayValues(unit)])) as Record<
    ValueUnit,
    ReturnType<typeof dayValues>
  >,
  { title: 'SeriesDay', description: 'Exactly one of the members.' },
);

export const SeriesValues = Type.Object(
  {
    values: Type.Array(
      Type.Object(
        {
          slot_number: SlotNumber('Quarter-hour within the German delivery day.'),
          energy_wh: Type.Integer({
            minimum: 0,
            description: 'Wh of the quarter-hour.',
            examples: [1_250_000],
          }),
          version: Type.Integer({ minimum: 1, description: 'Version of the slot’s value.', examples: [1] }),
        },
        { title: 'SeriesValue' },
      ),
    ),
  },
  { title: 'SeriesValues' },
);
export type SeriesValues = Static<typeof SeriesValues>;

const Kwh = (description: string, example: number) => Type.Number({ description, examples: [example] });
export const SeriesDeviation = Type.Object(
  {
    days: Type.Array(
      Type.Object(
        {
          delivery_date: Day('The German delivery day.'),
          forecast_kwh: Kwh('Forecast, kWh.', 1200.5),
          meter_kwh: Kwh('Meter, kWh.', 1180.25),
          error_kwh: Kwh('Meter − forecast, kWh.', -20.25),
          absolute_error_kwh: Kwh('Sum of the errors of the slots without their signs, kWh.', 44.75),
          slots_present: Type.Number({
            description: 'Share of the slots that have both values, from 0 to 1.',
            examples: [1],
          }),
        },
        { title: 'DayDeviation', description: 'Over the slots that have both values.' },
      ),
    ),
  },
  { title: 'SeriesDeviation' },
);
export type SeriesDeviation = Static<typeof SeriesDeviation>;

const Rejected = Type.Object(
  {
    message: Type.Integer({ description: 'Place of the message in the interchange, from 1.' }),
    segment: Type.Integer({ description: 'Place of the segment in its message; UNH is 1.' }),
    reason: Type.String({ description: 'Why the message was rejected.' }),
  },
  { title: 'RejectedMessage' },
);

export const InterchangeResult = Type.Object(
  {
    id: Type.String({ examples: [INTERCHANGE_ID] }),
    messages: Type.Integer({ description: 'Messages of the interchange, rejected ones included.' }),
    rejected: Type.Array(Rejected, {
      description: `The first ${LIMITS.rejectedLines} rejected messages; the others are applied.`,
    }),
    rejected_messages: Type.Integer({ description: 'Number of all rejected messages.' }),
    unknown: Type.Array(Type.String(), {
      description: `Market locations that still have no series, the first ${LIMITS.rejectedLines}. Their values are applied when the series is created.`,
    }),
    unknown_locations: Type.Integer({ description: 'Number of all these market locations.' }),
  },
  { title: 'InterchangeResult' },
);
export type InterchangeResult = Static<typeof InterchangeResult>;

export const Interchange = Type.Object(
  {
    ...InterchangeResult.properties,
    sender: Nullable(Type.String({ description: 'Of the header; null if it could not be read.' })),
    reference: Nullable(Type.String({ description: 'Control reference; null if it could not be read.' })),
    received_at: DateTime('When it was stored, UTC.'),
    state: Choice(['stored', 'applied', 'rejected'], {
      description:
        '`stored`: it is still being read. `rejected`: nothing of the interchange was applied; `reason` says why.',
    }),
    reason: Nullable(Type.String({ description: 'Why the interchange was rejected.' })),
    remarks: Type.Array(
      Type.Object({
        message: Type.Integer({ description: 'Place of the message in the interchange, from 1.' }),
        segment: Nullable(
          Type.Integer({ description: 'Place of the segment in its message; null: all of it.' }),
        ),
        text: Type.String({ description: 'What was left out, and why.' }),
      }),
      {
        description: `What was left out, such as other products: the first ${LIMITS.rejectedLines} remarks.`,
      },
    ),
  },
  { title: 'Interchange' },
);
export type Interchange = Static<typeof Interchange>;

/** The answer to a CSV or NDJSON file: that of an import of volumes, with series in the place of contracts. */
export const ValuesImportResult = Type.Object(
  {
    ...ImportResult.properties,
    incomplete_days: incompleteDays('series', {
      missing: 'Number of slots without a value.',
      description: 'The days of the file’s series that have slots without a value after the import.',
    }),
  },
  { title: 'ValuesImportResult' },
);
export type ValuesImportResult = Static<typeof ValuesImportResult>;

const importExample: ValuesImportResult = {
  rows: 1,
  created: 1,
  corrected: 0,
  unchanged: 0,
  rejected: [],
  rejected_lines: 0,
  rejected_days: 0,
  incomplete_days: { count: 1, days: [{ series: '51238696781', delivery_date: '2026-10-25', missing: 99 }] },
  dry_run: false,
};
const interchangeExample: Interchange = {
  id: INTERCHANGE_ID,
  messages: 1,
  rejected: [],
  rejected_messages: 0,
  unknown: [],
  unknown_locations: 0,
  sender: '9900000000018',
  reference: 'REF0000001',
  received_at: '2026-01-16T08:00:00Z',
  state: 'applied',
  reason: null,
  remarks: [],
};
const rawExample = `UNB+UNOC:3+9900000000018:500+9900000000026:500+260116:0800+REF0000001'…`;

export const operatorSeriesEndpoints = endpoints('Series', {
  createSeries: endpoint({
    method: 'POST',
    path: '/operator/v1/series',
    summary: 'Create a series',
    description:
      'One series per owner and kind. Values that an interchange brought before for its market location are applied at once.',
    scopes: ['series:write'],
    status: 201,
    body: Strict(
      {
        kind: Choice(SERIES_KINDS, {
          description: 'What is expected, or what was measured.',
          examples: ['meter'],
        }),
        owner: Owner,
        name: SeriesName,
        market_location: Type.Optional(MarketLocation),
      },
      { title: 'SeriesCreate', 'x-read-only': ['id', 'created_at'] },
    ),
    response: Series,
    problems: ['already_exists'],
    example: {
      request: {
        kind: seriesExample.kind,
        owner: seriesExample.owner,
        name: seriesExample.name,
        market_location: seriesExample.market_location,
      },
      response: seriesExample,
    },
  }),
  listSeries: endpoint({
    method: 'GET',
    path: '/operator/v1/series',
    summary: 'List series',
    description: 'All series, oldest first.',
    scopes: ['read'],
    query: Strict({
      kind: Type.Optional(
        Choice(SERIES_KINDS, { description: 'Only series of this kind.', examples: ['meter'] }),
      ),
      owner_id: Type.Optional(
        Type.String({
          description: 'Only series of this asset or customer.',
          examples: [seriesExample.owner.id],
        }),
      ),
      market_location: Type.Optional(
        Type.String({ description: 'Only series of this market location.', examples: ['51238696781'] }),
      ),
      ...pageQuery,
    }),
    response: Page('series', Series, 'SeriesList'),
    example: { response: { series: [seriesExample], pagination: paginationExample } },
  }),
  getSeries: endpoint({
    method: 'GET',
    path: '/operator/v1/series/{series_id}',
    summary: 'Read a series',
    description: 'One series, without its values. The answer has an `ETag`; `If-None-Match` is supported.',
    scopes: ['read'],
    response: Series,
    problems: ['series_not_found'],
    conditional: true,
    example: { response: seriesExample },
  }),
  updateSeries: endpoint({
    method: 'PATCH',
    path: '/operator/v1/series/{series_id}',
    summary: 'Rename a series, or set its market location',
    description: 'Kind and owner cannot change. `If-Match` is supported.',
    scopes: ['series:write'],
    body: Strict(
      { name: Type.Optional(SeriesName), market_location: Type.Optional(MarketLocation) },
      { title: 'SeriesUpdate', 'x-read-only': ['id', 'kind', 'owner', 'created_at'] },
    ),
    response: Series,
    problems: ['series_not_found', 'already_exists', 'precondition_failed'],
    conditional: true,
    example: { request: { name: 'Uckermark Nord, meter' }, response: seriesExample },
  }),
  putSeriesDay: endpoint({
    method: 'PUT',
    path: '/operator/v1/series/{series_id}/days/{delivery_date}',
    summary: 'Write a series’ day',
    description:
      'One value per slot, in one unit; null says nothing. Other values are a next version, equal ones are none. The volumes of the contracts with this source follow in the same transaction.',
    scopes: ['series:write'],
    body: SeriesDay,
    response: DayResult,
    problems: ['series_not_found'],
    example: {
      request: { energy_kwh: [1250, 1300.5, null] },
      response: { created: 96, corrected: 0, unchanged: 0, revision: 1 },
    },
  }),
  importValues: endpoint({
    method: 'POST',
    path: '/operator/v1/series/values',
    summary: 'Import values of series',
    description:
      'CSV with a header line or NDJSON: `series` (id or market location), `delivery_date` and `slot` or else `delivery_start`, exactly one of `power_mw`, `power_kw`, `energy_mwh`, `energy_kwh`, and optionally `resolution` (`PT15M`, `PT60M`) and `kind` (a market location means the meter unless it is `forecast`). An NDJSON line with a list of values, one per slot or null, is a whole day. Streamed, any size, by the rules of volume imports. Or an MSCONS interchange (`application/edifact`), which is stored whole first; each of its messages is applied or rejected.',
    scopes: ['series:write'],
    query: Strict({
      dry_run: Flag('Dry run: report the result without storing anything. Not for interchanges.'),
      decimal: Decimal,
    }),
    stream: ['text/csv', 'application/x-ndjson', 'application/edifact'],
    gzip: true,
    response: Type.Union([ValuesImportResult, InterchangeResult]),
    problems: ['unsupported_media_type', 'payload_too_large', 'interchange_conflict'],
    example: {
      request: 'series,delivery_date,slot,energy_kwh\n51238696781,2026-10-25,1,1250\n',
      response: importExample,
    },
  }),
  getSeriesValues: endpoint({
    method: 'GET',
    path: '/operator/v1/series/{series_id}/values',
    summary: 'Read the values of a series’ day',
    description:
      'The newest value of each slot that has one, by slot. With `slot_number` all versions of that slot, newest first.',
    scopes: ['read'],
    query: Strict({
      delivery_date: Day('The German delivery day.'),
      as_of: Type.Optional(DateTime('The values that were stored at this instant.')),
      slot_number: Type.Optional(SlotNumber('All versions of this slot.')),
    }),
    response: SeriesValues,
    problems: ['series_not_found'],
    example: { response: { values: [{ slot_number: 1, energy_wh: 1_250_000, version: 1 }] } },
  }),
  getSeriesDeviation: endpoint({
    method: 'GET',
    path: '/operator/v1/series/{series_id}/deviation',
    summary: 'Compare forecast and meter',
    description:
      'Per day, forecast and meter of the series’ owner over the slots that have both. A day without such a slot has zeros.',
    scopes: ['read'],
    query: Strict({ from: Day('First day.'), to: Day('Last day.') }, ordered(['from', 'to'])),
    response: SeriesDeviation,
    problems: ['series_not_found'],
    example: {
      response: {
        days: [
          {
            delivery_date: '2026-01-15',
            forecast_kwh: 1200.5,
            meter_kwh: 1180.25,
            error_kwh: -20.25,
            absolute_error_kwh: 44.75,
            slots_present: 1,
          },
        ],
      },
    },
  }),
  listInterchanges: endpoint({
    method: 'GET',
    path: '/operator/v1/series/interchanges',
    summary: 'List interchanges',
    description: 'Received MSCONS interchanges, newest first.',
    scopes: ['read'],
    query: Strict({ ...pageQuery }),
    response: Page('interchanges', Interchange, 'InterchangeList'),
    example: { response: { interchanges: [interchangeExample], pagination: paginationExample } },
  }),
  getInterchange: endpoint({
    method: 'GET',
    path: '/operator/v1/series/interchanges/{interchange_id}',
    summary: 'Read an interchange',
    description: 'One interchange without its text, which is under `/raw`.',
    scopes: ['read'],
    response: Interchange,
    problems: ['interchange_not_found'],
    example: { response: interchangeExample },
  }),
  getInterchangeRaw: endpoint({
    method: 'GET',
    path: '/operator/v1/series/interchanges/{interchange_id}/raw',
    summary: 'Read an interchange’s text',
    description: 'The exact bytes that were received.',
    scopes: ['read'],
    response: Type.String(),
    documents: { 'application/edifact': rawExample },
    problems: ['interchange_not_found'],
    example: { response: rawExample },
  }),
});
