import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { brpEndpoints, type Endpoint, marketEndpoints, operatorEndpoints, portalEndpoints } from '@saldo/api';
import { translate } from '../../portal/src/i18n/de/server-texts.ts';
import { compile, compileQuery } from '../src/platform/http/validation.ts';
import { client, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;

/** The portal shows the server's messages in German: each that can be provoked here must have a translation. */

/** Words that no German sentence has, and no value of these tests. */
const ENGLISH = /\b(?:the|is|are|must|not|has|have|with|and|of|line|column|one)\b/i;

function assertGerman(messages: Iterable<string>): void {
  const wrong = [...new Set(messages)].flatMap((message) => {
    const translated = translate(message);
    // Quotes and names of columns are values of the request.
    return translated === null || ENGLISH.test(translated.replaceAll(/"[^"]*"/g, ''))
      ? [[message, translated]]
      : [];
  });
  assert.deepEqual(wrong, []);
}

const SOURCES = path.join(import.meta.dirname, '../src');
/** A whole message about a field, as the server's code has it: 'must be in the future'. */
const FIELD_MESSAGE = /'((?:is|are|must|has|needs|would) [^'\n]*[^'\s])'/g;

/** Tests, settings and backups: their messages are for the operator's terminal. */
const NO_REQUESTS = /\.test\.ts$|settings\.ts$|config\.ts$|^backup\//;

test('every message about a field in the source of the server has German', () => {
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter((file) => !NO_REQUESTS.test(file));
  const messages = files.flatMap((file) =>
    Array.from(
      readFileSync(path.join(SOURCES, file), 'utf8').matchAll(FIELD_MESSAGE),
      ([, text = '']) => text,
    ),
  );
  assert.ok(messages.length > 50, `${messages.length} messages`);
  assertGerman(messages);
});

type Schema = {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
};

/** Wrong values of every kind that a schema can reject. */
const WRONG = [
  null,
  true,
  '',
  'x',
  '\u0000',
  'x'.repeat(100_000),
  '11XNORDWIND----X',
  '11XNORDWIND',
  'pаypal@nordwind.example',
  'a\u200bb@nordwind.example',
  'http://127.0.0.1',
  '2026-02-30',
  -1,
  0,
  0.00001,
  1e300,
  [],
  [1, 1],
  ['x', 'x'],
  Array.from({ length: 2000 }, (_, at) => `${at}`),
  {},
  { x: 1 },
  { '': 'x', ['k'.repeat(300)]: 'x', 'a\u0000': 'x', ok: 'x'.repeat(5000) },
];

/** Bodies in which one member, at any depth, has a wrong value. */
function* wrongBodies(schema: Schema): Generator {
  yield* WRONG;
  for (const choice of schema.anyOf ?? []) yield* wrongBodies(choice);
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    for (const value of wrongBodies(member)) yield { [name]: value };
  if (schema.items) for (const value of wrongBodies(schema.items)) yield [value];
}

test('every message of the validation of a request has German', () => {
  const messages = new Set<string>();
  const endpoints: Endpoint[] = [brpEndpoints, operatorEndpoints, portalEndpoints, marketEndpoints].flatMap(
    (table) => Object.values<Endpoint>(table),
  );
  for (const { body, query } of endpoints) {
    if (body !== null) {
      const validate = compile(body);
      for (const value of wrongBodies(body)) for (const { message } of validate(value)) messages.add(message);
    }
    const read = compileQuery(query);
    const { properties = {} } = query as Schema;
    for (const name of [...Object.keys(properties), 'unknown']) {
      for (const value of [...WRONG.map(String), ['a', 'b'], '999999999', '-5'])
        for (const { message } of read({ [name]: value }).errors) messages.add(message);
    }
    for (const raw of [
      { delivery_start: '2026-10-02T00:00:00Z', delivery_end: '2026-10-01T00:00:00Z' },
      { delivery_start: '2020-10-02T00:00:00Z', delivery_end: '2026-10-01T00:00:00Z' },
      { slot_number_from: '5', slot_number_to: '4' },
    ])
      for (const { message } of read(raw).errors) messages.add(message);
  }
  assert.ok(messages.size > 50, `${messages.size} messages`);
  assertGerman(messages);
});

const DAY = '2026-10-25';

test('every rejected line of an import has German', async () => {
  const ask = client(platform.baseUrl, await world.operatorKey());
  const { producer, consumer, seller, sellerGroup } = await world.pair();
  const contract = await world.contract(producer, consumer);
  const inactive = await world.customer(seller, { group: sellerGroup, tso: 'DE_AMPRION', status: 'pending' });
  const waiting = await world.contract(inactive, consumer);
  const send = async (type: string, text: string | Buffer<ArrayBuffer>): Promise<string[]> => {
    const { body } = await ask('/operator/v1/volumes?dry_run=true', {
      method: 'POST',
      body: text,
      headers: { 'content-type': type },
    });
    return (body.errors ?? body.rejected).map(({ message }: { message: string }) => message);
  };
  const header = 'contract,delivery_date,slot,volume';
  const line = (...values: (string | number)[]) => values.join(',');
  const csv = [
    header,
    line('NOBODY', DAY, 1, 1),
    line(contract.id, '2026-02-30', 1, 1),
    line(contract.id, '1999-01-01', 1, 1),
    line(contract.id, DAY, 101, 1),
    line(contract.id, DAY, 1, 'x'),
    line(contract.id, DAY, 2, -1),
    line(contract.id, DAY, 3, 1.23456),
    line(contract.id, DAY, 4, '9'.repeat(12)),
    line(contract.id, DAY, 5, 1),
    line(contract.id, DAY, 5, 1),
    line(contract.id, DAY, 6),
    line(`"${contract.id}`, DAY, 6, 1),
    line('x'.repeat(100_000), DAY, 6, 1),
    line(waiting.id, DAY, 1, 1),
  ].join('\n');
  const ndjson = [
    {},
    { contract: 1, delivery_date: DAY, slot: 1, volume: 1 },
    { contract: contract.id, delivery_date: DAY, slot: 1, volume: 1, more: 1 },
    { contract: contract.id, delivery_date: DAY, volumes: [1] },
    { contract: contract.id, delivery_date: DAY, volumes: Array.from({ length: 100 }, () => -1) },
  ].map((one) => JSON.stringify(one));
  const messages = [
    ...(await send('text/csv', csv)),
    ...(await send('application/x-ndjson', `${ndjson.join('\n')}\nnonsense\n[]\n`)),
    ...(await send('text/csv', 'contract,slot,slot,menge\n')),
    ...(await send('text/csv', '"contract\n')),
    ...(await send('text/csv', Buffer.from([...Buffer.from(`${header}\n`), 0xff, 0x0a]))),
    ...(await send('text/csv', `${header.replaceAll(',', ';')}\n${contract.id};${DAY};1;1.250\n`)),
  ];
  assert.ok(new Set(messages).size > 18, messages.join('\n'));
  assertGerman(messages);
});
