import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { json, problem, standIn } from '../../sdk/test/stand-in.ts';
import { runCommand, type Setting } from '../test/run-command.ts';

const KEY = 'saldo_op_very-secret';
const ENV = { SALDO_URL: 'https://saldo.test', SALDO_KEY: KEY };
const home = await mkdtemp(path.join(tmpdir(), 'saldo-cli-'));
after(() => rm(home, { recursive: true, force: true }));

const saldo = (command: string | string[], setting: Setting = {}) =>
  runCommand(home, command, { env: ENV, ...setting });

const brps = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => ({
    id: `brp_${from + index}`,
    name: `BRP ${from + index}`,
    created_at: '2026-01-01T00:00:00Z',
  }));
const page = (records: object[], next: string | null = null) =>
  json({ brps: records, pagination: { limit: 100, has_more: next !== null, next_cursor: next } });

test('a list is printed as an aligned table', async () => {
  const { fetch } = standIn(page(brps(2, 9))).options;
  const { code, out, err } = await saldo('brps list', { fetch });
  assert.deepEqual(out.split('\n'), [
    'ID      NAME    SINCE',
    'brp_9   BRP 9   2026-01-01 01:00',
    'brp_10  BRP 10  2026-01-01 01:00',
    '',
  ]);
  assert.deepEqual([code, err], [0, '']);
});

test('--json prints a list as an array of the API’s records, with --all of all pages', async () => {
  const { options, requests } = standIn(page(brps(100), 'c1'), page(brps(3, 101)));
  const { out } = await saldo('brps list --all --json', { fetch: options.fetch });
  assert.deepEqual(JSON.parse(out), brps(103));
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['/operator/v1/brps?limit=100', '/operator/v1/brps?limit=100&after=c1'],
  );
});

test('--quiet prints one value a record: its id, the secret of a new key, the link of an invitation', async () => {
  const cases: [command: string, answer: Response, out: string][] = [
    ['brps list', page(brps(2)), 'brp_1\nbrp_2\n'],
    ['brps list', page([]), ''],
    ['brps show brp_1', json(brps(1)[0] ?? {}), 'brp_1\n'],
    [
      'keys create --operator --name night',
      json({ id: 'key_1', secret: 'saldo_operator_x' }),
      'saldo_operator_x\n',
    ],
    [
      'users invite user_1',
      json({ link: 'https://saldo.test/invitation#x', expires_at: 'soon' }),
      'https://saldo.test/invitation#x\n',
    ],
    ['balance-groups show 11X', json({ eic: '11X', brp_id: 'brp_1' }), '11X\n'],
    ['nominations show nom_1', json({ id: 'nom_1', slots: [] }), 'nom_1\n'],
    ['delivery-day 2026-10-25', json({ date: '2026-10-25', slots: [], gates: [] }), '2026-10-25\n'],
    ['profiles run', json({ created: 96 }), ''],
  ];
  for (const [command, answer, out] of cases) {
    const { options } = standIn(answer);
    const ran = await saldo(`${command} --quiet`, { fetch: options.fetch });
    assert.deepEqual(ran, { code: 0, out, err: '' }, command);
  }
  assert.match((await saldo('brps list --quiet --json')).err, /--json and --quiet exclude each other/);
});

test('--limit reads no more than it shows, and stderr notes that there are more', async () => {
  const { options, requests } = standIn(page(brps(100), 'c1'), page(brps(20, 101), 'c2'));
  const { out, err } = await saldo('brps list --limit 120 --json', { fetch: options.fetch });
  assert.equal(JSON.parse(out).length, 120);
  assert.match(requests[1]?.url ?? '', /limit=20&/);
  assert.match(err, /more than these 120/);
});

test('an empty list is an empty array in JSON, and a note on stderr otherwise', async () => {
  const { fetch } = standIn(page([])).options;
  assert.equal((await saldo('brps list --json', { fetch })).out, '[]\n');
  const { out, err } = await saldo('brps list', { fetch });
  assert.deepEqual([out, err], ['', 'No records match.\n']);
});

