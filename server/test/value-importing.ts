import { maloCheckDigit } from '@saldo/core/series/market-location.ts';
import { client, type RequestOptions, type TestPlatform } from './harness.ts';

export type TestSeries = { id: string; name: string; market_location: string };
export type StoredValue = { slot_number: number; energy_wh: number; version: number };

let locations = 0;

/** A valid, unused MaLo. */
export function newLocation(): string {
  const first10 = String(5_000_000_000 + ++locations);
  return first10 + maloCheckDigit(first10);
}

/** The operator's imports of values, and series that take them. */
export async function valueImporting({ baseUrl, world }: TestPlatform) {
  const operator = client(baseUrl, await world.operatorKey());

  /** A meter and a forecast of a new plant with one market location. */
  async function newPlant(location = newLocation()): Promise<{ meter: TestSeries; forecast: TestSeries }> {
    const asset = await world.asset();
    const create = async (kind: 'meter' | 'forecast'): Promise<TestSeries> => {
      const owner = { type: 'asset', id: asset.id };
      const body = { kind, owner, name: `${kind} ${location}`, market_location: location };
      return (await operator.post('/operator/v1/series', body)).body;
    };
    return { meter: await create('meter'), forecast: await create('forecast') };
  }

  const newSeries = async (): Promise<TestSeries> => (await newPlant()).meter;

  const send = (
    type: string,
    body: string | Buffer,
    { query = '', headers = {} }: { query?: string; headers?: RequestOptions['headers'] } = {},
  ) =>
    operator.post(`/operator/v1/series/values${query}`, body, {
      headers: { 'content-type': type, ...headers },
    });

  const csv = (body: string | Buffer, query = '') => send('text/csv', body, { query });
  const ndjson = (lines: readonly (object | string)[], query = '') => {
    const texts = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
    return send('application/x-ndjson', texts.join(''), { query });
  };

  const stored = async ({ id }: Pick<TestSeries, 'id'>, day: string): Promise<StoredValue[]> =>
    (await operator(`/operator/v1/series/${id}/values?delivery_date=${day}`)).body.values;

  /** The newest Wh by slot. */
  const whOf = async (series: Pick<TestSeries, 'id'>, day: string): Promise<Record<number, number>> =>
    Object.fromEntries(
      (await stored(series, day)).map(({ slot_number, energy_wh }) => [slot_number, energy_wh]),
    );

  return { operator, newPlant, newSeries, send, csv, ndjson, stored, whOf };
}
