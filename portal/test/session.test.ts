import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAccount } from '../../server/src/parties/actions.ts';
import { newUser, openBrowser } from '../../server/test/browser.ts';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import { ANONYMOUS, holdLiveRefresh, open, openStage, settled } from './stage.ts';
import { setVisibility } from './visibility.ts';

const { platform, world, user: signedInAs, visit, visitApart } = await openStage();
const brp = await world.brp('Nordlicht');
const account = await platform.db.transaction((tx) =>
  createAccount(tx, { name: 'Stadtwerk' }, platform.clock.now()),
);
const VISITORS = {
  anonymous: ANONYMOUS,
  brp: await signedInAs({ type: 'brp', brpNo: brp.no }),
  operator: await signedInAs({ type: 'operator' }),
  account: await signedInAs({ type: 'account', accountNo: account.no }),
};
const user = await newUser(platform, { type: 'brp', brpNo: brp.no });
const asOperator = client(platform.baseUrl, await world.operatorKey());

async function fillIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

test('signing in leads to the requested page, and signing out hides everything', () =>
  visit(ANONYMOUS, async (page) => {
    await open(page, '/customers?status=pending');
    await page.waitForURL((url) => url.pathname === '/sign-in');
    await fillIn(page, user.email, user.password);
    await heading(page, 'Customers').waitFor();
    await page.waitForURL(({ pathname, search }) => pathname + search === '/customers?status=pending');
    await eventually(async () => assert.equal(await page.title(), 'Customers · Saldo'));
    // Keyboards and screen readers continue in the new page.
    await eventually(async () =>
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'content'),
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in to Saldo').waitFor();
    await eventually(async () => assert.equal(await page.title(), 'Sign in to Saldo · Saldo'));
    const cookies = await page.context().cookies();
    assert.deepEqual(
      cookies.map(({ name }) => name),
      ['saldo_device'],
      'the device cookie grants no access',
    );
    await page.goBack();
    await heading(page, 'Sign in to Saldo').waitFor();
    assert.equal(await page.getByText('Nordlicht').count(), 0);
  }));

test('a failed sign-out is shown and ends nothing, and can be repeated', () =>
  visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    await fillIn(page, user.email, user.password);
    await heading(page, 'Overview').waitFor();
    const isSession = (url: URL) => url.pathname === '/portal/v1/session';
    await page.route(isSession, (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    const button = page.getByRole('button', { name: 'Sign out' });
    await button.click();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await heading(page, 'Overview').waitFor();
    await page.unroute(isSession);
    await button.click();
    await heading(page, 'Sign in to Saldo').waitFor();
  }));

test('a wrong password shows an error, and the right one works afterwards', () =>
  visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    await fillIn(page, user.email, 'not the password');
    await page.getByRole('alert').getByText('The email or the password is wrong.').waitFor();
    await fillIn(page, user.email, user.password);
    await heading(page, 'Overview').waitFor();
  }));

test('repeated wrong passwords are delayed, and the delay is shown at once', async () => {
  const victim = await newUser(platform, { type: 'brp', brpNo: brp.no });
  await visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    await fillIn(page, victim.email, 'not the password');
    await page.getByRole('alert').getByText('The email or the password is wrong.').waitFor();
    for (let tries = 1; tries < 5; tries++)
      await openBrowser(platform).signIn(victim.email, 'not the password');
    await fillIn(page, victim.email, 'not the password');
    await page
      .getByRole('alert')
      .getByText(/^The password was wrong too often\. Try again in \d+ s\.$/)
      .waitFor();
  });
});

test('an address on another site is not followed after signing in', () =>
  visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in?next=https%3A%2F%2Felsewhere.example%2F');
    await fillIn(page, user.email, user.password);
    await heading(page, 'Overview').waitFor();
    assert.equal(new URL(page.url()).origin, platform.baseUrl);
  }));

test('parameters that a page does not know are removed from its address', () =>
  visit(VISITORS.brp, async (page) => {
    await open(page, '/customers?status=done&search=Nord&unknown=1');
    await page.waitForURL((url) => url.search === '?search=Nord');
    await page.getByText('No customer matches these filters.').waitFor();
  }));

test('an invitation can be accepted once, with a password', async () => {
  const { body: invited } = await asOperator('/operator/v1/users', {
    method: 'POST',
    body: {
      email: 'new@saldo.example',
      name: 'Nora New',
      role: 'brp',
      permissions: 'admin',
      brp_id: brp.id,
    },
  });
  const invite = await asOperator(`/operator/v1/users/${invited.id}/invitation`, { method: 'POST' });
  assert.equal(invite.status, 201, invite.text);
  await visit(ANONYMOUS, async (page) => {
    await open(page, invite.body.link);
    await heading(page, 'Welcome, Nora New').waitFor();
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill('words that go together');
    await page.getByRole('textbox', { name: 'Repeat the new password' }).fill('words that differ');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByText('The two passwords differ.').waitFor();
    await page.getByRole('textbox', { name: 'Repeat the new password' }).fill('words that go together');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await heading(page, 'Overview').waitFor();
    // The token does not stay in the address.
    await page.waitForURL((url) => url.hash === '');
  });
  await visit(ANONYMOUS, async (page) => {
    await open(page, invite.body.link);
    await heading(page, 'This invitation cannot be used').waitFor();
  });
  await visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    await fillIn(page, 'new@saldo.example', 'words that go together');
    await heading(page, 'Overview').waitFor();
  });
});