test('every filter of the API is an option', async () => {
  const { options, requests } = standIn(json({ transactions: [], pagination: { next_cursor: null } }));
  const given = '--contract-id con_1 --status valid --delivery-date 2026-10-25 --slot-number-from 5';
  await saldo(`transactions list ${given} --json`, { fetch: options.fetch });
  const query = new URL(`https://x${requests[0]?.url}`).searchParams;
  assert.deepEqual(Object.fromEntries(query), {
    contract_id: 'con_1',
    status: 'valid',
    delivery_date: '2026-10-25',
    slot_number_from: '5',
    limit: '20',
  });
});

test('days are counted from today by the platform’s clock, in options and arguments', async () => {
  const ahead = json({ server_time: '2027-03-27T23:30:00Z' });
  const dayIn = async (command: string, ...replies: Response[]) => {
    const { options, requests } = standIn(...replies);
    const { code, err } = await saldo(`${command} --quiet`, { fetch: options.fetch });
    assert.deepEqual([code, err], [0, ''], command);
    assert.equal(requests[0]?.url, '/operator/v1/health');
    return /\d{4}-\d\d-\d\d/.exec(requests[1]?.url ?? '')?.[0];
  };
  for (const [word, day] of [
    ['yesterday', '2027-03-27'],
    ['-1', '2027-03-27'],
    ['today', '2027-03-28'],
    ['tomorrow', '2027-03-29'],
    ['+2', '2027-03-30'],
  ] as const) {
    assert.equal(await dayIn(`nominations list --delivery-date ${word}`, ahead, page([])), day);
    const calendar = json({ date: day, slots: [], gates: [] });
    assert.equal(await dayIn(`delivery-day ${word}`, ahead, calendar), day);
  }
});

test('without a key that reads the platform’s clock, the machine’s decides', async () => {
  const now = () => Date.parse('2026-10-24T22:30:00Z');
  const of = async (SALDO_KEY: string, ...replies: Response[]) => {
    const { options, requests } = standIn(...replies);
    const env = { ...ENV, SALDO_KEY };
    await saldo('nominations list --delivery-date today --quiet', { fetch: options.fetch, env, now });
    return requests.map(({ url }) => /\d{4}-\d\d-\d\d/.exec(url)?.[0]);
  };
  assert.deepEqual(await of('saldo_brp_key', page([])), ['2026-10-25']);
  assert.deepEqual(await of(KEY, problem(403, 'forbidden'), page([])), [undefined, '2026-10-25']);
});

test('the clock of a sandbox is set to an instant, or to the German time of a day', async () => {
  const { options, requests } = standIn(json({ now: '2026-10-24T12:29:00Z', moved: true }));
  const { fetch } = options;
  const given = ['2026-10-24T14:29:00+02:00', '2026-10-24 14:29', '2026-10-25 14:29', '2026-10-25 1:00'];
  for (const instant of given) await saldo(['clock', 'set', instant], { fetch });
  assert.deepEqual(
    requests.map(({ body }) => JSON.parse(body).now),
    [given[0], '2026-10-24T12:29:00Z', '2026-10-25T13:29:00Z', given[3]],
  );
  assert.match((await saldo(['clock', 'set', 'soon 14:29'])).err, /is not a day/);
});

