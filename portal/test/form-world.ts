import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { watchExchange } from '../../server/src/exchange/process/watch.ts';
import { afterPassword, userWithCodes } from '../../server/test/authenticator.ts';
import { openBrowser } from '../../server/test/browser.ts';
import { operating } from '../../server/test/exchanging.ts';
import { client, type TestPlatform } from '../../server/test/harness.ts';
import { createAuthenticator } from '../../server/test/passkey-authenticator.ts';
import type { Entry } from './filling.ts';
import { openStage, type Visitor } from './stage.ts';

export const DAY = '2026-10-21';

/** A platform with records for every form. Call it at the top of a test file. */
export async function openFormWorld() {
  const stage = await openStage('2026-10-20T12:00:00Z');
  const { platform, world, user } = stage;
  const { seller, sellerGroup, buyer, producer, consumer } = await world.pair();
  const spareGroup = await world.group(seller, ['DE_AMPRION', 'DE_TENNET']);
  const asset = await world.asset('Windpark Uckermark');
  const contract = await world.contract(producer, consumer, { externalId: 'PPA-1' });
  const sourced = await world.contract(producer, consumer, {
    externalId: 'PPA-2',
    assetUuid: asset.uuid,
    ppaType: 'produced',
  });
  await world.volumes(contract, DAY, 250);
  await world.nominate();
  const operator = client(platform.baseUrl, await world.operatorKey());
  const { send, receive } = operating(platform, operator);
  await send({ delivery_date: DAY });
  assert.equal((await receive('<nonsense/>')).status, 400);
  await watchExchange(platform.db, platform.clock, platform.exchange);
  const meter = await operator('/operator/v1/series', {
    method: 'POST',
    body: { kind: 'meter', owner: { type: 'asset', id: asset.id }, name: 'Uckermark, meter' },
  });
  assert.equal(meter.status, 201, meter.text);
  const alarms = await operator('/operator/v1/exchange/alarms');
  const keys = await operator(`/operator/v1/api-keys?owner_type=brp&owner_id=${seller.id}`);
  const volumes = await client(
    platform.baseUrl,
    seller.key,
  )(`/v1/contracts/${contract.id}/transactions?delivery_date=${DAY}&limit=1`);
  const invited = await operator('/operator/v1/users', {
    method: 'POST',
    body: { email: 'grace@saldo.example', name: 'Grace', role: 'operator', permissions: 'viewer' },
  });
  const invitation = await operator(`/operator/v1/users/${invited.body.id}/invitation`, {
    method: 'POST',
  });
  const asBrp = await user({ type: 'brp', brpNo: seller.no });
  const asOperator = await user({ type: 'operator' });
  const { no: accountNo } = await world.account();
  const asAccount = await user({ type: 'account', accountNo });
  const demand = await operator('/operator/v1/demands', {
    method: 'POST',
    body: { contract_period: 10, delivery_volume: 24_000, country: 'AT' },
  });
  const { request: ofAccount } = Object.assign(openBrowser(platform), { cookie: asAccount.cookie });
  const question = { demand_id: demand.body.id, message: 'How much?' };
  const inquiry = await ofAccount.post('/portal/v1/inquiries', question);
  assert.equal(inquiry.status, 201, inquiry.text);
  const passkey = await addPasskey(platform, asBrp);
  const { user: withCodes } = await userWithCodes(platform, { type: 'brp', brpNo: seller.no });
  const asPending: Visitor = await afterPassword(platform, withCodes);

  /** Chooses a customer by a part of its name. */
  async function chooseParty(page: Page, label: string, id: string): Promise<void> {
    const { body } = await operator(`/operator/v1/customers/${id}`);
    await page.getByRole('combobox', { name: label }).fill(body.name);
    await page.getByRole('option', { name: body.name }).click();
  }
  return {
    visit: stage.visit,
    seller,
    sellerGroup,
    buyer,
    producer,
    consumer,
    spareGroup,
    asset,
    contract,
    sourced,
    meter,
    alarms,
    keys,
    volumes,
    invited,
    invitation,
    passkey,
    demand,
    inquiry,
    asAccount,
    asBrp,
    asOperator,
    asPending,
    chooseParty,
  };
}

async function addPasskey(platform: TestPlatform, { cookie }: Visitor) {
  const { request } = Object.assign(openBrowser(platform), { cookie });
  const { public_key } = (await request.post('/portal/v1/passkeys/challenge')).body;
  const credential = createAuthenticator(platform.baseUrl.replace('127.0.0.1', 'localhost')).create(
    public_key,
  );
  const added = await request.post('/portal/v1/passkeys', { name: 'Laptop', credential });
  assert.equal(added.status, 201, added.text);
  return added.body;
}

export type FormWorld = Awaited<ReturnType<typeof openFormWorld>>;

/** A form, how it is filled in, and what it has to send. */
export type FormCase = {
  /** The file of `portal/src` with the form. Without one: controls that are not in a form, or the form of another case. */
  readonly file?: string;
  readonly name: string;
  readonly visitor: Visitor;
  readonly url: string;
  /** What the user does before the form can be filled in. */
  readonly prepare?: (page: Page) => Promise<void>;
  readonly entries: readonly Entry[];
  readonly button?: string;
  readonly request: readonly [method: string, path: string];
  /** The body, or the parameters of the URL. */
  readonly sent: object;
};

export const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().click();
