import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOMINATION_STATUSES } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { recordSent } from '../src/nominations/actions.ts';
import { statement } from '../src/platform/db/statement.ts';
import { assertProblem, assertRefused, type Client, client, startTestPlatform, walk } from './harness.ts';
import { cells, confirm, listNominated, makeDeal, type Nominated, nominationUuid } from './nominated.ts';

const DAY = '2026-10-22';
const START = Date.parse('2026-10-20T06:00:00Z');
const platform = await startTestPlatform({ now: formatInstant(START) });
const { world, clock } = platform;
const { contract, asSeller, seller, sellerGroup } = await makeDeal(platform);
const operator = client(platform.baseUrl, await world.operatorKey());

let minutes = 0;
/** The instants of changes have milliseconds. */
const nextInstant = () => {
  const instant = START + ++minutes * 60_000 + 123;
  clock.set(new Date(instant).toISOString());
  return instant;
};
const current = async (): Promise<Nominated> => {
  const found = await listNominated(asSeller, '&status=pending&direction=out');
  const [newest] = found.length > 0 ? found : (await listNominated(asSeller, '&direction=out')).slice(-1);
  assert.ok(newest);
  return newest;
};

/** Each step changes what reads answer. */
const STEPS: readonly (() => Promise<unknown>)[] = [
  async () => {},
  async () => {
    await world.volumes(contract, DAY, 100);
    await world.nominate();
  },
  async () => {
    const sent = (await listNominated(asSeller)).map(nominationUuid);
    await platform.db.transaction((tx) => recordSent(tx, sent, clock.now()));
  },
  async () => confirm(platform, await current(), (kw) => kw - 1, false),
  async () => confirm(platform, await current(), (kw) => kw, false),
  async () => confirm(platform, await current(), (kw) => kw, true),
  async () => {
    await world.volumes(contract, DAY, cells(DAY, { 7: 20 }));
    await world.nominate();
  },
  async () => confirm(platform, await current(), (kw) => kw + 4, true),
  // The TSO confirms the version that was replaced meanwhile.
  async () => {
    const [first] = await listNominated(asSeller, '&status=superseded&direction=out');
    assert.ok(first);
    await confirm(platform, first, (kw) => kw - 2, true);
  },
  async () => {
    await world.volumes(contract, DAY, 0);
    await world.nominate();
  },
];

type Read = readonly [of: Client, path: string, body?: { ids: readonly string[] }];

const readsOf = (ids: readonly string[]): Read[] => {
  const lists = ['', 'include_slots=true', 'tso=DE_TENNET', `eic=${sellerGroup.eic}`].concat(
    NOMINATION_STATUSES.map((status) => `status=${status}`),
    `status=superseded&eic=${sellerGroup.eic}&include_slots=true&slot_number_from=7&slot_number_to=8`,
  );
  return [
    ...lists.flatMap((query): Read[] => [
      [asSeller, `/v1/nominations?limit=100&${query}`],
      [operator, `/operator/v1/nominations?limit=100&${query}`],
    ]),
    [asSeller, `/v1/nominations/bulk?ids=${ids.join(',')}`],
    [asSeller, '/v1/nominations/bulk', { ids }],
    ...ids.flatMap((id): Read[] => [
      [asSeller, `/v1/nominations/${id}?`],
      [asSeller, `/v1/nominations/${id}/history?`],
      [operator, `/operator/v1/nominations/${id}?`],
      [operator, `/operator/v1/nominations/${id}/history?`],
    ]),
  ];
};

const answerOf = async ([of, path, body]: Read, asOf: string | null) => {
  const withoutIds = (text: string) => text.replaceAll(/req_[\w-]+/g, '');
  if (body !== undefined) {
    const { status, text } = await of.post(path, asOf === null ? body : { ...body, as_of: asOf });
    return { status, text: withoutIds(text) };
  }
  const { status, text } = await of(asOf === null ? path : `${path}&as_of=${encodeURIComponent(asOf)}`);
  return { status, text: withoutIds(text) };
};

test('reads as of an instant answer what the same reads answered then, to the byte', async () => {
  const taken: { instant: number; answers: Map<string, object> }[] = [];
  let ids: string[] = [];
  for (const step of STEPS) {
    const instant = nextInstant();
    await step();
    ids = [...new Set([...ids, ...(await listNominated(asSeller)).map(({ id }) => id)])];
    const answers = new Map<string, object>();
    for (const read of readsOf(ids)) answers.set(JSON.stringify(read.slice(1)), await answerOf(read, null));
    taken.push({ instant, answers });
  }
  nextInstant();
  assert.ok(ids.length >= 3, 'there are several versions');
  const statuses = new Set<string>();
  for (const [at, { instant, answers }] of taken.entries()) {
    const until = taken[at + 1]?.instant ?? clock.now() + 1;
    for (const asOf of [instant, until - 1]) {
      for (const read of readsOf(ids)) {
        const then = answers.get(JSON.stringify(read.slice(1)));
        const now = await answerOf(read, new Date(asOf).toISOString());
        if (then !== undefined) assert.deepEqual(now, then, `step ${at}, ${read[1]}`);
        // A nomination that was made later.
        else if (!read[1].includes('bulk')) assert.equal(now.status, 404, `step ${at}, ${read[1]}`);
        for (const [, status] of now.text.matchAll(/"status":"(\w+)"/g)) statuses.add(status!);
      }
    }
  }
  assert.deepEqual([...statuses].sort(), [...NOMINATION_STATUSES].sort());
});

