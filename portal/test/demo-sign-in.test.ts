import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDemoUsers, demoEnvironment } from '../../server/test/demo-users.ts';
import { client } from '../../server/test/harness.ts';
import { faultsOf } from './axe.ts';
import { ANONYMOUS, open, openStage } from './stage.ts';

const { platform, world, visit } = await openStage('2026-10-20T08:00:00Z', await demoEnvironment());
await createDemoUsers(platform);

const TEXTS = {
  'en-GB': {
    brp: ['Enter as dispatcher', 'Overview'],
    operator: ['Enter as control room', 'Platform'],
    account: ['Enter as account holder', 'Market'],
  },
  'de-DE': {
    brp: ['Als Dispatcher einsteigen', 'Übersicht'],
    operator: ['Als Leitstand einsteigen', 'Plattform'],
    account: ['Als Kontoinhaber einsteigen', 'Markt'],
  },
} as const;

for (const [locale, roles] of Object.entries(TEXTS) as [keyof typeof TEXTS, (typeof TEXTS)['en-GB']][])
  for (const [role, [button, title]] of Object.entries(roles))
    test(`one click on the sign-in page of a demo signs in: ${role}, ${locale}`, () =>
      visit(
        ANONYMOUS,
        async (page) => {
          await open(page, '/sign-in');
          await page.getByRole('button', { name: button }).click();
          await page.getByRole('heading', { level: 1, name: title }).waitFor();
        },
        { locale },
      ));

test('axe finds no fault on the sign-in page of a demo', () =>
  visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    await page.getByRole('button', { name: 'Enter as account holder' }).waitFor();
    assert.deepEqual(await faultsOf(page, 'the sign-in page of a demo'), []);
  }));

test('a demo user who is disabled is refused with a sentence, and the form stays', async () => {
  const operator = client(platform.baseUrl, await world.operatorKey());
  const { users } = (await operator('/operator/v1/users?email=account@demo.example')).body;
  await operator.patch(`/operator/v1/users/${users[0].id}`, { disabled: true });
  await visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    await page.getByRole('button', { name: 'Enter as account holder' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    assert.match(await alert.innerText(), /has a new password or is disabled/);
    await page.getByRole('textbox', { name: 'Email' }).fill('operator@demo.example');
    await page.getByLabel('Password', { exact: true }).fill('the password of the operator');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Platform' }).waitFor();
  });
});
