import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { packVolumes } from '../transactions/sheet.ts';
import {
  auditEntry,
  ENTRY_KINDS,
  invalidatedEntry,
  type LedgerEntry,
  messageEntry,
  messageSentEntry,
  nominationConfirmedEntry,
  nominationEntry,
  nominationSentEntry,
  nominationSupersededEntry,
  placementsEntry,
  sheetEntry,
  supersededEntry,
} from './entries.ts';
import { leafHash, sealText } from './tree.ts';

const SHEET = '01942a3b-1c2d-7e3f-8a4b-5c6d7e8f9000';
const CONTRACT = '01942a3b-1c2d-7e3f-8a4b-5c6d7e8f9a01';
const NOMINATION = '01942a3b-1c2d-7e3f-8a4b-5c6d7e8f9a02';
const LATER = '01942a3b-1c2d-7e3f-8a4b-5c6d7e8f9a03';
const MESSAGE = '01942a3b-1c2d-7e3f-8a4b-5c6d7e8f9a04';
const CUSTOMER = '01942a3b-1c2d-7e3f-8a4b-5c6d7e8f9a05';
const committedAt = Date.parse('2026-10-20T08:00:00.000Z');
const sender = { eic: '11XNORDWIND----J', tso: 'DE_50HERTZ' } as const;
const receiver = { eic: '11XSWVIERNAU---D', tso: 'DE_AMPRION' } as const;
const volumes = Array.from({ length: 96 }, (_, at) => (at < 2 ? 1000 + at : null));

const EXAMPLES: readonly LedgerEntry[] = [
  sheetEntry({
    ...{ uuid: SHEET, contractUuid: CONTRACT, day: '2026-10-22', revision: 1, sender, receiver, committedAt },
    volumesHex: Buffer.from(packVolumes(volumes)).toString('hex'),
    versions: null,
    previous: null,
  }),
  supersededEntry(SHEET, 2, [1], committedAt),
  invalidatedEntry(SHEET, 1, [2], committedAt),
  nominationEntry({
    ...{ uuid: NOMINATION, ...sender, day: '2026-10-22', direction: 'out', version: 1, previousUuid: null },
    amounts: [1000, 1001, 0, 0],
    gateClosure: Date.parse('2026-10-21T12:30:00Z'),
    committedAt,
  }),
  nominationSupersededEntry(NOMINATION, 2, LATER, committedAt),
  nominationSentEntry(NOMINATION, committedAt),
  nominationConfirmedEntry({
    ...{ nominationUuid: NOMINATION, number: 1, status: 'match', matched: [4000, 4004, 0, 0] },
    ...{ confirmedAt: committedAt, committedAt },
  }),
  messageEntry({
    uuid: MESSAGE,
    direction: 'out',
    documentSha256: hash('sha256', 'a document'),
    committedAt,
  }),
  messageSentEntry(MESSAGE, committedAt),
  placementsEntry(CUSTOMER, 1, [{ ...sender, firstDay: null, lastDay: null }], committedAt),
  auditEntry({
    ...{
      no: 7,
      actor: 'key_01jhm4q7sqe8h9w3tb5k2x0rax',
      action: 'contract.created',
      subject: 'con_01jhm4q7sqe8h9w3tb5k2x0rax',
    },
    ...{
      requestId: 'req-1',
      address: '192.0.2.1',
      userAgent: null,
      before: null,
      after: { name: 'Wind' },
      committedAt,
    },
  }),
];

const PAGE = new URL('../../../docs/evidence.md', import.meta.url);

test('the page on evidence has the canonical bytes of every kind of entry', async () => {
  assert.deepEqual(
    EXAMPLES.map(({ kind }) => kind),
    ENTRY_KINDS,
  );
  const page = await readFile(PAGE, 'utf8');
  const [, block = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  assert.deepEqual(
    block.trim().split('\n'),
    EXAMPLES.map(({ text }) => text),
  );
  const sha256 = (bytes: Uint8Array) => hash('sha256', bytes, 'buffer');
  const leaf = Buffer.from(leafHash(sha256, Buffer.from(EXAMPLES[0]!.text))).toString('hex');
  assert.ok(page.includes(`\n\`${leaf}\`.\n`));
  assert.ok(page.includes(`\`\`\`text\n${sealText(1, leaf, '2026-10-20T08:00:30.000Z')}\`\`\`\n`));
  for (const { kind, text } of EXAMPLES)
    for (const member of Object.keys(JSON.parse(text) as object)) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${kind}\` |`)) ?? '';
      assert.ok(
        row.includes(`\`${member}\``) || page.includes(`\n| \`${member}\` |`),
        `${member} of ${kind} is described`,
      );
    }
});
