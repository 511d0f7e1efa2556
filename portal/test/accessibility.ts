import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { dayStart } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { interchange, line, message, quantity } from '../../core/test/mscons-documents.ts';
import { watchExchange } from '../../server/src/exchange/process/watch.ts';
import { createAccount } from '../../server/src/parties/actions.ts';
import { statement } from '../../server/src/platform/db/statement.ts';
import { afterPassword, userWithCodes } from '../../server/test/authenticator.ts';
import { signedIn } from '../../server/test/browser.ts';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { pngImage } from '../../server/test/png.ts';
import { until } from '../../server/test/until.ts';
import { faultsOf } from './axe.ts';
import { ANONYMOUS, follow, open, openStage, type Stage, type Visitor } from './stage.ts';

export const DAY = '2026-10-21';

type Role = 'anonymous' | 'second factor' | 'set-up' | 'account' | 'brp' | 'operator';

/** A platform with a record of every kind, and the URLs of all pages. Call it at the top of a test file. */
export async function openPages() {
  const stage = await openStage(undefined, { SANDBOX: 'on' });
  const { platform, world, user } = stage;
  const { seller, sellerGroup, producer, consumer, buyer } = await world.pair();
  const spareGroup = await world.group(seller);
  await world.customer(seller, { name: 'Waiting', metadata: { site: 'Harz' } });
  await world.key(seller, ['contracts:read'], dayStart(DAY));
  const contract = await world.contract(producer, consumer);
  /** Only the first hours of the day, because more rows have no other faults. */
  const hoursOf = (firstKwh: number) =>
    Array.from({ length: 96 }, (_, at) => (at === 0 ? firstKwh : at < 8 ? 250 : null));
  await world.volumes(contract, DAY, hoursOf(250));
  await world.volumes(contract, '2026-10-25', 250);
  // Too late for every gate.
  await world.volumes(contract, '2026-10-01', hoursOf(250));
  await world.nominate();
  const asSeller = client(platform.baseUrl, seller.key);
  const [nomination] = await listNominated(asSeller, `&delivery_date=${DAY}`);
  assert.ok(nomination);
  await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
  await world.volumes(contract, DAY, hoursOf(300));
  await world.nominate();
  const account = await platform.db.transaction((tx) =>
    createAccount(tx, { name: 'Stadtwerk' }, platform.clock.now()),
  );

  const asOperator = client(platform.baseUrl, await world.operatorKey());
  async function made(path: string, body: unknown, headers: Record<string, string> = {}) {
    const answer = await asOperator(`/operator/v1${path}`, { method: 'POST', body, headers });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  }
  const image = new Blob([pngImage('Uckermark')]);
  const { cover_url } = await made('/covers', image, { 'content-type': 'image/png' });
  const { id: assetId } = await made('/assets', {
    name: 'Windpark Uckermark',
    technology: 'wind_onshore',
    nominal_power: 48.3,
    tso: 'DE_50HERTZ',
    offer: {
      ppa_type: 'PAY_AS_PRODUCED',
      delivery_start: '2027-01-01T00:00:00Z',
      country: 'DE',
      state: 'Brandenburg',
      cover_url,
      pricing: [
        { years: 5, price: 61 },
        { years: 10, price: 58.5 },
      ],
    },
  });
  const { id: seriesId } = await made('/series', {
    kind: 'meter',
    owner: { type: 'asset', id: assetId },
    name: 'Windpark Uckermark, meter',
    market_location: '51238696781',
  });
  const written = await asOperator(`/operator/v1/series/${seriesId}/days/${DAY}`, {
    method: 'PUT',
    body: { energy_kwh: hoursOf(250) },
  });
  assert.equal(written.status, 200, written.text);
  const metered = interchange([
    // An applied message, one with too many decimals, and one of an unknown market location.
    message([...line('51238696781', '2.29.0'), ...quantity(dayStart(DAY), '250.5')], 'M1'),
    message([...line('51238696781', '2.29.0'), ...quantity(dayStart(DAY), '250.12345')], 'M2'),
    message([...line('98765432105', '2.29.0'), ...quantity(dayStart(DAY), '250')], 'M3'),
  ]);
  const edifact = { 'content-type': 'application/edifact' };
  const { id: interchangeId } = await made('/series/values', metered, edifact);
  await made('/demands', { contract_period: 10, delivery_volume: 24_000, country: 'AT' });
  const { messages } = await made('/exchange/send', { delivery_date: '2026-10-25' });
  await asOperator('/operator/v1/exchange/receive', {
    method: 'POST',
    body: '<nonsense/>',
    headers: { 'content-type': 'application/xml' },
  });
  // By then the schedule has no acknowledgement either.
  const overdueAt = platform.clock.now() + platform.exchange.ackMs;
  await watchExchange(platform.db, { now: () => overdueAt }, platform.exchange);

  const webhook = async (request: typeof asSeller, path: string) =>
    (await request(path, { method: 'POST', body: { url: 'https://hooks.nordwind.example/saldo' } })).body.id;
  const sellerWebhook = await webhook(asSeller, '/v1/webhook-endpoints');
  await webhook(asOperator, '/operator/v1/webhook-endpoints');
  await asSeller(`/v1/webhook-endpoints/${sellerWebhook}/replay`, { method: 'POST', body: {} });

  const failed = await asSeller('/v1/contracts/con_unknown?x=1');
  const failedId = failed.headers.get('x-request-id') ?? '';
  await until(async () => {
    await platform.flush();
    return (await asSeller(`/v1/requests/${failedId}`)).status === 200;
  });

  /** The URL of each page and the roles that open it. Every route of the router must be listed. */
  const pages: Record<Role, Record<string, readonly string[]>> = {
    anonymous: {
      '/sign-in': ['/sign-in', '/sign-in?ended=true'],
      '/sign-in/return/$providerId': ['/sign-in/return/unknown?error=access_denied'],
      '/invitation': ['/invitation#a-token-that-does-not-exist'],
    },
    'second factor': { '/second-factor': ['/second-factor'] },
    'set-up': { '/second-factor': ['/second-factor'] },
    account: {
      '/': ['/'],
      '/profile': ['/profile'],
      '/offers': ['/offers', '/offers?country=FR'],
      '/offers/$assetId': [`/offers/${assetId}`, '/offers/ast_unknown'],
      '/demands': ['/demands'],
      '/compare': ['/compare', `/compare?offers=${assetId},${assetId}`],
      '/inquiries': ['/inquiries'],
      '/users': ['/users'],
      '/keys': ['/keys'],
      '/requests': ['/requests'],
    },
    brp: {
      '/': ['/', '/a-page-that-does-not-exist'],
      '/profile': ['/profile'],
      '/contracts': ['/contracts', '/contracts?type=intraday'],
      '/contracts/$contractId': [
        `/contracts/${contract.id}?day=${DAY}`,
        `/contracts/${contract.id}?view=month&month=${DAY.slice(0, 7)}`,
      ],
      '/nominations': [`/nominations?day=${DAY}&versions=all&sort=-energy`],
      '/nominations/$nominationId': [
        `/nominations/${nomination.id}?slot=2`,
        `/nominations/${nomination.id}?view=history`,
      ],
      '/check': ['/check'],
      '/month': ['/month'],
      '/customers': ['/customers'],
      '/customers/$customerId': [`/customers/${producer.id}`],
      '/balance-groups': ['/balance-groups'],
      '/users': ['/users'],
      '/keys': ['/keys'],
      '/activity': ['/activity', '/activity?types=nomination.*'],
      '/webhooks': [`/webhooks?endpoint=${sellerWebhook}`],
      '/requests': ['/requests', '/requests?id=req_unknown'],
      '/requests/$requestId': [`/requests/${failedId}`, '/requests/req_unknown'],
    },
    operator: {
      '/': ['/'],
      '/operator/nominations': [`/operator/nominations?day=${DAY}`],
      '/operator/nominations/$nominationId': [`/operator/nominations/${nomination.id}`],
      '/operator/contracts': ['/operator/contracts'],
      '/operator/contracts/new': ['/operator/contracts/new'],
      '/operator/contracts/$contractId': [`/operator/contracts/${contract.id}?day=${DAY}`],
      '/operator/import': ['/operator/import'],
      '/operator/exchange': ['/operator/exchange'],
      '/operator/board': ['/operator/board'],
      '/operator/mismatches': ['/operator/mismatches', `/operator/mismatches?day=${DAY}`],
      '/operator/late': ['/operator/late', `/operator/late?day=${DAY}`],
      '/operator/messages': ['/operator/messages'],
      '/operator/messages/$messageId': [`/operator/messages/${messages[0].id}`],
      '/operator/assets': ['/operator/assets'],
      '/operator/assets/$assetId': [`/operator/assets/${assetId}?day=${DAY}`],
      '/operator/series': ['/operator/series'],
      '/operator/series/import': ['/operator/series/import'],
      '/operator/series/interchanges': ['/operator/series/interchanges'],
      '/operator/series/interchanges/$interchangeId': [`/operator/series/interchanges/${interchangeId}`],
      '/operator/series/$seriesId': [
        `/operator/series/${seriesId}?day=${DAY}`,
        `/operator/series/${seriesId}?view=period`,
      ],
      '/operator/demands': ['/operator/demands'],
      '/operator/inquiries': ['/operator/inquiries'],
      '/operator/brps': ['/operator/brps'],
      '/operator/brps/$brpId': [`/operator/brps/${buyer.id}`],
      '/operator/balance-groups': ['/operator/balance-groups'],
      '/operator/customers': ['/operator/customers'],
      '/operator/customers/$customerId': [`/operator/customers/${producer.id}`],
      '/operator/accounts': ['/operator/accounts'],
      '/operator/accounts/$accountId': [`/operator/accounts/${encodeId(ID_PREFIX.account, account.id)}`],
      '/operator/users': ['/operator/users'],
      '/operator/keys': ['/operator/keys'],
      '/operator/activity': ['/operator/activity'],
      '/operator/webhooks': ['/operator/webhooks'],
      '/operator/requests': ['/operator/requests?status_class=2xx'],
      '/operator/requests/$requestId': ['/operator/requests/req_unknown'],
      '/operator/audit': ['/operator/audit', '/operator/audit?from=2026-01-01'],
    },
  };

  const visitors: Record<Role, Visitor> = {
    anonymous: ANONYMOUS,
    'second factor': await afterPassword(
      platform,
      (await userWithCodes(platform, { type: 'operator' })).user,
    ),
    'set-up': await userToSetUp(stage),
    account: await user({ type: 'account', accountNo: account.no }),
    brp: await user({ type: 'brp', brpNo: seller.no }),
    operator: await user({ type: 'operator' }),
  };

  return {
    stage,
    visitors,
    pages,
    asSeller,
    records: { producer, sellerGroup, spareGroup, contract, nomination, assetId },
  };
}

