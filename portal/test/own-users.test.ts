import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAccount } from '../../server/src/parties/actions.ts';
import type { Owner } from '../../server/src/platform/auth/principal.ts';
import { client } from '../../server/test/harness.ts';
import { cellsOf, goTo, open, openStage } from './stage.ts';

const { platform, world, user, visit } = await openStage();
const operator = client(platform.baseUrl, await world.operatorKey());
const brp = await world.brp('Nordlicht');
const group = await world.group(brp);
const customer = await world.customer(brp, { name: 'Windpark Deich', group });
const account = await platform.db.transaction((tx) =>
  createAccount(tx, { name: 'Stadtwerk' }, platform.clock.now()),
);
const PARTIES: Record<'brp' | 'account', Owner> = {
  brp: { type: 'brp', brpNo: brp.no },
  account: { type: 'account', accountNo: account.no },
};

const buttons = (page: Page, name: string) => page.locator('main').getByRole('button', { name });
const navigation = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true });

for (const [role, owner] of Object.entries(PARTIES)) {
  test(`an administrator of the role ${role} invites a colleague, and changes and disables the user`, async () => {
    const email = `colleague@${role}.example`;
    await visit(await user(owner), async (page) => {
      await open(page, '/');
      await navigation(page, 'Users').click();
      await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
      await page.getByRole('button', { name: 'New user' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Ada Colleague');
      await dialog.getByLabel('Email').fill(email);
      assert.equal(await dialog.getByLabel('Role').count(), 0, 'the party is the own one');
      await dialog.getByLabel('Rights').selectOption('Viewer');
      await dialog.getByRole('button', { name: 'Create and invite' }).click();
      await dialog.getByText(`${platform.baseUrl}/invitation#`).waitFor();
      await dialog.getByRole('button', { name: 'I have the link' }).click();

      await page.getByRole('button', { name: 'Change: Ada Colleague' }).click();
      await dialog.getByLabel('Rights').selectOption('Member');
      await dialog.getByLabel('Disabled').check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('disabled', { exact: true }).waitFor();
      const rows = await cellsOf(page, 'Users');
      assert.match(rows.map((cells) => cells.join(' ')).join('\n'), /Ada Colleague.*Member.*disabled/s);
    });
    const { users } = (await operator(`/operator/v1/users?email=${email}`)).body;
    assert.deepEqual([users[0].role, users[0].permissions, users[0].status], [role, 'member', 'disabled']);
  });

  test(`a member of the role ${role} sees no users and no buttons for keys`, async () => {
    await visit(await user(owner, 'member'), async (page) => {
      await open(page, '/');
      assert.equal(await navigation(page, 'Users').count(), 0);
      await goTo(page, '/users');
      await page.getByText('managed by the administrators of your organisation').waitFor();
      await goTo(page, '/keys');
      for (const name of ['New key', 'Rotate', 'Revoke'])
        assert.equal(await buttons(page, name).count(), 0, name);
    });
  });
}

test('a member of a BRP does the daily work, and sees a notice in place of the webhooks', async () => {
  await visit(await user(PARTIES.brp, 'member'), async (page) => {
    await goTo(page, `/customers/${customer.id}`);
    await buttons(page, 'Activate').first().waitFor();
    await goTo(page, '/balance-groups');
    await buttons(page, 'Settings').first().waitFor();
    await goTo(page, '/webhooks');
    await page.getByText('by administrators of your organisation').waitFor();
  });
});

test('a member of the operator does the daily work, without users, keys and webhooks', async () => {
  const pages: Record<string, [shown: string[], hidden: string[]]> = {
    '/operator/brps': [['New BRP'], []],
    '/operator/demands': [['New demand'], []],
    '/operator/nominations': [['Net now'], []],
    '/operator/users': [[], ['New user', 'Change', 'Invite', 'Password link']],
    '/operator/keys': [[], ['New key', 'Rotate', 'Revoke']],
    '/operator/webhooks': [[], ['New endpoint']],
    [`/operator/brps/${brp.id}`]: [
      ['New balance group', 'New customer'],
      ['New user', 'Change', 'Invite', 'Password link', 'New key', 'Rotate', 'Revoke'],
    ],
  };
  await visit(await user({ type: 'operator' }, 'member'), async (page) => {
    for (const [url, [shown, hidden]] of Object.entries(pages)) {
      await goTo(page, url);
      for (const name of shown) await buttons(page, name).first().waitFor();
      for (const name of hidden) assert.equal(await buttons(page, name).count(), 0, `${url}: ${name}`);
    }
  });
});