test('wrong usage exits with 2 and the reason, without any request', async () => {
  const wrong: [string, RegExp][] = [
    ['brps', /Usage: saldo brps/],
    ['brp list', /unknown command 'brp'/],
    ['brps list --state x', /unknown option '--state'/],
    ['brps create', /required option '--name/],
    ['brps show', /missing required argument 'brp'/],
    // The last argument is an empty text, such as the value of a shell variable that was not set.
    ['brps show ', /the argument 'brp' is empty/],
    ['customers list --status gone', /Allowed choices are pending, active, deactivated/],
    ['brps list --limit 0', /whole number/],
    ['customers update cust_1', /give at least one change/],
    ['customers update cust_1 --eic 11X', /--eic and --tso must be given together/],
    ['customers create --brp-id b --name n --meta x', /key=value/],
    ['customers create --brp-id b --name n --status deactivated', /Allowed choices are pending, active/],
    ['customers move cust_1', /give --balance-group and --tso/],
    ['customers move cust_1 --brp brp_2', /give --balance-group and --tso/],
    ['customers move cust_1 --balance-group 11X', /--balance-group and --tso must be given together/],
    ['customers move cust_1 --balance-group 11X --tso x', /Allowed choices are DE_AMPRION/],
    ['customers preview cust_1', /give --status, or --balance-group and --tso/],
    ['customers preview cust_1 --status pending', /Allowed choices are active, deactivated/],
    ['keys create --name x', /one of --brp, --account and --operator/],
    ['keys create --name x --brp b --operator', /one of --brp, --account and --operator/],
    ['contracts end con_1 --last-day 2026-02-30', /is not a day/],
    ['nominations list --delivery-date soon', /is not a day/],
    ['import volumes nowhere.csv', /cannot be read/],
    ['import volumes data.txt', /give --format/],
    ['days put con_1 2026-10-25', /a file or --volume/],
  ];
  for (const [command, reason] of wrong) {
    const { code, out, err } = await saldo(command);
    assert.equal(code, 2, command);
    assert.match(err, reason, command);
    assert.equal(out, '', command);
  }
});

const PREVIEW = {
  effective_day: '2026-10-22',
  customer: { id: 'cust_1', status: 'active', balance_group: { eic: '11XNEW', tso: 'DE_TENNET' } },
  contracts: 2,
  transactions: 192,
  nominations: [{ eic: '11XOLD', tso: 'DE_AMPRION', delivery_date: '2026-10-22', direction: 'in' }],
  nominations_total: 1,
  energy: [
    { eic: '11XOLD', tso: 'DE_AMPRION', direction: 'in', before: 24, after: 0 },
    { eic: '11XNEW', tso: 'DE_TENNET', direction: 'in', before: 0.5, after: 24.5 },
  ],
};

test('a preview prints the effective day, the counts, the energy and the nominations, or that none changes', async () => {
  const { options, requests } = standIn(json(PREVIEW));
  const command = 'customers preview cust_1 --balance-group 11XNEW --tso DE_TENNET --brp brp_2';
  const { code, out, err } = await saldo(command, { fetch: options.fetch });
  assert.deepEqual(out.split('\n'), [
    'effective_day      2026-10-22',
    'status             active',
    'balance_group.eic  11XNEW',
    'balance_group.tso  DE_TENNET',
    'contracts          2',
    'transactions       192',
    'nominations_total  1',
    '',
    'EIC     TSO         DIRECTION  MWH BEFORE  MWH AFTER',
    '11XOLD  DE_AMPRION  in             24.000      0.000',
    '11XNEW  DE_TENNET   in              0.500     24.500',
    '',
    'NEW VERSION FOR  EIC     TSO         DIRECTION',
    '2026-10-22       11XOLD  DE_AMPRION  in',
    '',
  ]);
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(
    [requests[0]?.method, requests[0]?.url, JSON.parse(String(requests[0]?.body))],
    [
      'POST',
      '/operator/v1/customers/cust_1/preview',
      { balance_group: { eic: '11XNEW', tso: 'DE_TENNET' }, brp_id: 'brp_2' },
    ],
  );
  const none = standIn(json({ ...PREVIEW, nominations: [], nominations_total: 0, energy: [] })).options;
  const quiet = await saldo('customers preview cust_1 --status active', { fetch: none.fetch });
  assert.match(quiet.out, /\n\nNothing changes for nominations\.\n$/);
  const many = standIn(json({ ...PREVIEW, nominations_total: 730 })).options;
  const cut = await saldo('customers preview cust_1 --status active', { fetch: many.fetch });
  assert.equal(cut.err, 'These are the first 1 of 730 nominations.\n');
});

test('a command uses the API of the kind of its key, and names a key of the wrong kind', async () => {
  const { options, requests } = standIn(json(PREVIEW));
  const as = (key: string, command: string) =>
    saldo(command, { env: { ...ENV, SALDO_KEY: key }, fetch: options.fetch });
  for (const key of ['saldo_brp_x', 'saldo_operator_x', 'a-key-of-the-environment'])
    await as(key, 'customers preview cust_1 --status active');
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['/v1', '/operator/v1', '/operator/v1'].map((base) => `${base}/customers/cust_1/preview`),
  );
  const brp = await as('saldo_brp_x', 'brps list');
  assert.deepEqual(
    [brp.code, brp.err],
    [2, 'error: this command needs an operator key, and the key is a BRP key\n'],
  );
  const account = await as('saldo_account_x', 'customers list');
  assert.deepEqual(
    [account.code, account.err],
    [2, 'error: this command needs an operator key or a BRP key, and the key is an account key\n'],
  );
  assert.equal(requests.length, 3, 'a key of the wrong kind is not sent');
});

