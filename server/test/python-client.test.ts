import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { signWebhook } from '@saldo/sdk';
import { pythonClient } from '../../sdk/python/generate.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { startTestPlatform } from './harness.ts';
import { hasPython, PYTHON } from './markdown-blocks.ts';
import { makeDeal } from './nominated.ts';

/** The generated Python client against the real server. */

const DAY = '2026-11-12';
const options = { skip: !hasPython && 'python3 is not installed' };
const hasMypy = spawnSync(PYTHON, ['-m', 'mypy', '--version']).status === 0;

const platform = await startTestPlatform();
const { world } = platform;
const { contract, seller } = await makeDeal(platform);
for (const day of [DAY, '2026-11-13']) await world.volumes(contract, day, 1250);
await world.nominate();
const folder = await temporaryFolder();
await writeFile(path.join(folder, 'saldo_client.py'), await pythonClient());
const environment = {
  PATH: process.env['PATH'],
  PYTHONDONTWRITEBYTECODE: '1',
  SALDO_URL: platform.baseUrl,
  MARKET_URL: platform.customerUrl,
  BRP_KEY: seller.key,
  OPERATOR_KEY: await world.operatorKey(),
  ACCOUNT_KEY: await world.accountKey(),
  CONTRACT: contract.id,
  DAY,
};

const PREAMBLE = `
import json, os
from decimal import Decimal
from saldo_client import *
env = os.environ
brp = BrpClient(env["SALDO_URL"], env["BRP_KEY"])
operator = OperatorClient(env["SALDO_URL"], env["OPERATOR_KEY"])
def show(value): print(json.dumps(value, default=str))
`;

/** Runs a program with the client, and returns what it shows. Warnings are errors. */
async function python(program: string, more: Record<string, string> = {}): Promise<unknown> {
  const args = ['-W', 'error', '-c', PREAMBLE + program];
  const { stdout } = await promisify(execFile)(PYTHON, args, {
    cwd: folder,
    env: { ...environment, ...more },
  });
  return JSON.parse(stdout);
}

const TYPED = `
from decimal import Decimal
from typing import List
from saldo_client import BrpClient, OperatorClient, SaldoProblem
saldo = BrpClient("https://saldo.example.org", "key")
operator = OperatorClient("https://saldo.example.org", "key")
def volumes(day: str) -> List[Decimal]:
    return [Decimal(each["volume"]) for each in saldo.transactions(delivery_date=day, status="valid")]
def create(name: str) -> str:
    try:
        return operator.create_brp({"name": name})["id"]
    except SaldoProblem as problem:
        return problem.code
operator.create_brp({})  # type: ignore[typeddict-item]
saldo.list_contracts(state="pending")  # type: ignore[call-arg]
saldo.list_transactions(status="unknown")  # type: ignore[arg-type]
`;

test('the types satisfy a strict type checker, and reject wrong arguments', {
  skip: !hasMypy && 'mypy is not installed',
}, async () => {
  await writeFile(path.join(folder, 'typed.py'), TYPED);
  const args = ['-m', 'mypy', '--strict', '--cache-dir', path.join(folder, 'mypy'), 'typed.py'];
  const { stdout } = await promisify(execFile)(PYTHON, args, { cwd: folder });
  assert.match(stdout, /^Success: no issues found/);
});

test('a page has the filters of its list, and an iterator reads all pages', options, async () => {
  const shown = await python(`
page = brp.list_transactions(contract_id=env["CONTRACT"], limit=1, include_assets=True)
all = list(brp.transactions(contract_id=env["CONTRACT"]))
bulk = brp.get_transactions_bulk(ids=[each["id"] for each in all[:3]])
show([len(page["transactions"]), page["pagination"]["has_more"], len({each["id"] for each in all}),
  [each["id"] for each in bulk["transactions"]] == [each["id"] for each in all[:3]],
  isinstance(all[0]["volume"], Decimal), all[0]["volume"], brp.get_contract(env["CONTRACT"])["id"]])`);
  assert.deepEqual(shown, [1, true, 192, true, true, '1.25', contract.id]);
});

test('nominations are read with their slots, and a schedule as text', options, async () => {
  const shown = await python(`
all = list(brp.nominations(delivery_date=env["DAY"], include_slots=True))
one = brp.get_nomination(all[0]["id"])
show([len(all), len(one["slots"]), one["slots"][0]["amount"], brp.get_day_schedule(delivery_date=env["DAY"]).count("\\n") > 96,
  all == list(operator.nominations(delivery_date=env["DAY"], include_slots=True, eic=one["eic"]))])`);
  assert.deepEqual(shown, [1, 96, '1.25', true, true]);
});

