// Plain JavaScript, so that an older Node.js gives this reason instead of a syntax error.
const REQUIRED_MAJOR = 26;

if (Number.parseInt(process.versions.node, 10) < REQUIRED_MAJOR) {
  process.stderr.write(
    `Saldo cannot start: it needs Node.js ${REQUIRED_MAJOR} or newer, and this is ${process.version}.\n`,
  );
  process.exit(1);
}
await import('./server/src/main.ts');