test('help and version are printed to stdout and exit with 0', async () => {
  const help = await saldo('import volumes --help');
  assert.equal(help.code, 0);
  assert.match(help.out, /Examples:\n {2}\$ saldo import volumes/);
  const examples = (await saldo('days put --help')).out.split('Examples:\n')[1] ?? '';
  assert.match(examples, /^( {2}\$ saldo days put [^|\n]*\n)+\n?$/);
  assert.deepEqual(await saldo('--version'), { code: 0, out: '1.2.3\n', err: '' });
});

test('a problem exits with 1 and is printed with its fields and request id', async () => {
  const errors = [
    { field: 'name', code: 'value_too_small', message: 'must not be empty' },
    { field: 'brp_id', code: 'required', message: 'is required' },
  ];
  const body = {
    type: 'https://x/errors/validation',
    title: 'Validation Failed',
    status: 400,
    detail: 'Two.',
    errors,
  };
  const { fetch } = standIn(json(body, 400)).options;
  const { code, out, err } = await saldo(['brps', 'create', '--name', ''], { fetch });
  assert.equal(code, 1);
  assert.equal(out, '');
  assert.deepEqual(err.split('\n'), [
    'Validation Failed (400 validation)',
    '  Two.',
    '  name    must not be empty (value_too_small)',
    '  brp_id  is required (required)',
    '  request req_test',
    '',
  ]);
});

test('an interrupted command prints that and exits with 130', async () => {
  const interrupt = new AbortController();
  const fetch = async () => {
    interrupt.abort();
    return problem(503, 'unavailable');
  };
  const { code, err } = await saldo('brps list', { fetch, signal: interrupt.signal });
  assert.deepEqual([code, err], [130, 'Interrupted.\n']);
});

test('flags take precedence over the environment, and the environment over the file', async () => {
  const file = path.join(home, 'config.json');
  await writeFile(file, JSON.stringify({ url: 'https://saldo.test/file', key: 'of-the-file' }), {
    mode: 0o600,
  });
  const { options, requests } = standIn(page([]));
  const ask = (command: string, env: Record<string, string>) => saldo(command, { env, fetch: options.fetch });
  await ask(`brps list --config ${file}`, {});
  await ask('brps list --config config.json', { SALDO_KEY: 'of-the-environment' });
  await ask('brps list --config config.json --key of-the-flag', ENV);
  assert.deepEqual(
    requests.map(({ url, headers }) => [url.split('/operator')[0], headers.get('x-api-key')]),
    [
      ['/file', 'of-the-file'],
      ['/file', 'of-the-environment'],
      ['', 'of-the-flag'],
    ],
  );
});