test(
  'a repeated creation with its key is applied once, and a decimal is sent as a number',
  options,
  async () => {
    const shown = await python(`
made = [operator.create_brp({"name": "Nordwind"}, idempotency_key="python-1") for _ in range(2)]
other = operator.create_brp({"name": "Nordwind"})
operator.put_contract_day(env["CONTRACT"], "2026-11-14", {"volumes": [Decimal("0.125")] * 96})
read = next(brp.transactions(contract_id=env["CONTRACT"], delivery_date="2026-11-14"))
file = b"contract,delivery_date,slot,volume\\n" + env["CONTRACT"].encode() + b",2026-11-15,1,2.5\\n"
result = operator.import_volumes(file, "text/csv", dry_run=True)
show([made[0] == made[1], made[0]["id"] != other["id"], read["volume"], result["rows"], result["dry_run"]])`);
    assert.deepEqual(shown, [true, true, '0.125', 1, true]);
  },
);

test('a problem is an exception with its code, fields and request id', options, async () => {
  const shown = await python(`
def caught(call):
  try: call()
  except SaldoProblem as problem: return [problem.status, problem.code, [each["field"] for each in problem.errors], problem.request_id[:4]]
  except ValueError as error: return str(error)
show([caught(lambda: brp.list_contracts(limit=1000)), caught(lambda: brp.get_contract("con_unknown")),
  caught(lambda: BrpClient(env["SALDO_URL"], "wrong").list_contracts()), caught(lambda: brp.get_contract(".."))])`);
  assert.deepEqual(shown, [
    [400, 'validation', ['limit'], 'req_'],
    [404, 'contract_not_found', [], 'req_'],
    [401, 'invalid_api_key', [], 'req_'],
    "contract_id must not be '..'",
  ]);
});

const EXPORTS = `
rows = brp.export("transactions", delivery_date=env["DAY"])
slots = brp.export("nominations", delivery_date=env["DAY"])`;

test('an export has a row for each quarter-hour, exact without pandas', options, async () => {
  const shown = await python(`${EXPORTS}
with brp.export_transactions(delivery_date=env["DAY"], format="csv") as file: lines = file.read().splitlines()
show([len(rows), len(slots), slots[95]["slot_number"], slots[0]["amount"], isinstance(slots[0]["amount"], Decimal), "slots" in slots[0],
  len(lines), brp.get_export_manifest(file.export_id)["rows"]])`);
  assert.deepEqual(shown, [96, 96, 96, '1.25', true, false, 97, 96]);
});

test('an export is a data frame where pandas is installed', options, async () => {
  // A stand-in: what pandas makes of the rows is not ours.
  const modules = path.join(folder, 'modules');
  await mkdir(modules);
  await writeFile(path.join(modules, 'pandas.py'), 'class DataFrame(list): pass\n');
  const shown = await python(`${EXPORTS}\nshow([type(rows).__name__, len(slots), slots[0]["amount"]])`, {
    PYTHONPATH: modules,
  });
  assert.deepEqual(shown, ['DataFrame', 96, 1.25]);
});

test('numbered pages are read to the end, at one version of the list', options, async () => {
  const shown = await python(`
made = [operator.create_demand({"contract_period": 5, "delivery_volume": 1000, "country": "DE"})["id"] for _ in range(101)]
market = MarketClient(env["MARKET_URL"], env["ACCOUNT_KEY"])
seen = []
for demand in market.demands():
  seen.append(demand["id"])
  if len(seen) == 1: made.reverse(); operator.delete_demand(made[0])
show(seen == made)`);
  assert.equal(shown, true);
});

test('events are read up to now, and on from the last one', options, async () => {
  const shown = await python(`
seen = list(brp.events())
page = brp.list_events(limit=100, after=seen[-1]["id"])
show([len(seen) > 0, list(brp.events(after=seen[-2]["id"])) == seen[-1:], page["events"]])`);
  assert.deepEqual(shown, [true, true, []]);
});

test('a request that waits for events has its wait in addition to the timeout', options, async () => {
  // There are events already, so the answers do not wait.
  const shown = await python(`
client = BrpClient(env["SALDO_URL"], env["BRP_KEY"], timeout_s=20)
timeouts, send = [], client._opener.open
def record(request, timeout):
  timeouts.append(timeout)
  return send(request, timeout=timeout)
client._opener.open = record
for wait in [30, 0, None]: client.list_events(wait=wait)
show(timeouts)`);
  assert.deepEqual(shown, [50, 20, 20]);
});

const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const SENT_AT = 1_790_000_000;