const MAKE_PENDING = statement(
  'test_make_pending',
  "update user_session set pending = 'set_up' where user_id = $1",
);

/** A user who has to set up a second factor, as if the policy required one. */
async function userToSetUp({ platform }: Stage): Promise<Visitor> {
  const { browser, user } = await signedIn(platform, { type: 'operator' });
  await platform.db.transaction((tx) => tx.query(MAKE_PENDING, [user.id]));
  return browser;
}

type Pages = Awaited<ReturnType<typeof openPages>>;

/** Declares a test per page of these roles. */
export function lookAtPagesOf(opened: Pages, ...roles: Role[]): void {
  for (const role of roles) {
    test(`axe finds no fault on any page of ${role}`, (context) => lookAtPages(opened, role, context));
  }
}

export const lookForForgottenPages = ({ stage, pages }: Pages) =>
  stage.visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    const paths = await page.evaluate(() => {
      const { __TSR_ROUTER__ } = window as unknown as {
        __TSR_ROUTER__: {
          routesById: Record<string, { fullPath: string; options: { component?: unknown } }>;
        };
      };
      // Routes without a component only group others.
      return Object.values(__TSR_ROUTER__.routesById)
        .filter(({ options }) => options.component !== undefined)
        .map(({ fullPath }) => fullPath);
    });
    const looked = new Set(Object.values(pages).flatMap((ofRole) => Object.keys(ofRole)));
    const unknown = new Set(paths.map((path) => (path === '' ? '/' : path))).symmetricDifference(looked);
    assert.deepEqual([...unknown], []);
  });

const lookAtPages = ({ stage, visitors, pages }: Pages, role: Role, context: TestContext) =>
  stage.visit(visitors[role], async (page) => {
    // Signed in, only the first page is loaded. Axe, which takes longer to load than most pages to check, then stays.
    let go = open;
    for (const [route, urls] of Object.entries(pages[role])) {
      for (const url of urls) {
        await context.test(`${url} (${route})`, async () => {
          await go(page, url);
          if (role !== 'anonymous') go = follow;
          assert.deepEqual(await faultsOf(page, url), []);
        });
      }
    }
  });
