/** Compares customers, created records and messages in the database with the journal. */
import type { Violation } from './compare-volumes.ts';
import type { History, JournaledWrite } from './journal.ts';
import type { MessageRow, Snapshot } from './snapshot.ts';

export const compareRecords = (snapshot: Snapshot, history: History): Violation[] => [
  ...checkCustomers(snapshot, history),
  ...checkCreations(snapshot, history),
  ...checkSchedules(snapshot.messages, history),
  ...checkAnswers(snapshot.messages, history),
];

const isPossible = ({ outcome }: JournaledWrite) => outcome !== 'not_sent' && outcome !== 'refused';

/**
 * Valid states of a customer: the last acknowledged write, a later one of unknown outcome, or one without an answer.
 */
function checkCustomers({ customers }: Snapshot, history: History): Violation[] {
  const writes = new Map<string, { write: JournaledWrite; value: string }[]>();
  for (const write of history.writes) {
    if (write.write.kind !== 'customer') continue;
    const { customer, value } = write.write;
    writes.getOrInsert(customer, []).push({ write, value });
  }
  return [...writes].flatMap(([customer, all]): Violation[] => {
    const lastCertain = all.findLastIndex(({ write }) => write.outcome === 'acknowledged');
    const allowed: (string | null)[] = all
      .filter(({ write }, at) => isPossible(write) && (at >= lastCertain || write.outcome === 'unanswered'))
      .map(({ value }) => value);
    if (lastCertain === -1) allowed.push(null);
    const found = customers.get(customer) ?? null;
    if (allowed.includes(found)) return [];
    const evidence = all
      .slice(-20)
      .map(({ write, value }) => `write ${write.id}: ${value} → ${write.outcome}`);
    return [{ rule: 'lost', text: `${customer} says ${found}, which is not its last write`, evidence }];
  });
}

/** Invariant: an acknowledged creation has exactly one record, with the acknowledged id; an unknown one at most one. */
function checkCreations({ created }: Snapshot, history: History): Violation[] {
  const violations: Violation[] = [];
  for (const journaled of history.writes) {
    const { id, write, outcome, record, key } = journaled;
    if (write.kind !== 'creation') continue;
    const name = `${write.of} ${write.name}`;
    const found = created.get(name) ?? [];
    const evidence = [
      `write ${id} → ${outcome}, record ${record}, key ${key}`,
      `found: ${found.join(', ') || 'none'}`,
    ];
    if (found.length > 1)
      violations.push({ rule: 'doubled', text: `${name} was made ${found.length} times`, evidence });
    else if (outcome === 'acknowledged' && found[0] !== record) {
      violations.push({ rule: 'lost', text: `${name} was acknowledged and is not there`, evidence });
    } else if (found.length === 1 && !isPossible(journaled)) {
      violations.push({ rule: 'doubled', text: `${name} was refused and is there`, evidence });
    }
  }
  return violations;
}

/** Invariant: each version of a schedule is stored once, and every delivery of it has the same name and bytes. */
function checkSchedules(messages: readonly MessageRow[], history: History): Violation[] {
  const violations: Violation[] = [];
  const fail = (text: string, ...evidence: unknown[]) => {
    violations.push({ rule: 'messages', text, evidence: evidence.map((one) => JSON.stringify(one)) });
  };
  const schedules = messages.filter(({ direction }) => direction === 'out');
  const versions = Map.groupBy(schedules, ({ identification }) => identification);
  for (const [identification, rows] of versions) {
    const ordered = rows.map(({ version }) => version ?? 0).toSorted((one, other) => one - other);
    if (ordered.some((version, at) => version !== at + 1)) {
      fail(`The versions of ${identification} are not 1..${rows.length}`, ordered);
    }
  }
  const byFile = new Map(schedules.map((row) => [row.file_name, row]));
  for (const row of schedules) {
    if (row.is_sent && !history.files.has(row.file_name ?? ''))
      fail(`${row.file_name} never left the outbox`, row);
  }
  for (const [name, { conflicts, sha256 }] of history.files) {
    if (!byFile.has(name)) fail(`${name} left the outbox, but no message is stored for it`);
    if (conflicts.length > 0) fail(`${name} left the outbox again with other bytes`, sha256, conflicts);
  }
  for (const { id, file } of history.sent) {
    const row = byFile.get(file);
    if (row?.id !== id || !row.is_sent) fail(`${id} was acknowledged as sent and is not`, row ?? null);
  }
  return violations;
}

/**
 * Invariant: each delivered answer is stored and parsed, each file is stored at most once per delivery, and each answer
 * is applied at most once.
 */
function checkAnswers(messages: readonly MessageRow[], history: History): Violation[] {
  const violations: Violation[] = [];
  const fail = (text: string, rows: readonly MessageRow[]) => {
    violations.push({ rule: 'messages', text, evidence: rows.map((row) => JSON.stringify(row)) });
  };
  const incoming = messages.filter(({ direction }) => direction === 'in');
  const byAnswer = Map.groupBy(incoming, ({ answer_id }) => answer_id);
  const byFile = Map.groupBy(incoming, ({ file_name }) => file_name);
  for (const [answer, file] of history.answers) {
    const rows = byAnswer.get(answer) ?? [];
    if (rows.length === 0)
      fail(`Answer ${answer} (${file ?? 'by request'}) was handed over and is not there`, []);
    const fromInbox = file === null ? [] : (byFile.get(file) ?? []).filter((row) => row.is_from_inbox);
    const delivered = file === null ? 0 : (history.inboxDeliveries.get(file) ?? 0);
    if (fromInbox.length > delivered)
      fail(`${file} was delivered ${delivered} times and stored ${fromInbox.length} times`, fromInbox);
    const applied = rows.filter(({ state }) => state === 'applied');
    if (applied.length > 1) fail(`Answer ${answer} was applied ${applied.length} times`, applied);
  }
  const unread = incoming.filter(({ state }) => state === 'stored' || state === 'failed');
  if (unread.length > 0) fail('Answers were stored and not read', unread);
  return violations;
}