test('a webhook is verified, and a changed, unsigned or old one is not', options, async () => {
  const body = JSON.stringify({ id: 'evt_1', type: 'nomination.created', data: { name: 'Grünland' } });
  const headers = await signWebhook('evt_1', body, WEBHOOK_SECRET, SENT_AT * 1000);
  const shown = await python(
    `
headers, body, secret = json.loads(env["HEADERS"]), env["BODY"], env["SECRET"]
def outcome(*given, at=${SENT_AT}):
  try: return verify_webhook(*given, now=lambda: at)["id"]
  except SaldoWebhookError as error: return str(error)
show([outcome(headers, body.encode(), secret), outcome({name.title(): value for name, value in headers.items()}, body, ["whsec_AAAA", secret]),
  outcome(headers, body + " ", secret), outcome(headers, body, "whsec_AAAA"), outcome({}, body, secret), outcome(headers, body, secret, at=${SENT_AT + 301})])`,
    { HEADERS: JSON.stringify(headers), BODY: body, SECRET: WEBHOOK_SECRET },
  );
  assert.deepEqual(shown, [
    'evt_1',
    'evt_1',
    'No signature is valid.',
    'No signature is valid.',
    'The header webhook-id is missing.',
    "webhook-timestamp differs from this machine's clock by more than 300 s.",
  ]);
});

test('a webhook secret in another form is an error of the caller', options, async () => {
  const headers = await signWebhook('evt_1', '{}', WEBHOOK_SECRET, SENT_AT * 1000);
  const shown = await python(
    `
def outcome(secret):
  try: return verify_webhook(json.loads(env["HEADERS"]), "{}", secret, now=lambda: ${SENT_AT})
  except Exception as error: return [type(error).__name__, str(error)]
show([outcome(secret) for secret in ["", "whsec_", "whsec_***", "whsec_AAA", "whsec_AA==A", "whsec_ü", ["whsec_AAAA", ""]]])`,
    { HEADERS: JSON.stringify(headers) },
  );
  assert.deepEqual(
    shown,
    Array.from({ length: 7 }, () => ['ValueError', 'The secret must be whsec_ followed by base64.']),
  );
});

test('numbers with a fraction in a webhook are decimals', options, async () => {
  const body = '{"data":{"volume":0.1,"slots":96}}';
  const headers = await signWebhook('evt_1', body, WEBHOOK_SECRET, SENT_AT * 1000);
  const shown = await python(
    `
data = verify_webhook(json.loads(env["HEADERS"]), env["BODY"], "${WEBHOOK_SECRET}", now=lambda: ${SENT_AT})["data"]
show([type(data["volume"]).__name__, data["volume"], data["slots"]])`,
    { HEADERS: JSON.stringify(headers), BODY: body },
  );
  assert.deepEqual(shown, ['Decimal', '0.1', 96]);
});

/** Answers in order, and records what it was asked. */
async function unreliable(...statuses: number[]) {
  const asked: { method: string; idempotencyKey: string | undefined }[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const key = request.headers['idempotency-key'];
    asked.push({ method: request.method ?? '', idempotencyKey: key as string | undefined });
    const status = statuses.shift() ?? 200;
    response.writeHead(status, { 'retry-after': '7', location: 'http://127.0.0.1:1/' });
    response.end('{"id":"brp_1"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => new Promise((resolve) => server.close(resolve)));
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const RETRIES = `
waits = []
client = OperatorClient(env["URL"], "key", sleep=waits.append)
def outcome(call):
  try: return call()["id"]
  except SaldoProblem as problem: return problem.status
  except SaldoConnectionError as error: return "redirect" if "redirects" in str(error) else "connection"
`;

test(
  'temporary failures are retried after Retry-After, a POST with its idempotency key',
  options,
  async () => {
    const busy = await unreliable(429, 503);
    const shown = await python(`${RETRIES}show([outcome(lambda: client.create_brp({"name": "N"})), waits])`, {
      URL: busy.url,
    });
    assert.deepEqual(shown, ['brp_1', [7, 7]]);
    const keys = busy.asked.map(({ idempotencyKey }) => idempotencyKey);
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
    assert.deepEqual(keys, [keys[0], keys[0], keys[0]]);
  },
);

test('a PATCH is not repeated after 503, retries end, and a redirect is not followed', options, async () => {
  const failing = await unreliable(503, 503, 503, 503, 503, 302);
  const program = `${RETRIES}show([outcome(lambda: client.update_user("u", {"name": "N"})), outcome(lambda: client.get_brp("b")),
  outcome(lambda: client.get_brp("b")), len(waits)])`;
  assert.deepEqual(await python(program, { URL: failing.url }), [503, 503, 'redirect', 3]);
  assert.equal(failing.asked.length, 6);
});
