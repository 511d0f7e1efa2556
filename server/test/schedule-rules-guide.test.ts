import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { REASONS } from '@saldo/core/messages/reasons.ts';
import { SCHEDULE_RULE_TEXTS } from '@saldo/core/messages/schedule-rules.ts';

const rules = Object.entries(SCHEDULE_RULE_TEXTS).map(([key, { en }]) => [key.replace('rule.', ''), en]);

test('the guide has every rule of the check, as the table of rules has it', async () => {
  const guide = await readFile(
    new URL('../../docs/guides/does-my-schedule-match.md', import.meta.url),
    'utf8',
  );
  const listed = Array.from(guide.matchAll(/^\| (A\d\d) \| (.*) \|$/gm), ([, code, text]) => [code, text]);
  assert.deepEqual(listed, rules);
});

test('every rule has a reason code that answers of TSOs have', () => {
  assert.deepEqual(
    rules.filter(([code]) => !Object.hasOwn(REASONS, `reason.${code}`)),
    [],
  );
});
