import {
  type ApiKey,
  operatorEndpoints as api,
  type BodyOf,
  type OperatorBalanceGroup,
  type OwnBalanceGroup,
} from '@saldo/api';
import type { Command } from 'commander';
import { addFields, countOf, readBody, readFields } from '../fields.ts';
import type { Session } from '../session.ts';
import { localTime } from '../tables.ts';
import { harmless } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { addExamples, addList, doing, type OpenSession, showing, showSecret } from './command.ts';

export function addPartyCommands(program: Command, open: OpenSession): void {
  addBrps(program, open);
  addBalanceGroups(program, open);
  addAccounts(program, open);
  addKeys(program, open);
}

function addBrps(program: Command, open: OpenSession): void {
  const brps = program.command('brps').description('balancing responsible parties');
  addList(brps, open, {
    endpoint: api.listBrps,
    about: 'list BRPs, oldest first',
    examples: ['brps list', 'brps list --all --json'],
    columns: [
      ['ID', ({ id }) => id],
      ['NAME', ({ name }) => name],
      ['SINCE', ({ created_at }) => localTime(created_at)],
    ],
    from: ({ brps }) => brps,
  });
  const create = brps.command('create').description('onboard a BRP');
  addFields(create, api.createBrp.body);
  addExamples(create, "brps create --name 'Nordwind Direktvermarktung GmbH'");
  create.action(showing(open, 'operator', (client) => client.brps.create(readBody(create, api.createBrp))));
  const show = brps.command('show <brp>').description('show a BRP');
  addExamples(show, 'brps show brp_01jhm3vq8ne0grs4f5c3hxkz2b').action(
    showing(open, 'operator', (client, id) => client.brps.get(id)),
  );
}

function addBalanceGroups(program: Command, open: OpenSession): void {
  const groups = program.command('balance-groups').description('balance groups and their settings');
  addList(groups, open, {
    endpoint: api.listBalanceGroups,
    about: 'list balance groups, oldest first',
    examples: ['balance-groups list', 'balance-groups list --brp-id brp_01jhm3vq8ne0grs4f5c3hxkz2b'],
    columns: [
      ['EIC', ({ eic }) => eic],
      ['NAME', ({ name }) => name],
      ['TSOS', (group) => tsosOf(group).join(' ')],
      ['BRP', ({ brp_id }) => brp_id],
    ],
    fromBoth: ({ balanceGroups }) => balanceGroups,
  });
  const create = groups.command('create').description('register a balance group of a BRP');
  addFields(create, api.createBalanceGroup.body);
  addExamples(
    create,
    "balance-groups create --brp-id brp_… --eic 11XNORDWIND----J --name 'Hauptbilanzkreis' --tsos DE_50HERTZ DE_TENNET",
  ).action(
    showing(open, 'operator', (client) =>
      client.balanceGroups.create(readBody(create, api.createBalanceGroup)),
    ),
  );
  const show = groups.command('show <eic>').description('show a balance group');
  addExamples(show, 'balance-groups show 11XNORDWIND----J').action(
    showing(open, 'client', async (client, eic) => client.balanceGroups.get(eic)),
  );
  const set = groups.command('set <eic>').description('change a balance group’s settings');
  addFields(set, api.updateBalanceGroup.body);
  addExamples(set, 'balance-groups set 11XNORDWIND----J --tsos DE_50HERTZ DE_TENNET DE_AMPRION').action(
    doing(open, async (session, { args: [eic = ''] }) => {
      const change: GroupChange = readFields(set, api.updateBalanceGroup.body);
      if (Object.keys(change).length === 0) throw new UsageError('give --name or --tsos');
      await session.show(await updateGroup(session, eic, change));
    }),
  );
}

/** The two APIs name the control areas of a balance group differently. */
const tsosOf = (group: OperatorBalanceGroup | OwnBalanceGroup) =>
  'tsos' in group ? group.tsos : group.enabled_tsos;

type GroupChange = BodyOf<typeof api.updateBalanceGroup>;

async function updateGroup(session: Session, eic: string, change: GroupChange) {
  if ((await session.access()).kind !== 'brp')
    return (await session.operator()).balanceGroups.update(eic, change);
  const { name, tsos } = change;
  if (name !== undefined || tsos === undefined)
    throw new UsageError('--name needs an operator key; a BRP sets --tsos only');
  return (await session.brp()).balanceGroups.update(eic, { enabled_tsos: tsos });
}