test('the key in a config file that others can read is ignored', async () => {
  const file = path.join(home, 'open.json');
  await writeFile(file, JSON.stringify({ url: 'https://saldo.test', key: KEY }));
  await chmod(file, 0o644);
  const { options, requests } = standIn(page([]));
  const refused = await saldo(`brps list --config ${file}`, { env: {}, fetch: options.fetch });
  assert.equal(refused.code, 2);
  assert.match(refused.err, /can be read by others.*chmod 600/);
  assert.match(refused.err, /there is no API key/);
  assert.equal(requests.length, 0);
  const other = await saldo(`brps list --config ${file}`, {
    env: { SALDO_KEY: 'other' },
    fetch: options.fetch,
  });
  assert.deepEqual([other.code, requests[0]?.headers.get('x-api-key')], [0, 'other']);
});

test('in a checkout with a demo no settings are needed, which stderr notes; a partial setting is not completed', async () => {
  const { options, requests } = standIn(page([]));
  const ask = (command: string, env: Record<string, string> = {}) =>
    saldo(command, { env, fetch: options.fetch });
  const demo = { operator_key: 'of-the-demo' };
  await mkdir(path.join(home, 'data'));
  await writeFile(path.join(home, 'data', 'demo.json'), JSON.stringify(demo));
  assert.equal((await ask('brps list')).code, 2, 'a folder that is not the checkout');

  await writeFile(path.join(home, 'package.json'), '{"name": "saldo"}');
  const { code, err } = await ask('brps list');
  assert.equal(code, 0);
  assert.match(err, /^Nothing is set: using the demo at http:\/\/127\.0\.0\.1:8080 as operator/);
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('x-api-key')),
    ['of-the-demo'],
  );
  const half = await ask('brps list', { SALDO_URL: 'https://saldo.test' });
  assert.equal(half.code, 2);
  assert.match(half.err, /there is no API key/);
  assert.equal(requests.length, 1);
});

test('an invalid config file is rejected without quoting it', async () => {
  const file = path.join(home, 'wrong.json');
  for (const [text, reason] of [
    [`{"key": "${KEY}",`, /is not JSON/],
    ['[]', /must be an object/],
    [`{"kex": "${KEY}"}`, /kex is not a setting/],
    ['{"url": 7}', /url must be a text/],
  ] as const) {
    await writeFile(file, text, { mode: 0o600 });
    const { code, err } = await saldo(`brps list --config ${file}`, { env: {} });
    assert.equal(code, 2);
    assert.match(err, reason);
    assert.ok(!err.includes(KEY));
  }
});

test('the key is never printed', async () => {
  for (const [reply, expected] of [
    [page([]), 0],
    [problem(401, 'invalid_api_key'), 1],
    [new TypeError('fetch failed'), 3],
  ] as const) {
    const { code, out, err } = await saldo('brps list', { fetch: standIn(reply).options.fetch });
    assert.equal(code, expected);
    assert.ok(!`${out}${err}`.includes(KEY));
  }
});

test('colours are used on terminals only, unless NO_COLOR is set', async () => {
  const { fetch } = standIn(page(brps(1))).options;
  assert.ok((await saldo('brps list', { fetch, tty: true })).out.includes('\u001b['));
  assert.ok(
    !(await saldo('brps list', { fetch, tty: true, env: { ...ENV, NO_COLOR: '1' } })).out.includes('\u001b'),
  );
  assert.ok(!(await saldo('brps list', { fetch })).out.includes('\u001b'));
});

