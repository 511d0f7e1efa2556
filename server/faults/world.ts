import { TSOS, type Tso } from '@saldo/api';
import { addDays, dayEnd, dayOf, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import { checkCharacter } from '@saldo/core/eic.ts';
import { detailOf, request } from './request.ts';

/** Days until delivery: no gate may close during a campaign. */
const FIRST_DAY_AHEAD = 10;
const DAYS = 5;
/** Sellers and buyers, chosen so that every balance group sends and receives across control areas. */
const CONTRACTS = [
  [0, 1],
  [1, 2],
  [2, 3],
  [3, 0],
  [0, 2],
  [1, 3],
  [2, 0],
  [3, 1],
] as const;
const PATCHED_CUSTOMERS = 3;

type Party = { readonly brp: string; readonly key: string; readonly eic: string; readonly tso: Tso };

export type World = {
  readonly operatorKey: string;
  readonly days: readonly string[];
  readonly parties: readonly (Party & { customer: string })[];
  readonly contracts: readonly string[];
  /** Customers without contracts, with the key of their BRP. The last one is reserved for probes. */
  readonly patched: readonly { customer: string; key: string }[];
};

/** Creates parties, customers and contracts through the operator API before the first fault. */
export async function createWorld(baseUrl: string, operatorKey: string): Promise<World> {
  const create = async (resource: string, body: unknown, method = 'POST') => {
    const answer = await request(`${baseUrl}/operator/v1/${resource}`, { key: operatorKey, method, body });
    if (answer.outcome !== 'acknowledged') throw new Error(`The world cannot be made: ${detailOf(answer)}`);
    return answer.body;
  };
  const createCustomer = async (name: string, { brp, eic, tso }: Party): Promise<string> => {
    const { id } = await create('customers', { brp_id: brp, name, balance_group: { eic, tso } });
    await create(`customers/${id}`, { status: 'active' }, 'PATCH');
    return id;
  };

  const parties: (Party & { customer: string })[] = [];
  for (const [at, tso] of TSOS.entries()) {
    const { id: brp } = await create('brps', { name: `BRP ${at}` });
    const eic = eicOf(at);
    await create('balance-groups', { brp_id: brp, eic, name: eic, tsos: [tso] });
    const { secret } = await create('api-keys', { owner: { type: 'brp', id: brp }, name: 'faults' });
    const party = { brp, key: secret as string, eic, tso };
    parties.push({ ...party, customer: await createCustomer(`Customer ${at}`, party) });
  }
  const days = Array.from({ length: DAYS }, (_, at) => addDays(dayOf(Date.now()), FIRST_DAY_AHEAD + at));
  const contracts: string[] = [];
  for (const [at, [seller, buyer]] of CONTRACTS.entries()) {
    const terms = contractTerms(`PPA-${at}`, parties[seller]!.customer, parties[buyer]!.customer, days);
    contracts.push((await create('contracts', terms)).id);
  }
  const patched: { customer: string; key: string }[] = [];
  for (let at = 0; at <= PATCHED_CUSTOMERS; at++) {
    const party = parties[at % parties.length]!;
    patched.push({ customer: await createCustomer(`Patched ${at}`, party), key: party.key });
  }
  return { operatorKey, days, parties, contracts, patched };
}

export const contractTerms = (
  externalId: string,
  sellerCustomer: string,
  buyerCustomer: string,
  days: readonly string[],
) => ({
  external_id: externalId,
  type: 'ppa',
  ppa_type: 'produced',
  seller_customer_id: sellerCustomer,
  buyer_customer_id: buyerCustomer,
  delivery_start: formatInstant(dayStart(days[0]!)),
  delivery_end: formatInstant(dayEnd(days.at(-1)!)),
});

/** Some EIC stems have no valid check character; then the next letter is tried. */
function eicOf(at: number): string {
  for (const letter of 'ABC') {
    const stem = `11XFAULT${letter}-----${at}`;
    const check = checkCharacter(stem);
    if (check !== '-') return stem + check;
  }
  throw new Error('One of three stems has a check character.');
}
