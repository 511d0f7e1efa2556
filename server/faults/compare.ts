/** Compares all stored data with the journal after the background jobs have finished. */
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import type { Load } from './clients.ts';
import { compareRecords } from './compare-records.ts';
import { compareVolumes, type Violation } from './compare-volumes.ts';
import { type Answer, detailOf, request } from './request.ts';
import { type MessageRow, readSnapshot, type Snapshot } from './snapshot.ts';

/** Background jobs need a few seconds to net, send and receive. A difference after this time is a violation. */
const SETTLE_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 500;

/** Digests of stored documents that were verified to equal the file in the outbox. */
export type VerifiedDocuments = Map<string, string>;

export async function compareEverything(
  load: Load,
  verified: VerifiedDocuments,
  takeFiles: () => Promise<void>,
): Promise<Violation[]> {
  const deadline = Date.now() + SETTLE_WITHIN_MS;
  for (;;) {
    await takeFiles();
    const violations = await compareOnce(load, verified);
    if (violations.length === 0 || Date.now() > deadline) return violations;
    await delay(LOOK_EVERY_MS);
  }
}

async function compareOnce(load: Load, verified: VerifiedDocuments): Promise<Violation[]> {
  const { target, world, journal } = load;
  // Trigger netting instead of waiting for the job.
  const url = `${target.baseUrl}/operator/v1/nominations/run`;
  const nominated = await request(url, { key: world.operatorKey, method: 'POST', body: {} });
  if (nominated.outcome !== 'acknowledged') return [unreadable('Nominations cannot be run', nominated)];
  const snapshot = await readSnapshot(target);
  const violations = [
    ...compareVolumes(snapshot, journal.history),
    ...compareRecords(snapshot, journal.history),
    ...(await compareDocuments(load, snapshot, verified)),
  ];
  return violations.length > 0 ? violations : compareAnswersOfApi(load, snapshot);
}

const unreadable = (text: string, answer: Answer): Violation => ({
  rule: 'unreadable',
  text,
  evidence: [detailOf(answer)],
});

/** Invariant: the API returns the exact bytes that were in the outbox, and a stored document never changes. */
async function compareDocuments(
  load: Load,
  snapshot: Snapshot,
  verified: VerifiedDocuments,
): Promise<Violation[]> {
  const { target, world, journal } = load;
  const violations: Violation[] = [];
  const fail = (text: string, row: MessageRow) =>
    violations.push({ rule: 'messages', text, evidence: [JSON.stringify(row)] });
  for (const row of snapshot.messages) {
    const known = verified.get(row.id);
    if (known !== undefined && known !== row.digest) fail(`The document of ${row.id} has changed`, row);
    const file = journal.history.files.get(row.file_name ?? '');
    if (known !== undefined || row.direction === 'in' || file === undefined) continue;
    const url = `${target.baseUrl}/operator/v1/messages/${row.id}/raw`;
    const answer = await request(url, { key: world.operatorKey });
    if (!('status' in answer) || hash('sha256', answer.text) !== file.sha256) {
      fail(`The document of ${row.id} is not the file that left the outbox`, row);
    } else if (row.digest !== null) verified.set(row.id, row.digest);
  }
  return violations;
}

type ApiTransaction = {
  id: string;
  slot_number: number;
  version: number;
  volume: number;
  status: string;
  previous_transaction_id: string | null;
};

/** Compares all versions of one contract-day from the API with the sheets read by SQL. */
async function compareAnswersOfApi(
  { target, world, random }: Load,
  snapshot: Snapshot,
): Promise<Violation[]> {
  const [contract, day] = [random.pick(world.contracts), random.pick(world.days)];
  const listed: ApiTransaction[] = [];
  for (let after = ''; ; ) {
    const url = `${target.baseUrl}/operator/v1/transactions?contract_id=${contract}&delivery_date=${day}&limit=100${after}`;
    const answer = await request(url, { key: world.operatorKey });
    if (answer.outcome !== 'acknowledged')
      throw new Error(`Transactions cannot be read: ${detailOf(answer)}`);
    listed.push(...(answer.body.transactions as ApiTransaction[]));
    const { next_cursor } = answer.body.pagination;
    if (next_cursor === null) break;
    after = `&after=${encodeURIComponent(next_cursor)}`;
  }
  const stored = snapshot.sheets
    .filter((sheet) => sheet.contract === contract && sheet.day === day)
    .flatMap(({ kwh, versions }) =>
      kwh.flatMap((value, at) => (value === null ? [] : [`${at + 1} ${versions?.[at] ?? 1} ${value}`])),
    );
  const found = listed.map((one) => `${one.slot_number} ${one.version} ${kwhFromMwh(one.volume)}`);
  const violations: Violation[] = [];
  const difference = new Set(stored).symmetricDifference(new Set(found));
  if (difference.size > 0 || stored.length !== found.length) {
    const text = `${contract} ${day}: the API and the database differ (slot, version, kWh)`;
    violations.push({ rule: 'versions', text, evidence: [...difference] });
  }
  const byVersion = new Map(listed.map((one) => [`${one.slot_number} ${one.version}`, one.id]));
  for (const one of listed) {
    const previous = byVersion.get(`${one.slot_number} ${one.version - 1}`) ?? null;
    if (one.previous_transaction_id === previous) continue;
    violations.push({
      rule: 'versions',
      text: `${one.id} names the wrong previous id`,
      evidence: [JSON.stringify(one)],
    });
  }
  return violations;
}
