#!/usr/bin/env node
// Plain JavaScript, so that an older Node.js prints the error below instead of a syntax error.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const requiredMajor = Number.parseInt(engines.node.replace('>=', ''), 10);
if (Number.parseInt(process.versions.node, 10) < requiredMajor) {
  process.stderr.write(
    `Saldo cannot start: it needs Node.js ${requiredMajor} or newer, and this is ${process.version}.\n`,
  );
  process.exit(1);
}
// The server runs in this process, so that signals of a service manager reach it.
await import(process.argv[2] === 'start' ? './server/src/main.ts' : './cli/src/main.ts');
