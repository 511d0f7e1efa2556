import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Owner } from '../src/platform/auth/principal.ts';
import { newUser, openBrowser, signedIn } from './browser.ts';
import { assertProblem, client, problemOf, startTestPlatform } from './harness.ts';

/** Administrators of BRPs and accounts manage the users of their own party. */
const platform = await startTestPlatform();
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const USERS = '/portal/v1/users';
const PASSWORD = 'nine gulls over the jetty';

const brps = [await world.brp(), await world.brp()] as const;
const accounts = [await world.account(), await world.account()] as const;
const PARTIES: Record<string, readonly [own: Owner, foreign: Owner, party: string]> = {
  brp: [{ type: 'brp', brpNo: brps[0].no }, { type: 'brp', brpNo: brps[1].no }, brps[0].id],
  account: [
    { type: 'account', accountNo: accounts[0].no },
    { type: 'account', accountNo: accounts[1].no },
    encodeId(ID_PREFIX.account, accounts[0].id),
  ],
};

for (const [role, [own, foreign, party]] of Object.entries(PARTIES)) {
  test(`an administrator of the role ${role} creates, invites, changes and disables users of the own party`, async () => {
    const { request, state } = await signedIn(platform, own);
    const body = { email: `colleague@${role}.example`, name: 'Colleague', permissions: 'member' };
    const made = await request.post(USERS, body);
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    assert.deepEqual(
      [made.body.role, made.body.permissions, (made.body.brp ?? made.body.account).id, made.body.status],
      [role, 'member', party, 'invited'],
    );
    assertProblem(await request.post(USERS, { ...body, name: 'Twin' }), 409, 'already_exists');

    const invitation = await request.post(`${USERS}/${id}/invitation`);
    assert.equal(invitation.status, 201, invitation.text);
    const [, token] = invitation.body.link.split('#');
    const colleague = openBrowser(platform);
    const accepted = await colleague.request.post(`/portal/v1/invitations/${token}`, { password: PASSWORD });
    assert.deepEqual([accepted.status, accepted.body.user.permissions], [200, 'member']);
    assertProblem(await colleague.request(USERS), 403, 'insufficient_permissions');

    const got = await request(`${USERS}/${id}`);
    const etag = got.headers.get('etag') ?? assert.fail('no ETag');
    const promote = (headers: Record<string, string>) =>
      request.patch(`${USERS}/${id}`, { permissions: 'admin' }, { headers });
    assert.equal((await promote({ 'if-match': etag })).body.permissions, 'admin');
    assertProblem(await promote({ 'if-match': etag }), 412, 'precondition_failed');
    assert.equal((await colleague.request(USERS)).status, 200, 'at once');
    assert.equal((await request.patch(`${USERS}/${id}`, { disabled: true })).body.status, 'disabled');
    assert.equal((await colleague.request(USERS)).status, 401);

    const listed = (await request(USERS)).body.users.map((user: { id: string }) => user.id);
    assert.deepEqual(listed, [state.user.id, id]);
    const { entries } = (await operator(`/operator/v1/audit?subject=${id}&limit=100`)).body;
    assert.deepEqual(
      entries
        .filter(({ actor }: { actor: string }) => actor === state.user.id)
        .map(({ action }: { action: string }) => action),
      ['user.created', 'user.invited', 'user.updated', 'user.updated'],
    );
  });

  test(`users of other parties do not exist for an administrator of the role ${role}`, async () => {
    const { request } = await signedIn(platform, own);
    const strangers = [
      (await newUser(platform, foreign)).id,
      (await newUser(platform, { type: 'operator' })).id,
    ].map((id) => encodeId(ID_PREFIX.user, id));
    for (const id of [...strangers, 'user_x', encodeId(ID_PREFIX.user, crypto.randomUUID())]) {
      assertProblem(await request(`${USERS}/${id}`), 404, 'user_not_found');
      assertProblem(await request.patch(`${USERS}/${id}`, { disabled: true }), 404, 'user_not_found');
      assertProblem(await request.post(`${USERS}/${id}/invitation`), 404, 'user_not_found');
    }
    for (const id of strangers)
      assert.equal((await operator(`/operator/v1/users/${id}`)).body.status, 'active');
    const { users } = (await request(USERS)).body;
    assert.ok(users.length > 0 && users.every((user: { id: string }) => !strangers.includes(user.id)));
    const elsewhere = {
      email: 'x@x.example',
      name: 'X',
      permissions: 'viewer',
      role: 'operator',
      brp_id: brps[1].id,
    };
    assert.deepEqual(problemOf(await request.post(USERS, elsewhere)).errors, [
      'brp_id unknown_field',
      'role unknown_field',
    ]);
  });

  test(`an administrator of the role ${role} cannot disable or demote the own user`, async () => {
    const { request, state } = await signedIn(platform, own);
    for (const body of [{ disabled: true }, { permissions: 'member' }, { permissions: 'viewer' }])
      assertProblem(await request.patch(`${USERS}/${state.user.id}`, body), 409, 'invalid_status_transition');
    assert.equal((await request.patch(`${USERS}/${state.user.id}`, { name: 'Myself' })).status, 200);
  });
}