test('a bulk read as of an instant omits nominations that were made later', async () => {
  const ids = (await listNominated(asSeller)).map(({ id }) => id);
  const early = new Date(START).toISOString();
  for (const answer of [
    await asSeller(`/v1/nominations/bulk?ids=${ids.join(',')}&as_of=${early}`),
    await asSeller.post('/v1/nominations/bulk', { ids, as_of: early }),
  ])
    assert.deepEqual([answer.status, answer.body], [200, { nominations: [] }]);
});

test('an instant in the future is refused before the id is looked up, also one that cannot exist', async () => {
  const unknown = 'nom_01k9x3w8v5e2ntq0v9bgr4kx7c';
  for (const [of, base] of [
    [asSeller, '/v1'],
    [operator, '/operator/v1'],
  ] as const) {
    for (const id of ['nom_x', unknown]) {
      for (const path of ['', '/history', '/proof']) {
        const read = `${base}/nominations/${id}${path}`;
        assertRefused(await of(`${read}?as_of=2099-01-01T00:00:00Z`), 'as_of value_too_large');
        assertProblem(await of(`${read}?as_of=${formatInstant(clock.now())}`), 404, 'nomination_not_found');
      }
    }
  }
});

test('another BRP finds nothing as of any instant', async () => {
  const other = client(platform.baseUrl, (await world.brp()).key);
  const [nomination] = await listNominated(asSeller);
  const asOf = `as_of=${formatInstant(clock.now())}`;
  assert.equal((await other(`/v1/nominations/${nomination?.id}?${asOf}`)).status, 404);
  assert.equal((await other(`/v1/nominations/${nomination?.id}/history?${asOf}`)).status, 404);
  assert.deepEqual((await other(`/v1/nominations?${asOf}`)).body.nominations, []);
  assert.deepEqual((await other(`/v1/nominations/bulk?ids=${nomination?.id}&${asOf}`)).body.nominations, []);
});

test('a walk as of an instant is exact while nominations change', async () => {
  const days = ['2026-10-27', '2026-10-28', '2026-10-29'];
  nextInstant();
  for (const day of days) await world.volumes(contract, day, 50);
  await world.nominate();
  const asOf = new Date(clock.now()).toISOString();
  const range = 'delivery_start=2026-10-26T23:00:00Z&delivery_end=2026-10-29T23:00:00Z&status=pending';
  const whole = await walk(asSeller, `/v1/nominations?${range}&as_of=${asOf}`, 'nominations', 100);
  assert.equal(whole.length, 3);
  const walked: unknown[] = [];
  let after = '';
  do {
    const page = await asSeller(`/v1/nominations?${range}&as_of=${asOf}&limit=1${after}`);
    walked.push(...page.body.nominations);
    nextInstant();
    for (const day of days) await world.volumes(contract, day, minutes);
    await world.nominate();
    after = page.body.pagination.has_more ? `&after=${page.body.pagination.next_cursor}` : '';
  } while (after !== '');
  assert.deepEqual(walked, whole);
});

test('a cursor belongs to its instant', async () => {
  const asOf = formatInstant(clock.now());
  const page = await asSeller(`/v1/nominations?limit=1&as_of=${asOf}`);
  const after = page.body.pagination.next_cursor;
  assert.equal((await asSeller(`/v1/nominations?limit=1&as_of=${asOf}&after=${after}`)).status, 200);
  const others = [`/v1/nominations?limit=1&after=${after}`];
  others.push(`/v1/nominations?limit=1&as_of=${formatInstant(clock.now() - 60_000)}&after=${after}`);
  for (const path of others) assertRefused(await asSeller(path), 'after invalid_format');
});

test('an instant in the future or no instant is refused by every read', async () => {
  const [nomination] = await listNominated(asSeller);
  assert.ok(nomination);
  const { id } = nomination;
  const future = new Date(clock.now() + 1).toISOString();
  for (const [asOf, code] of [
    [future, 'value_too_large'],
    ['yesterday', 'invalid_format'],
  ] as const) {
    for (const [of, path] of readsOf([id]).filter(([, , body]) => body === undefined))
      assertRefused(await of(`${path}&as_of=${asOf}`), `as_of ${code}`);
    assertRefused(await asSeller.post('/v1/nominations/bulk', { ids: [id], as_of: asOf }), `as_of ${code}`);
  }
});

test('each change of what a TSO confirmed is a row, with the status without later versions', async () => {
  const rows = await platform.db.query<{ version: number; number: number; status: string; final: boolean }>(
    statement(
      'test_confirmations',
      `select n.version, c.number, c.status, c.confirmed_at is not null as final
       from nomination_confirmation c join nomination n on n.id = c.nomination_id
       where n.brp_no = $1 and n.delivery_day = $2 order by n.version, c.number`,
    ),
    [seller.no, DAY],
  );
  assert.deepEqual(
    rows.map(({ version, number, status, final }) => [version, number, status, final]),
    [
      [1, 1, 'partial_match', false],
      [1, 2, 'match', false],
      [1, 3, 'match', true],
      [1, 4, 'partial_match', true],
      [2, 1, 'partial_match', true],
    ],
  );
});
