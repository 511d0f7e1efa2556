import assert from 'node:assert/strict';
import { agree, newPlace, operating } from './exchanging.ts';
import { client, type TestPlatform } from './harness.ts';
import { flat, only } from './nominated.ts';
import { sealAll } from './proving.ts';

export const LEDGER_DAY = '2026-10-22';

/** Changes of every kind that the ledger has, through the platform's own functions, in several seals. */
export async function changeEverything(platform: TestPlatform) {
  const { world, clock, baseUrl } = platform;
  const operator = client(baseUrl, await world.operatorKey());
  const { send, answer } = operating(platform, operator);
  const [wind, city] = [await newPlace(platform, 'DE_50HERTZ'), await newPlace(platform, 'DE_AMPRION')];
  const contract = await agree(world, wind, city);
  const put = async (day: string, volumes: readonly (number | null)[]) => {
    const { status, text } = await operator.put(`/operator/v1/contracts/${contract.id}/days/${day}`, {
      volumes,
    });
    assert.equal(status, 200, text);
  };
  await put(LEDGER_DAY, flat(LEDGER_DAY, 1));
  await put('2026-10-23', flat('2026-10-23', 2));
  await world.nominate();
  await sealAll(platform);
  clock.set('2026-10-20T08:05:00Z');
  await put(LEDGER_DAY, only(LEDGER_DAY, [5, 6], 3, 1));
  await world.nominate();
  await send({ delivery_date: LEDGER_DAY });
  await answer();
  clock.set('2026-10-20T08:10:00Z');
  const { body } = await operator(
    `/operator/v1/transactions?contract_id=${contract.id}&delivery_date=2026-10-23&limit=3`,
  );
  for (const { id } of body.transactions as { id: string }[]) {
    const invalidated = await operator.post(`/operator/v1/transactions/${id}/invalidate`, {
      reason: 'a test',
    });
    assert.equal(invalidated.status, 200, invalidated.text);
  }
  await sealAll(platform);
  clock.set('2026-10-20T08:15:00Z');
  await put('2026-10-24', flat('2026-10-24', 4));
  return { operator, contract, wind, city };
}