test('a session ended elsewhere asks for the sign-in over the page, and another user begins with the sign-in page', () =>
  visit(VISITORS.brp, async (page) => {
    await holdLiveRefresh(page);
    await open(page, '/');
    // A late request of this page would ask for the sign-in before the click, which could then lead to the sign-in page.
    const isOfThisPage = ({ pathname }: URL) =>
      pathname.includes('/v1/') && !/\/(?:api-keys|session)$/.test(pathname);
    await page.route(isOfThisPage, () => new Promise(() => {}));
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('Your session has ended. Your input on this page is kept.').waitFor();
    await page.unroute(isOfThisPage);
    await page.getByRole('button', { name: 'Sign in as another user' }).click();
    await heading(page, 'Sign in to Saldo').waitFor();
    await fillIn(page, user.email, user.password);
    await heading(page, 'Overview').waitFor();
  }));

test('another user who signs in in a second tab takes over the first one', async () =>
  visitApart(await signedInAs({ type: 'operator' }), async (first) => {
    await open(first, '/operator/brps');
    await first.getByRole('link', { name: 'Audit trail' }).waitFor();
    // Otherwise its long poll would notice the end of the former session.
    await setVisibility(first, 'hidden');
    const second = await first.context().newPage();
    await open(second, '/sign-in');
    await fillIn(second, user.email, user.password);
    await heading(second, 'Overview').waitFor();
    // A BRP has no such page.
    await heading(first, 'Overview').waitFor();
    await first.getByRole('link', { name: 'Contracts' }).waitFor();
    assert.equal(await first.getByRole('link', { name: 'Audit trail' }).count(), 0);
  }));

test('signing out in one tab signs out the others', async () =>
  visitApart(await signedInAs({ type: 'operator' }), async (first) => {
    await holdLiveRefresh(first);
    await open(first, '/profile');
    const second = await first.context().newPage();
    await open(second, '/profile');
    await second.getByRole('button', { name: 'Sign out', exact: true }).click();
    await heading(second, 'Sign in to Saldo').waitFor();
    await first.getByText('Your session has ended. Please sign in again.').waitFor();
  }));

test('the portal uses the browser’s language until another one is chosen', () =>
  visit(
    ANONYMOUS,
    async (page) => {
      await open(page, '/sign-in');
      await heading(page, 'Bei Saldo anmelden').waitFor();
      await eventually(async () => assert.equal(await page.locator('html').getAttribute('lang'), 'de'));
      await page.getByRole('combobox', { name: 'Sprache' }).selectOption('en');
      await heading(page, 'Sign in to Saldo').waitFor();
      await page.reload();
      await settled(page);
      await heading(page, 'Sign in to Saldo').waitFor();
      await eventually(async () => assert.equal(await page.locator('html').getAttribute('lang'), 'en'));
    },
    { locale: 'de-DE' },
  ));

test('the theme follows the system until another one is chosen', () =>
  visit(
    ANONYMOUS,
    async (page) => {
      const brightness = () =>
        page.evaluate(() => {
          const context = document.createElement('canvas').getContext('2d');
          if (!context) throw new Error('no canvas');
          context.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
          context.fillRect(0, 0, 1, 1);
          return context.getImageData(0, 0, 1, 1).data[0] ?? 0;
        });
      await open(page, '/sign-in');
      await eventually(async () => assert.ok((await brightness()) < 128, 'dark like the system'));
      await page.getByRole('combobox', { name: 'Appearance' }).selectOption('light');
      await eventually(async () => assert.ok((await brightness()) > 128));
      await page.reload();
      await settled(page);
      await eventually(async () => assert.ok((await brightness()) > 128, 'kept'));
    },
    { theme: 'dark' },
  ));

/** The scripts that the browser has loaded when the page has its content, by their sizes as transferred. */
async function firstLoad(page: Page, url: string): Promise<number[]> {
  await page.goto(url);
  const loaded = await page.waitForFunction(() => {
    const isShown = document.querySelector('h1') && !document.querySelector('.animate-pulse');
    const scripts = performance
      .getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
      // Other pages are loaded afterwards, while the browser is idle.
      .filter(({ startTime }) =>
        performance.getEntriesByName('prefetch-begun').every((begun) => startTime < begun.startTime),
      );
    return isShown && scripts.map((entry) => (entry as PerformanceResourceTiming).encodedBodySize);
  });
  return (await loaded.jsonValue()) || [];
}

const FIRST_LOAD_BYTES = 160_000;
const FONT_BYTES = 50_000;

