import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import type { Consistency, Proof, Seal } from '@saldo/api';
import { ENTRY_KINDS } from '@saldo/core/ledger/entries.ts';
import pg from 'pg';
import { sealDue } from '../src/ledger/seal.ts';
import { statement } from '../src/platform/db/statement.ts';
import { renewLedgerKey } from '../src/start/ledger-key-file.ts';
import { type Answer, type Client, client, problemOf, startTestPlatform, walk } from './harness.ts';
import { confirm, listNominated, makeDeal } from './nominated.ts';
import { assertSigned, isConsistent, isIncluded, provenEntry, sealAll } from './proving.ts';

const DAY = '2026-11-12';
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world, db, clock } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());

const advance = (ms: number) => clock.set(new Date(clock.now() + ms).toISOString());

const transactionsOf = async (ask: Client, contractId: string, query = '') =>
  (await ask(`/v1/contracts/${contractId}/transactions?delivery_date=${DAY}&limit=100${query}`)).body
    .transactions as { id: string; slot_number: number; version: number; status: string }[];
const codeOf = (answer: Answer) => problemOf(answer).code;
const seals = (ask: Client): Promise<Seal[]> => walk(ask, '/v1/ledger/seals?', 'seals', 2);
const proofOf = async (ask: Client, path: string, query = ''): Promise<Proof> => {
  const answer = await ask(`/v1/${path}/proof${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

test('a transaction has a proof of its sheet, of its replacement and of its invalidation', async () => {
  const { contract, asSeller, asBuyer } = await makeDeal(platform);
  await world.volumes(contract, DAY, 1_000);
  const [first, second, third] = await transactionsOf(asSeller, contract.id);
  const path = `transactions/${first!.id}`;
  const early = await asSeller(`/v1/${path}/proof`);
  assert.equal(codeOf(early), 'not_sealed');
  assert.equal(early.headers.get('retry-after'), '30');

  await sealAll(platform);
  const proof = await proofOf(asSeller, path);
  const entry = provenEntry(proof);
  assert.equal(entry['kind'], 'transactions');
  assert.equal(entry['contract_id'], contract.id);
  assert.equal(entry['committed_at'], '2026-10-20T08:00:00.000Z');
  assert.deepEqual(await proofOf(asBuyer, path), proof, 'both parties get the same proof');
  const ofOperator = await operator(`/operator/v1/${path}/proof`);
  assert.deepEqual(ofOperator.body, proof);

  advance(60_000);
  const corrected = Array.from({ length: 96 }, (_, at) => (at === 0 ? 2_000 : 1_000));
  await world.volumes(contract, DAY, corrected);
  advance(60_000);
  await world.invalidate(second!.id);
  await sealAll(platform);
  const replaced = provenEntry(await proofOf(asSeller, path));
  assert.deepEqual(
    [replaced['kind'], replaced['number'], replaced['slots']],
    ['transactions_superseded', 2, [1]],
  );
  const invalid = provenEntry(await proofOf(asSeller, `transactions/${second!.id}`));
  assert.deepEqual([invalid['kind'], invalid['slots']], ['transactions_invalidated', [2]]);
  assert.equal(provenEntry(await proofOf(asSeller, `transactions/${third!.id}`))['kind'], 'transactions');
});

test('a nomination has a proof of each of its changes, and its newest one counts', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  await world.volumes(contract, DAY, 1_000);
  await world.nominate();
  const [nomination] = await listNominated(asSeller);
  const path = `nominations/${nomination!.id}`;
  await sealAll(platform);
  const created = provenEntry(await proofOf(asSeller, path));
  assert.deepEqual([created['kind'], created['eic'], created['number']], ['nomination', nomination!.eic, 1]);

  advance(60_000);
  await confirm(platform, nomination!, (kw) => kw - 1, false);
  advance(60_000);
  await confirm(platform, nomination!, (kw) => kw);
  await sealAll(platform);
  const confirmed = provenEntry(await proofOf(asSeller, path));
  assert.deepEqual(
    [confirmed['kind'], confirmed['number'], confirmed['status']],
    ['nomination_confirmed', 2, 'match'],
  );

  advance(60_000);
  await world.volumes(contract, DAY, 3_000);
  await world.nominate();
  await sealAll(platform);
  const superseded = provenEntry(await proofOf(asSeller, path));
  const [newest] = await listNominated(asSeller, '&status=pending');
  assert.deepEqual(
    [superseded['kind'], superseded['by_nomination_id']],
    ['nomination_superseded', newest!.id],
  );
});

/** An instant in the form of `as_of`. */
const instantOf = (ms: number) => new Date(ms).toISOString();

test('with as_of, the proof of a transaction is that of the entry that was in force then', async () => {
  const { contract, asSeller, asBuyer } = await makeDeal(platform);
  const made = clock.now();
  await world.volumes(contract, DAY, 1_000);
  const [transaction] = await transactionsOf(asSeller, contract.id);
  const path = `transactions/${transaction!.id}`;
  advance(60_000);
  const invalidated = clock.now();
  await world.invalidate(transaction!.id);
  advance(60_000);
  const replaced = clock.now();
  await world.volumes(contract, DAY, 2_000);
  const ask = (at: number) => asSeller(`/v1/${path}/proof?as_of=${instantOf(at)}`);
  assert.equal(codeOf(await ask(made)), 'not_sealed');
  await sealAll(platform);
  for (const [from, kind] of [
    [made, 'transactions'],
    [invalidated, 'transactions_invalidated'],
    [replaced, 'transactions_superseded'],
  ] as const)
    for (const at of [from, from === replaced ? from : from + 59_999]) {
      const proof = await proofOf(asSeller, path, `?as_of=${instantOf(at)}`);
      const entry = provenEntry(proof);
      assert.deepEqual([entry['kind'], entry['committed_at']], [kind, instantOf(from)]);
      assert.deepEqual(await proofOf(asBuyer, path, `?as_of=${instantOf(at)}`), proof);
      const ofOperator = await operator(`/operator/v1/${path}/proof?as_of=${instantOf(at)}`);
      assert.deepEqual(ofOperator.body, proof);
    }
  assert.deepEqual(
    await proofOf(asSeller, path, `?as_of=${instantOf(replaced)}`),
    await proofOf(asSeller, path),
  );
  assert.equal(codeOf(await ask(made - 1)), 'transaction_not_found', 'it was made later');
  assert.equal(codeOf(await ask(replaced + 1)), 'validation', 'in the future');
});

test('with as_of, the proof of a nomination is that of the entry that was in force then', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  const at: number[] = [];
  const mark = () => {
    advance(60_000);
    at.push(clock.now());
  };
  mark();
  await world.volumes(contract, DAY, 1_000);
  await world.nominate();
  const [nomination] = await listNominated(asSeller);
  mark();
  await confirm(platform, nomination!, (kw) => kw - 1, false);
  mark();
  await confirm(platform, nomination!, (kw) => kw);
  mark();
  await world.volumes(contract, DAY, 3_000);
  await world.nominate();
  await sealAll(platform);
  const path = `nominations/${nomination!.id}`;
  const found: unknown[] = [];
  for (const instant of at) {
    const entry = provenEntry(await proofOf(asSeller, path, `?as_of=${instantOf(instant)}`));
    assert.equal(entry['committed_at'], instantOf(instant));
    found.push([entry['kind'], entry['number'], entry['status']]);
    if (instant === at[0]) continue;
    const before = provenEntry(await proofOf(asSeller, path, `?as_of=${instantOf(instant - 1)}`));
    assert.equal(before['committed_at'], instantOf(instant - 60_000));
  }
  assert.deepEqual(found, [
    ['nomination', 1, undefined],
    ['nomination_confirmed', 1, 'partial_match'],
    ['nomination_confirmed', 2, 'match'],
    ['nomination_superseded', 2, undefined],
  ]);
  const early = await asSeller(`/v1/${path}/proof?as_of=${instantOf(at[0]! - 1)}`);
  assert.equal(codeOf(early), 'nomination_not_found');
});

test('proofs are for the tenants of a record only', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  const stranger = client(platform.baseUrl, (await world.brp()).key);
  await world.volumes(contract, DAY, 1_000);
  await world.nominate();
  await sealAll(platform);
  const [transaction] = await transactionsOf(asSeller, contract.id);
  const [nomination] = await listNominated(asSeller);
  for (const id of [transaction!.id, 'txn_01jhm4q7sqe8h9w3tb5k2x0rax', 'nonsense'])
    assert.equal(codeOf(await stranger(`/v1/transactions/${id}/proof`)), 'transaction_not_found');
  for (const id of [nomination!.id, 'nom_01jhm52x6yf6rbkm2s8hq3j5zd', 'nonsense'])
    assert.equal(codeOf(await stranger(`/v1/nominations/${id}/proof`)), 'nomination_not_found');
});

test('every seal is signed, and the tree of each extends all before it', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  for (let round = 1; round <= 5; round++) {
    advance(30_000);
    for (let count = 0; count < round; count++) await world.volumes(contract, DAY, round * 100 + count);
    await sealAll(platform);
  }
  const listed = (await seals(asSeller)).reverse();
  assert.ok(listed.length >= 5);
  assert.deepEqual(
    listed.map(({ tree_size }) => tree_size),
    listed.map(({ tree_size }) => tree_size).toSorted((one, other) => one - other),
  );
  for (const seal of listed) assertSigned(seal);
  const at = listed.map(({ sealed_at }) => Date.parse(sealed_at));
  assert.deepEqual(
    at,
    at.toSorted((one, other) => one - other),
  );
  for (const [number, first] of listed.entries())
    for (const second of listed.slice(number)) {
      const [from, to] = [first.tree_size, second.tree_size];
      const answer = await asSeller(`/v1/ledger/consistency?from=${from}&to=${to}`);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(isConsistent(first, second, answer.body as Consistency), `${from} ${to}`);
      if (from === to) continue;
      const forged = {
        ...first,
        root_hash: first.root_hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      };
      assert.ok(!isConsistent(forged, second, answer.body as Consistency), `forged ${from} ${to}`);
    }
  const [one] = listed;
  const found = await asSeller(`/v1/ledger/seals?tree_size=${one!.tree_size}`);
  assert.deepEqual(found.body.seals, [one]);
  const none = await asSeller(`/v1/ledger/seals?tree_size=${listed.at(-1)!.tree_size + 1}`);
  assert.deepEqual(none.body.seals, []);
});

test('nothing is sealed twice, and several processes may seal at once', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  await world.volumes(contract, DAY, 700);
  await Promise.all([sealAll(platform), sealAll(platform), sealAll(platform)]);
  const before = await seals(asSeller);
  await sealAll(platform);
  assert.deepEqual(await seals(asSeller), before);
});

test('entries of a transaction that is not committed yet hold back the sealing of later ones', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  await sealAll(platform);
  const [last] = await seals(asSeller);
  const writer = new pg.Client(platform.databaseUrl);
  await writer.connect();
  await writer.query('begin');
  await writer.query('select announce_events()');
  await world.volumes(contract, DAY, 800);
  await sealAll(platform);
  assert.deepEqual((await seals(asSeller))[0], last);
  await writer.query('commit');
  await writer.end();
  await sealAll(platform);
  assert.notDeepEqual((await seals(asSeller))[0], last);
});

test('sizes that were never sealed have no consistency proof', async () => {
  const { asSeller } = await makeDeal(platform);
  await sealAll(platform);
  const [newest] = await seals(asSeller);
  const size = newest!.tree_size;
  const ask = async (query: string) => codeOf(await asSeller(`/v1/ledger/consistency?${query}`));
  assert.equal(await ask(`from=${size}&to=${size + 1}`), 'seal_not_found');
  assert.equal(await ask(`from=${size}&to=${size - 1}`), 'validation');
  for (const query of ['from=0&to=1', 'from=-1&to=1', 'from=1', `from=1.5&to=${size}`, `from=x&to=${size}`])
    assert.equal(await ask(query), 'validation', query);
});

test('proofs hold for trees with several stored heights', async () => {
  const { contract, producer, consumer, asSeller } = await makeDeal(platform);
  await world.volumes(contract, DAY, 900);
  await sealAll(platform);
  const [transaction] = await transactionsOf(asSeller, contract.id);
  const first = await proofOf(asSeller, `transactions/${transaction!.id}`);
  // An entry per change of a sheet and per sheet: more than two blocks of 256.
  for (let count = 0; count < 300; count++) await world.volumes(contract, DAY, count);
  const other = await world.contract(producer, consumer);
  await world.volumes(other, DAY, 50);
  await sealAll(platform);
  const [of] = await transactionsOf(asSeller, other.id);
  const last = await proofOf(asSeller, `transactions/${of!.id}`);
  assert.ok(last.leaf_index > first.leaf_index + 512);
  assert.equal(provenEntry(last)['contract_id'], other.id);
  const replaced = await proofOf(asSeller, `transactions/${transaction!.id}`);
  assert.equal(provenEntry(replaced)['kind'], 'transactions_superseded');
  const path = `/v1/ledger/consistency?from=${first.seal.tree_size}&to=${last.seal.tree_size}`;
  assert.ok(isConsistent(first.seal, last.seal, (await asSeller(path)).body));
  const turned = Buffer.from(last.entry, 'base64');
  turned[0]! ^= 1;
  assert.ok(!isIncluded({ ...last, entry: turned.toString('base64') }));
});

test('a record that was changed with SQL has no proof, and the log names it', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  await world.volumes(contract, DAY, 1_100);
  await world.nominate();
  await sealAll(platform);
  const [nomination] = await listNominated(asSeller);
  const tamper = statement(
    'test_tamper',
    "update nomination set gate_closure = gate_closure + interval '1 hour' where eic = $1",
  );
  await db.transaction((tx) => tx.query(tamper, [nomination!.eic]));
  assert.equal(codeOf(await asSeller(`/v1/nominations/${nomination!.id}/proof`)), 'ledger_mismatch');
});

test('every kind of entry is written by the commits of its changes', async () => {
  await operator.post('/operator/v1/brps', { name: 'Audited' });
  const rows = await db.query<{ records: Buffer }>(
    statement('test_records', 'select records from ledger_batch'),
  );
  const kinds = new Set(
    rows.flatMap(({ records }) =>
      Array.from({ length: records.length / 21 }, (_, at) => ENTRY_KINDS[records[at * 21]!]),
    ),
  );
  // Messages and what is sent are those of exchange.test.ts.
  const exchanged = ['message', 'message_sent', 'nomination_sent'];
  assert.deepEqual([...kinds, ...exchanged].toSorted(), [...ENTRY_KINDS].toSorted());
});

test('a rotated key signs new seals, and earlier keys stay known with their dates', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  await world.volumes(contract, DAY, 1_200);
  await sealAll(platform);
  const before = (await asSeller('/v1/ledger/key')).body;
  await renewLedgerKey(platform.config.ledgerKeyFile);
  advance(60_000);
  await world.volumes(contract, DAY, 1_300);
  await sealAll(platform);
  const [newest, earlier] = await seals(asSeller);
  assertSigned(newest!);
  const after = (await operator('/operator/v1/ledger/key')).body;
  assert.equal(after.public_key, newest!.public_key);
  assert.equal(after.first_used_at, newest!.sealed_at);
  const [previous] = after.previous_keys;
  assert.equal(previous.public_key, before.public_key);
  assert.equal(previous.first_used_at, before.first_used_at);
  assert.equal(previous.last_used_at, earlier!.sealed_at);
});

test('a seal is not earlier than the one before it, even if the clock was moved back', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  await sealAll(platform);
  const [before] = await seals(asSeller);
  await world.volumes(contract, DAY, 1_400);
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = { privateKey, publicKey: Buffer.from(privateKey.export({ format: 'jwk' }).x!, 'base64url') };
  await sealDue(db, key, { now: () => 0 });
  assert.equal((await seals(asSeller))[0]!.sealed_at, before!.sealed_at);
});