test('control characters in names do not reach the terminal', async () => {
  const evil = { id: 'brp_1', name: 'Evil\u001b[2J\r\nBRP', created_at: '2026-01-01T00:00:00Z' };
  const { out } = await saldo('brps list', { fetch: standIn(page([evil])).options.fetch });
  assert.match(out, /Evil�\[2J��BRP/);
});

const IMPORTED = {
  ...{ rows: 3, created: 1, corrected: 0, unchanged: 0, rejected_days: 1, dry_run: false },
  incomplete_days: { count: 0, days: [] },
};
const REJECTED = [{ line: 3, code: 'invalid_slot', message: 'slot must be from 1 to 96' }];

test('an import prints its result, and exits with 1 when lines were rejected', async () => {
  const { options, requests } = standIn(json({ ...IMPORTED, rejected: REJECTED, rejected_lines: 1 }));
  const { code, out, err } = await saldo('import volumes - --format ndjson --dry-run', {
    fetch: options.fetch,
    stdin: '{"a":1}\n',
  });
  assert.equal(code, 1);
  assert.match(
    out,
    /^3 lines in \d+\.\d s\n {2}1 created, 0 corrected, 0 unchanged\n {2}1 line rejected, in 1 contract-day\n/,
  );
  assert.match(out, /LINE {2}CODE {10}MESSAGE\n {3}3 {2}invalid_slot {2}slot must be from 1 to 96\n/);
  assert.equal(err, '', 'no progress bar without a terminal');
  assert.deepEqual([requests[0]?.url, requests[0]?.body], ['/operator/v1/volumes?dry_run=true', '{"a":1}\n']);
});

test('an import lists the contract-days that are not complete after it, and sends a .gz file as it is', async () => {
  await writeFile(path.join(home, 'day.csv.gz'), 'packed');
  const days = [{ contract: 'PPA-1', delivery_date: '2026-10-25', missing: 99 }];
  const result = { ...IMPORTED, rejected: [], rejected_lines: 0, incomplete_days: { count: 1200, days } };
  const { options, requests } = standIn(json(result));
  const { code, out, err } = await saldo('import volumes day.csv.gz', { fetch: options.fetch });
  assert.equal(code, 0);
  assert.match(out, /\n {2}1,200 contract-days with slots without a volume\n/);
  assert.match(out, /CONTRACT {2}DELIVERY DATE {2}MISSING SLOTS\nPPA-1 {5}2026-10-25 {16}99\n/);
  assert.match(err, /These are the first 1 of 1,200\./);
  const { headers } = requests[0]!;
  assert.deepEqual([headers.get('content-type'), headers.get('content-encoding')], ['text/csv', 'gzip']);
});

test('an import of a file draws its progress on a terminal', async () => {
  await writeFile(path.join(home, 'day.csv'), 'x'.repeat(2000));
  const { options, requests } = standIn(json({ ...IMPORTED, rejected: [], rejected_lines: 0 }));
  const { code, err } = await saldo('import volumes day.csv', { fetch: options.fetch, tty: true });
  assert.equal(code, 0);
  assert.ok(err.includes('100%  2.0 kB of 2.0 kB'), err);
  assert.equal(requests[0]?.headers.get('content-type'), 'text/csv');
  assert.equal(requests[0]?.body.length, 2000);
});

const CSV = 'id,delivery_date,volume\n';
const exporting = (body: BodyInit) => new Response(body, { headers: { 'content-type': 'text/csv' } });
const filesOf = async () => (await readdir(home)).filter((name) => name.startsWith('export'));

test('an export is written to a file or to standard output, for whole German days', async () => {
  const { options, requests } = standIn(() => exporting(CSV));
  const { fetch } = options;
  const command = 'export transactions --from 2026-10-24 --to 2026-10-25';
  const toFile = await saldo(`${command} --format csv -o export.csv`, { fetch });
  assert.deepEqual([toFile.code, toFile.out], [0, '']);
  assert.match(toFile.err, /^export\.csv: 24 B in \d+\.\d s\n$/);
  assert.equal(await readFile(path.join(home, 'export.csv'), 'utf8'), CSV);
  assert.deepEqual(await filesOf(), ['export.csv']);
  const toOutput = await saldo(`${command} --format ndjson --status valid`, { fetch });
  assert.deepEqual([toOutput.code, toOutput.out, toOutput.err], [0, CSV, '']);
  const days = 'delivery_start=2026-10-23T22%3A00%3A00Z&delivery_end=2026-10-25T23%3A00%3A00Z';
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['format=csv', 'format=ndjson&status=valid'].map(
      (filter) => `/operator/v1/exports/transactions?${filter}&${days}`,
    ),
  );
  await saldo('export nominations --from 2026-10-25 -o export.parquet', {
    fetch,
    env: { ...ENV, SALDO_KEY: 'saldo_brp_secret' },
  });
  assert.match(requests[2]?.url ?? '', /^\/v1\/exports\/nominations\?.*format=parquet&/);
});