for (const [role, visitor] of Object.entries(VISITORS)) {
  for (const locale of ['en-GB', 'de-DE'] as const) {
    test(`the first load transfers less than 160 kB of script: ${role}, ${locale}`, () =>
      visit(
        visitor,
        async (page) => {
          const sizes = await firstLoad(page, '/');
          assert.ok(sizes.length > 0 && sizes.every((bytes) => bytes > 0), String(sizes));
          const sum = sizes.reduce((total, bytes) => total + bytes, 0);
          assert.ok(sum < FIRST_LOAD_BYTES, `${sum} bytes: ${sizes}`);
        },
        { locale },
      ));
  }
}

test('the one font is preloaded from the platform with its licence, and figures that change or stand in columns are equally wide', () =>
  visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    const url = await page.locator('link[rel=preload][as=font]').getAttribute('href');
    const font = await page.request.get(url ?? '');
    assert.equal(font.headers()['content-type'], 'font/woff2');
    assert.ok((await font.body()).length < FONT_BYTES);
    assert.match(await (await page.request.get('/licences/inter.txt')).text(), /SIL OPEN FONT LICENSE/);
    const widths = await page.evaluate(async (file) => {
      // Of another name: the page has its own face only if the font arrived before the first paint.
      document.fonts.add(await new FontFace('Measured', `url(${file})`).load());
      return ['111111', '000000', '888888'].map((digits) => {
        const text = document.body.appendChild(document.createElement('time'));
        text.style.fontFamily = 'Measured';
        text.textContent = digits;
        return text.getBoundingClientRect().width;
      });
    }, url);
    assert.equal(new Set(widths).size, 1, String(widths));
  }));

test('the content security policy blocks inline scripts', () =>
  visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    const refused = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
            resolve(effectiveDirective),
          );
          const script = document.createElement('script');
          script.textContent = 'document.title = "taken over"';
          document.body.append(script);
        }),
    );
    assert.equal(refused, 'script-src-elem');
    await eventually(async () => assert.notEqual(await page.title(), 'taken over'));
    await eventually(async () =>
      assert.equal(await page.locator('script:not([src]), [style], [onclick]').count(), 1, 'only this one'),
    );
  }).then(
    () => assert.fail('the violation was not noticed'),
    (error: unknown) => assert.match(String(error), /Content Security Policy/),
  ));

for (const [locale, question, answer] of [
  ['en-GB', 'Forgot your password?', /^Ask an administrator of your organisation/],
  ['de-DE', 'Passwort vergessen?', /^Bitten Sie einen Administrator Ihrer Organisation/],
] as const)
  test(`the sign-in page says whom to ask for a forgotten password: ${locale}`, () =>
    visit(
      ANONYMOUS,
      async (page) => {
        await open(page, '/sign-in');
        const text = page.getByText(answer);
        await text.waitFor({ state: 'hidden' });
        await page.getByText(question).click();
        await text.waitFor();
      },
      { locale, width: 390 },
    ));

for (const [locale, name] of [
  ['en-GB', 'Dense pages: more rows on a screen'],
  ['de-DE', 'Kompakte Seiten: mehr Zeilen auf einem Bildschirm'],
] as const)
  test(`dense pages are a switch that the browser keeps: ${locale}`, () =>
    visit(
      VISITORS.brp,
      async (page) => {
        const isDense = () => page.evaluate(() => document.documentElement.hasAttribute('data-dense'));
        await open(page, '/profile');
        assert.equal(await isDense(), false);
        await page.getByRole('switch', { name }).check();
        assert.equal(await isDense(), true);
        await open(page, '/keys');
        assert.equal(await isDense(), true, 'another page of the browser is dense, too');
        await open(page, '/profile');
        await page.getByRole('switch', { name }).uncheck();
        assert.equal(await isDense(), false);
      },
      { locale },
    ));

test('the profile lists the sessions of the user, and ends another one', async () => {
  const owner = await newUser(platform, { type: 'brp', brpNo: brp.no });
  const [here, elsewhere] = [openBrowser(platform), openBrowser(platform)];
  await here.signIn(owner.email, owner.password);
  const credentials = { email: owner.email, password: owner.password };
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const headers = { 'user-agent': firefox };
  assert.equal((await elsewhere.request.post('/portal/v1/session', credentials, { headers })).status, 200);
  await visit({ cookie: here.cookie }, async (page) => {
    await open(page, '/profile');
    const rows = page.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
    await rows.filter({ hasText: 'this session' }).waitFor();
    assert.equal(await rows.count(), 2);
    const other = rows.filter({ hasText: 'Firefox, Linux' });
    assert.match(await other.innerText(), /127\.0\.0\.1/);
    await other.getByRole('button', { name: 'End' }).click();
    await page.getByText('The session has ended.').waitFor();
    await eventually(async () => assert.equal(await rows.count(), 1));
  });
  assert.equal((await elsewhere.request('/portal/v1/session')).status, 401);
});
