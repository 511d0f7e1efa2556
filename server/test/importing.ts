import { client, type RequestOptions, type TestPlatform, walk } from './harness.ts';
import type { WorldContract } from './world.ts';

/** The operator's imports of volumes, and contracts that take them. */
export async function importing({ baseUrl, world }: TestPlatform) {
  const operator = client(baseUrl, await world.operatorKey());
  const { producer, consumer } = await world.pair();
  let contracts = 0;

  async function newContract(options: Parameters<typeof world.contract>[2] = {}) {
    const externalId = options.externalId ?? `IMPORTED-${++contracts}`;
    return { ...(await world.contract(producer, consumer, { ...options, externalId })), externalId };
  }

  const send = (
    type: string,
    body: string | Buffer,
    { query = '', headers = {} }: { query?: string; headers?: RequestOptions['headers'] } = {},
  ) => operator.post(`/operator/v1/volumes${query}`, body, { headers: { 'content-type': type, ...headers } });

  /** The transactions of a contract, on all days or on one, as a viewer reads them. */
  const stored = ({ id }: Pick<WorldContract, 'id'>, day?: string) => {
    const filter = day === undefined ? '' : `&delivery_date=${day}`;
    return walk(operator, `/operator/v1/transactions?contract_id=${id}${filter}`, 'transactions', 100);
  };

  return { operator, consumer, newContract, send, stored };
}

/** The lines and codes of an import's rejected lines. */
export const rejections = ({ body }: { body: { rejected: { line: number; code: string }[] } }): string[] =>
  body.rejected.map(({ line, code }) => `${line} ${code}`);
