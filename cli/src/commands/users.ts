import { operatorEndpoints as api } from '@saldo/api';
import type { OperatorClient } from '@saldo/sdk';
import type { Command } from 'commander';
import { addFields, readBody, readFields } from '../fields.ts';
import { localTime } from '../tables.ts';
import { harmless } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { addExamples, addList, doing, type OpenSession, showing } from './command.ts';

const SINGLE = 'user_01jhm3w4t9e3rvbq6d8n2k5x7c';

export function addUserCommands(program: Command, open: OpenSession): void {
  const users = program.command('users').description('users of the portal');
  addList(users, open, {
    endpoint: api.listUsers,
    about: 'list users, oldest first',
    examples: ['users list', 'users list --role brp --all'],
    columns: [
      ['ID', ({ id }) => id],
      ['EMAIL', ({ email }) => email],
      ['ROLE', ({ role }) => role],
      ['MAY', ({ permissions }) => permissions],
      ['FOR', ({ brp, account }) => (brp ?? account)?.name],
      ['STATUS', ({ status }) => status],
      ['LAST SIGNED IN', ({ last_signed_in_at: at }) => at && localTime(at)],
    ],
    from: (client) => client.users,
  });
  addCreation(users, open);
  const show = users.command('show <user>').description('show a user, by id or email');
  addExamples(show, `users show ${SINGLE}`, 'users show dispatch@nordwind.example').action(
    showing(open, 'operator', async (client, user) => client.users.get(await idOf(client, user))),
  );
  addInvitation(users, open);
  addReset(users, open);
  addChanges(users, open);
}

/** The user gives the email; the API needs the id. */
async function idOf(client: OperatorClient, user: string): Promise<string> {
  if (!user.includes('@')) return user;
  const [found] = (await client.users.list({ email: user })).users;
  if (!found) throw new UsageError(`there is no user with the email ${user}`);
  return found.id;
}

function addCreation(users: Command, open: OpenSession): void {
  const create = users.command('create').description('create a user; invite it to let it set a password');
  addFields(create, api.createUser.body);
  addExamples(
    create,
    "users create --email dispatch@nordwind.example --name 'Dirk Dispatch' --role brp --permissions member --brp-id brp_…",
    'users create --email night@saldo.example --name Night --role operator --permissions viewer',
  ).action(showing(open, 'operator', (client) => client.users.create(readBody(create, api.createUser))));
}

function addInvitation(users: Command, open: OpenSession): void {
  const invite = users
    .command('invite <user>')
    .description('create a link to set the first or a new password');
  addExamples(invite, 'users invite dispatch@nordwind.example', `users invite ${SINGLE} --json`).action(
    doing(open, async (session, { args: [user = ''] }) => {
      const client = await session.operator();
      await session.show(await client.users.invite(await idOf(client, user)));
      if (session.format === 'text') {
        session.note('Send the link now: it is not shown again, and works once.');
      }
    }),
  );
}

function addReset(users: Command, open: OpenSession): void {
  const reset = users
    .command('reset-factors <user>')
    .description('remove the second factors of a user who has lost them, and end their sessions');
  addExamples(reset, 'users reset-factors dispatch@nordwind.example').action(
    doing(open, async (session, { args: [user = ''] }) => {
      const client = await session.operator();
      await client.users.resetFactors(await idOf(client, user));
      session.note(`${harmless(user)} has no second factor any more.`);
    }),
  );
}

function addChanges(users: Command, open: OpenSession): void {
  const set = users.command('set <user>').description('change a user’s name or permissions');
  addFields(set, api.updateUser.body, { except: ['disabled'] });
  addExamples(set, 'users set dispatch@nordwind.example --permissions viewer').action(
    doing(open, async (session, { args: [user = ''] }) => {
      const change = readFields(set, api.updateUser.body);
      if (Object.keys(change).length === 0) throw new UsageError('give --name or --permissions');
      const client = await session.operator();
      await session.show(await client.users.update(await idOf(client, user), change));
    }),
  );
  const signOut = users.command('sign-out <user>').description('end all sessions of a user');
  addExamples(signOut, 'users sign-out dispatch@nordwind.example').action(
    doing(open, async (session, { args: [user = ''] }) => {
      const client = await session.operator();
      await client.users.endSessions(await idOf(client, user));
      session.note(`All sessions of ${harmless(user)} have ended.`);
    }),
  );
  for (const [name, about, disabled] of [
    ['disable', 'disable a user and end their sessions at once', true],
    ['enable', 'enable a disabled user', false],
  ] as const) {
    const command = users.command(`${name} <user>`).description(about);
    addExamples(command, `users ${name} dispatch@nordwind.example`).action(
      showing(open, 'operator', async (client, user) =>
        client.users.update(await idOf(client, user), { disabled }),
      ),
    );
  }
}