function addAccounts(program: Command, open: OpenSession): void {
  const accounts = program.command('accounts').description('account holders of the customer API');
  addList(accounts, open, {
    endpoint: api.listAccounts,
    about: 'list accounts, oldest first',
    examples: ['accounts list'],
    columns: [
      ['ID', ({ id }) => id],
      ['NAME', ({ name }) => name],
      ['SINCE', ({ created_at }) => localTime(created_at)],
    ],
    from: (client) => client.accounts,
  });
  const create = accounts.command('create').description('create an account');
  addFields(create, api.createAccount.body);
  addExamples(create, "accounts create --name 'Grünland Ventures'").action(
    showing(open, 'operator', (client) => client.accounts.create(readBody(create, api.createAccount))),
  );
}

const ownerOf = ({ owner }: ApiKey) => (owner.id === undefined ? owner.type : owner.id);

function addKeys(program: Command, open: OpenSession): void {
  const keys = program.command('keys').description('API keys of BRPs, accounts and operators');
  addList(keys, open, {
    endpoint: api.listApiKeys,
    about: 'list API keys, without their secrets',
    examples: ['keys list', 'keys list --owner-type brp --all'],
    columns: [
      ['ID', ({ id }) => id],
      ['OWNER', ownerOf],
      ['NAME', ({ name }) => name],
      ['BEGINS', ({ prefix }) => prefix],
      ['LAST USED', ({ last_used_at }) => last_used_at && localTime(last_used_at)],
      ['FROM', ({ last_used_address }) => last_used_address],
      ['ALLOWED', ({ allowed_addresses }) => allowed_addresses?.join(' ')],
      ['ENDS', ({ revoked_at, expires_at }) => endOf(revoked_at ?? expires_at)],
    ],
    from: ({ apiKeys }) => apiKeys,
  });
  addKeyCreation(keys, open);
  const revoke = keys.command('revoke <key>').description('revoke a key, by its id');
  addExamples(revoke, 'keys revoke key_01jhm3w0ave6p8mxk2r5t7zj4h').action(
    doing(open, async (session, { args: [id = ''] }) => {
      await (await session.operator()).apiKeys.revoke(id);
      session.note(`${harmless(id)} is revoked.`);
    }),
  );
  const rotate = keys.command('rotate <key>').description('replace a key by a new one, by its id');
  rotate.option('--grace <seconds>', 'seconds for which the old key stays valid', countOf);
  addExamples(rotate, 'keys rotate key_01jhm3w0ave6p8mxk2r5t7zj4h --grace 3600').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const { grace } = rotate.opts<{ grace?: number }>();
      const body = grace === undefined ? {} : { grace_s: grace };
      await showSecret(session, await (await session.operator()).apiKeys.rotate(id, body));
    }),
  );
}

const endOf = (instant: string | null) => instant && localTime(instant);

function addKeyCreation(keys: Command, open: OpenSession): void {
  const create = keys.command('create').description('create a key; it is shown once and never again');
  create.option('--brp <id>', 'a key for this BRP');
  create.option('--account <id>', 'a key for this account');
  create.option('--operator', 'a key for the operator');
  addFields(create, api.createApiKey.body, { except: ['owner'] });
  addExamples(
    create,
    "keys create --brp brp_01jhm3vq8ne0grs4f5c3hxkz2b --name 'dispatch system'",
    'keys create --brp brp_… --name reader --scopes contracts:read nominations:read',
    'keys create --operator --name meters --scopes read series:write --quiet',
    'keys create --brp brp_… --name dispatch --allowed-addresses 203.0.113.0/24 2001:db8::7',
  ).action(
    doing(open, async (session) => {
      const { brp, account, operator } = create.opts<{
        brp?: string;
        account?: string;
        operator?: boolean;
      }>();
      const owners = [
        ...(brp === undefined ? [] : [{ type: 'brp' as const, id: brp }]),
        ...(account === undefined ? [] : [{ type: 'account' as const, id: account }]),
        ...(operator ? [{ type: 'operator' as const }] : []),
      ];
      const [owner] = owners;
      if (!owner || owners.length > 1) {
        throw new UsageError('give the owner of the key: one of --brp, --account and --operator');
      }
      const body = { ...readFields(create, api.createApiKey.body), owner } as BodyOf<typeof api.createApiKey>;
      await showSecret(session, await (await session.operator()).apiKeys.create(body));
    }),
  );
}
