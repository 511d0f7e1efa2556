import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig } from './config.ts';
import { SETTINGS } from './config-help.ts';
import { recordNames } from './config-names.ts';

const settings = Object.values(SETTINGS).flat();
const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

test('every setting that the server reads is described once, and no other', () => {
  const { env, names } = recordNames({ ...COLLECTOR, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' });
  readConfig(env);
  assert.deepEqual(settings.map(([name]) => name).toSorted(), [...names].toSorted());
});

test('a described default is the value without the setting', () => {
  for (const [name, byDefault] of settings) {
    if (byDefault === null) continue;
    assert.deepEqual(readConfig({ ...COLLECTOR, [name]: byDefault }), readConfig(COLLECTOR), name);
  }
});

test('--help prints every setting with its default, and starts nothing', () => {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  // With this value a start would fail.
  const env = { PATH: process.env['PATH'], PORT: 'none' };
  const help = execFileSync(process.execPath, [main, '--help'], { encoding: 'utf8', env });
  const printed = [...help.matchAll(/^# .+\n#([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  assert.deepEqual(
    printed,
    settings.map(([name, byDefault]) => [name, byDefault ?? '']),
  );
});