test('an export draws its progress by delivery day on a terminal', async () => {
  const lines = '1,2026-10-24,1\n2,2026-10-25,2\n';
  const { options } = standIn(() => exporting(CSV + lines));
  const { code, err } = await saldo('export transactions --from 2026-10-24 --to 2026-10-25 -o export.csv', {
    fetch: options.fetch,
    tty: true,
  });
  assert.equal(code, 0);
  assert.ok(err.includes('████████████░░░░░░░░░░░░  50%  54 B'), err);
});

test('an export that breaks off leaves no file', async () => {
  await rm(path.join(home, 'export.csv'), { force: true });
  await rm(path.join(home, 'export.parquet'), { force: true });
  const broken = () => {
    const chunks = [new TextEncoder().encode(CSV)];
    return exporting(
      new ReadableStream({
        pull(controller) {
          const next = chunks.pop();
          if (next) controller.enqueue(next);
          else controller.error(new TypeError('terminated'));
        },
      }),
    );
  };
  const { options } = standIn(broken);
  const { code, err } = await saldo('export transactions --from 2026-10-25 -o export.csv', {
    fetch: options.fetch,
  });
  assert.equal(code, 3);
  assert.match(err, /terminated/);
  assert.deepEqual(await filesOf(), []);
  const nowhere = await saldo('export transactions --from 2026-10-25 -o no/such/folder/export.csv', {
    fetch: standIn(() => exporting(CSV)).options.fetch,
  });
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.err, /the file cannot be written: ENOENT/);
  const backwards = await saldo('export transactions --from 2026-10-25 --to 2026-10-24');
  assert.deepEqual([backwards.code, backwards.err], [2, 'error: --to must not come before --from\n']);
});

test('two exports to one file at the same time do not mix their bytes', async () => {
  const command = 'export transactions --from 2026-10-25 -o export.csv';
  const begun = Promise.withResolvers<void>();
  const otherEnded = Promise.withResolvers<void>();
  const slow = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(CSV));
      begun.resolve();
      await otherEnded.promise;
      controller.enqueue(new TextEncoder().encode('2\n'));
      controller.close();
    },
  });
  const first = saldo(command, { fetch: standIn(() => exporting(slow)).options.fetch });
  await begun.promise;
  const second = await saldo(command, { fetch: standIn(() => exporting(`${CSV}1\n`)).options.fetch });
  assert.equal(second.code, 0, second.err);
  assert.equal(await readFile(path.join(home, 'export.csv'), 'utf8'), `${CSV}1\n`);
  otherEnded.resolve();
  assert.equal((await first).code, 0);
  assert.equal(await readFile(path.join(home, 'export.csv'), 'utf8'), `${CSV}2\n`);
  assert.deepEqual(await filesOf(), ['export.csv']);
});

test('days are printed as German delivery days', async () => {
  const { options, requests } = standIn(json({ id: 'con_1' }));
  const { fetch } = options;
  await saldo('contracts end con_1 --last-day 2026-10-25', { fetch });
  await saldo('days put con_1 2026-10-25 --volume 1.25', { fetch });
  await saldo(
    'contracts create --external-id X --type ppa --seller a --buyer b --first-day 2026-07-01 --last-day 2026-12-31 --peakload 5',
    { fetch },
  );
  const bodies = requests.map(({ body }) => JSON.parse(body));
  assert.deepEqual(bodies[0], { delivery_end: '2026-10-25T23:00:00Z' });
  assert.deepEqual(bodies[1], { volumes: Array.from({ length: 100 }, () => 1.25) });
  assert.deepEqual(bodies[2], {
    external_id: 'X',
    type: 'ppa',
    seller_customer_id: 'a',
    buyer_customer_id: 'b',
    delivery_start: '2026-06-30T22:00:00Z',
    delivery_end: '2026-12-31T23:00:00Z',
    profile: { kind: 'peakload', power: 5 },
  });
});
