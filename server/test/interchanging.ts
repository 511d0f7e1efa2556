import { maloCheckDigit } from '@saldo/core/series/market-location.ts';
import { bodyOf, type Client, type TestPlatform } from './harness.ts';

export const VALUES = '/operator/v1/series/values';
export const INTERCHANGES = '/operator/v1/series/interchanges';

let count = 0;
/** A valid MaLo that no series has. */
export function newMalo(): string {
  const first = String(5_100_000_000 + ++count);
  return first + maloCheckDigit(first);
}

/** What a gateway and the operator do with metered values. */
export function meteringOf({ world }: Pick<TestPlatform, 'world'>, operator: Client) {
  const createMeter = async (
    location: string | null,
    type: 'asset' | 'customer' = 'asset',
  ): Promise<string> => {
    const owner = type === 'asset' ? await world.asset() : await world.customer(await world.brp());
    const series = { kind: 'meter', owner: { type, id: owner.id }, name: 'Meter', market_location: location };
    return (await bodyOf(operator.post('/operator/v1/series', series), 201)).id;
  };
  const send = (
    interchange: string | Buffer<ArrayBuffer>,
    headers: Record<string, string> = {},
    query = '',
  ) =>
    operator.post(VALUES + query, interchange, {
      headers: { 'content-type': 'application/edifact', ...headers },
    });
  /** Wh by slot. */
  const valuesOf = async (series: string, day: string): Promise<Record<number, number>> => {
    const { values } = await bodyOf(operator(`/operator/v1/series/${series}/values?delivery_date=${day}`));
    return Object.fromEntries(
      values.map(({ slot_number: slot, energy_wh: wh }: { slot_number: number; energy_wh: number }) => [
        slot,
        wh,
      ]),
    );
  };
  return { createMeter, send, valuesOf };
}
