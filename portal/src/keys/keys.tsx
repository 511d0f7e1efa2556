import type { ApiKey, BrpScope, NewApiKey } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useRolePath } from '../references/links.tsx';
import { portalClient } from '../session/clients.ts';
import { serverNow } from '../session/server-clock.ts';
import { usePermission, useSession } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { useFilters } from '../ui/address.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { CreateButton } from '../ui/create-button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Checkbox, SelectField } from '../ui/form.tsx';
import { MoreButton } from '../ui/more.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { readOwnKeyFilters } from './filters.ts';
import { CreateKeyDialog, KeySecretDialog, type KeySettings } from './key-dialogs.tsx';
import { ownKeysQuery } from './queries.ts';
import { KEY_TEXTS } from './texts.ts';

type OpenDialog = { readonly what: 'rotate' | 'revoke'; readonly key: ApiKey };

/** Actions on keys: the user's own, or, for the operator, those of all owners. */
export type KeyActions = Pick<typeof portalClient.apiKeys, 'rotate' | 'revoke'>;

/** The API keys of a BRP or an account holder. */
export function KeysPage() {
  const { t } = useI18n();
  const isBrp = useSession().user.role === 'brp';
  const { filters, set } = useFilters(readOwnKeyFilters);
  const isEndedHidden = filters.ended === 'hidden';
  const query = useQuery(ownKeysQuery);
  return (
    <Page
      title={KEY_TEXTS[t.language].title}
      text={isBrp ? KEY_TEXTS[t.language].text : t.market.keysText}
      actions={
        <CreateButton label={KEY_TEXTS[t.language].create} isPrimary needs="admin">
          {(close) => (
            <CreateKeyDialog
              owner={isBrp ? 'brp' : 'account'}
              create={(settings: KeySettings<BrpScope>) => portalClient.apiKeys.create(settings)}
              onClose={close}
            />
          )}
        </CreateButton>
      }
    >
      <Checkbox
        label={KEY_TEXTS[t.language].hideEnded}
        checked={isEndedHidden}
        onChange={(isHidden) => set({ ended: isHidden ? 'hidden' : undefined })}
      />
      <Panel isFlush>
        <Loaded query={query}>
          {(keys) => (
            <KeyList
              keys={keys}
              isEndedHidden={isEndedHidden}
              actions={portalClient.apiKeys}
              hasScopes={isBrp}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

type ListProps = {
  keys: readonly ApiKey[];
  isEndedHidden?: boolean;
  actions: KeyActions;
  /** Keys of accounts have no scopes. */
  hasScopes?: boolean;
  /** The owner of a key, in lists with several owners. */
  ownerOf?: (key: ApiKey) => ReactNode;
};

/** A table of keys with their actions. */
export function KeyList(props: ListProps) {
  const { keys, isEndedHidden = false, actions, hasScopes = true, ownerOf } = props;
  const { t } = useI18n();
  const texts = KEY_TEXTS[t.language];
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [newKey, setNewKey] = useState<NewApiKey | null>(null);
  const show = (key: NewApiKey) => {
    setDialog(null);
    setNewKey(key);
  };
  const close = () => setDialog(null);
  const shown = keys.filter((key) => !isEndedHidden || stateOf(key) === 'active');
  return (
    <>
      {shown.length === 0 ? (
        <EmptyState
          {...(keys.length === 0
            ? { title: texts.empty, text: texts.emptyText }
            : { title: texts.noneActive })}
        />
      ) : (
        <>
          <KeyTable keys={shown} onOpen={setDialog} hasScopes={hasScopes} ownerOf={ownerOf} />
          {shown.length === keys.length && <MoreButton count={shown.length} />}
        </>
      )}
      {dialog?.what === 'rotate' && (
        <RotateDialog apiKey={dialog.key} rotate={actions.rotate} onCreated={show} onClose={close} />
      )}
      {dialog?.what === 'revoke' && (
        <RevokeDialog apiKey={dialog.key} revoke={actions.revoke} onClose={close} />
      )}
      {newKey && <KeySecretDialog newKey={newKey} onClose={() => setNewKey(null)} />}
    </>
  );
}

type KeyState = 'active' | 'expired' | 'revoked';
const STATE_TONES: Readonly<Record<KeyState, Tone>> = { active: 'ok', expired: 'warn', revoked: 'neutral' };

function stateOf({ revoked_at, expires_at }: ApiKey): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= serverNow() ? 'expired' : 'active';
}

/** After a rotation the old key ends soon, and another one of the same owner and name lasts longer. */
const isBeingReplaced = (key: ApiKey, keys: readonly ApiKey[]): boolean => {
  const { name, owner, expires_at: end } = key;
  if (end === null || stateOf(key) !== 'active') return false;
  return keys.some(
    (other) =>
      other.name === name &&
      other.owner.id === owner.id &&
      (other.expires_at === null || other.expires_at > end) &&
      stateOf(other) === 'active',
  );
};

type TableProps = {
  keys: readonly ApiKey[];
  onOpen: (dialog: OpenDialog) => void;
  hasScopes: boolean;
  ownerOf: ((key: ApiKey) => ReactNode) | undefined;
};

function KeyTable({ keys, onOpen, hasScopes, ownerOf }: TableProps) {
  const { t } = useI18n();
  const isAdministrator = usePermission('admin');
  const texts = KEY_TEXTS[t.language];
  const createdColumn: Column<ApiKey> = {
    id: 'created',
    header: t.common.created,
    from: 'xl',
    cell: ({ created_at }) => <Instant at={created_at} />,
  };
  const scopesColumn: Column<ApiKey> = {
    id: 'scopes',
    header: texts.scopes,
    // The names need the space.
    from: ownerOf ? 'widest' : 'wide',
    cell: ({ scopes }) => (
      <span
        title={scopes.join(', ')}
        className="block max-w-28 truncate text-xs text-muted min-[1700px]:max-w-56 print:max-w-none print:whitespace-normal"
      >
        {scopes.join(', ')}
      </span>
    ),
  };
  const columns: readonly Column<ApiKey>[] = [
    {
      id: 'name',
      header: texts.name,
      isLong: true,
      width: 'xl:w-[22%] xl:min-w-40',
      cell: (key) => (
        <span className="cell xl:flex-col">
          <span className="name font-medium xl:not-print:max-w-full xl:not-print:truncate" title={key.name}>
            {key.name}
          </span>
          <code className="shrink-0 font-mono text-xs text-muted">{`${key.prefix}…`}</code>
          <Addresses apiKey={key} />
          {ownerOf && <span className="mt-1 sm:hidden print:hidden">{ownerOf(key)}</span>}
          <span className="mt-1 sm:hidden print:hidden">
            <KeyStatus apiKey={key} keys={keys} />
          </span>
        </span>
      ),
    },
    ...(ownerOf
      ? [
          {
            id: 'owner',
            header: texts.owner,
            from: 'sm' as const,
            isLong: true,
            width: 'xl:w-[18%] xl:min-w-32',
            cell: ownerOf,
          },
        ]
      : []),
    {
      id: 'state',
      header: t.common.status,
      from: 'sm',
      cell: (key) => <KeyStatus apiKey={key} keys={keys} />,
    },
    ...(hasScopes ? [scopesColumn] : []),
    {
      id: 'used',
      header: texts.lastUsed,
      from: 'sm',
      cell: ({ last_used_at, last_used_address }) =>
        last_used_at ? (
          <span className="cell xl:whitespace-nowrap" title={last_used_address ?? undefined}>
            <Instant at={last_used_at} />
            <span className="text-xs break-all text-muted xl:hidden min-[1700px]:inline print:inline">
              {last_used_address}
            </span>
          </span>
        ) : (
          <span className="text-muted">{t.common.never}</span>
        ),
    },
    {
      id: 'expires',
      header: texts.expires,
      from: 'sm',
      cell: ({ expires_at }) =>
        expires_at ? <Instant at={expires_at} /> : <span className="text-muted">{texts.noExpiry}</span>,
    },
    // Hidden when the owner's column needs the space.
    ...(ownerOf ? [] : [createdColumn]),
    {
      id: 'actions',
      header: <span className="sr-only">{t.common.actions}</span>,
      isNumber: true,
      cell: (key) => (
        <span className="inline-grid gap-1 sm:inline-flex">
          <KeyRequests apiKey={key} />
          {isAdministrator && stateOf(key) === 'active' && <KeyButtons apiKey={key} onOpen={onOpen} />}
        </span>
      ),
    },
  ];
  return (
    <DataTable
      label={texts.title}
      columns={columns}
      rows={keys}
      rowKey={({ id }) => id}
      rowTone={(key) => (stateOf(key) === 'active' ? null : 'faded')}
    />
  );
}

function KeyStatus({ apiKey: key, keys }: { apiKey: ApiKey; keys: readonly ApiKey[] }) {
  const { t } = useI18n();
  const texts = KEY_TEXTS[t.language];
  const state = stateOf(key);
  if (!isBeingReplaced(key, keys) || key.expires_at === null)
    return <Badge tone={STATE_TONES[state]}>{texts.statuses[state]}</Badge>;
  return (
    <span className="cell xl:flex-col">
      <Badge tone="warn">{texts.replacedUntil}</Badge>
      <span className="text-xs whitespace-nowrap text-muted">
        <Instant at={key.expires_at} />
      </span>
    </span>
  );
}

/** Where a key may be used from, if that is limited. */
function Addresses({ apiKey: { allowed_addresses: addresses } }: { apiKey: ApiKey }) {
  const { t } = useI18n();
  if (!addresses) return null;
  const text = KEY_TEXTS[t.language].onlyFrom(addresses.join(', '));
  return (
    <span title={text} className="max-w-64 text-xs break-words text-muted xl:not-print:truncate">
      {text}
    </span>
  );
}

function KeyButtons({ apiKey: key, onOpen }: { apiKey: ApiKey; onOpen: (dialog: OpenDialog) => void }) {
  const { t } = useI18n();
  const texts = KEY_TEXTS[t.language];
  return (['rotate', 'revoke'] as const).map((what) => (
    <Button
      key={what}
      variant="quiet"
      aria-label={`${texts[what]}: ${key.name}`}
      onClick={() => onOpen({ what, key })}
    >
      {texts[what]}
    </Button>
  ));
}

/** The log of a key. The operator sees only that of its own keys. */
function KeyRequests({ apiKey: { id, name, owner } }: { apiKey: ApiKey }) {
  const { t } = useI18n();
  const base = useRolePath();
  if (base === '/operator' && owner.type !== 'operator') return null;
  return (
    <Link
      to={`${base}/requests`}
      search={{ caller: id }}
      className={buttonClass('quiet')}
      aria-label={`${t.common.requests}: ${name}`}
    >
      {t.common.requests}
    </Link>
  );
}

const GRACES_S = { now: 0, hour: 3600, day: 24 * 3600, week: 7 * 24 * 3600 } as const;
type Grace = keyof typeof GRACES_S;
const GRACES: readonly Grace[] = ['now', 'hour', 'day', 'week'];

type RotateProps = {
  apiKey: ApiKey;
  rotate: KeyActions['rotate'];
  onCreated: (key: NewApiKey) => void;
  onClose: () => void;
};

function RotateDialog({ apiKey, rotate: send, onCreated, onClose }: RotateProps) {
  const { t } = useI18n();
  const refresh = useRefresh();
  const [grace, setGrace] = useState<Grace>('day');
  const rotate = useMutation({
    mutationFn: (sendNow: () => Promise<NewApiKey>) => sendNow(),
    onSuccess: onCreated,
    onSettled: () => refresh(ownKeysQuery.queryKey),
  });
  return (
    <ConfirmDialog
      title={KEY_TEXTS[t.language].rotateTitle(apiKey.name)}
      text={KEY_TEXTS[t.language].rotateText}
      action={KEY_TEXTS[t.language].rotate}
      isBusy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate(() => send(apiKey.id, { grace_s: GRACES_S[grace] }))}
      onClose={onClose}
    >
      <SelectField
        name="grace_s"
        label={KEY_TEXTS[t.language].grace}
        value={grace}
        options={GRACES.map((value) => ({ value, label: KEY_TEXTS[t.language].graces[value] }))}
        onChange={setGrace}
      />
    </ConfirmDialog>
  );
}

type RevokeProps = { apiKey: ApiKey; revoke: KeyActions['revoke']; onClose: () => void };

function RevokeDialog({ apiKey, revoke: send, onClose }: RevokeProps) {
  const { t } = useI18n();
  const revoke = useMutation({
    mutationFn: (sendNow: () => Promise<unknown>) => sendNow(),
    ...useChangeHandlers({
      toast: () => KEY_TEXTS[t.language].revoked(apiKey.name),
      refresh: [ownKeysQuery.queryKey],
      onDone: onClose,
    }),
  });
  return (
    <ConfirmDialog
      title={KEY_TEXTS[t.language].revokeTitle(apiKey.name)}
      text={KEY_TEXTS[t.language].revokeText}
      action={KEY_TEXTS[t.language].revoke}
      isDangerous
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(() => send(apiKey.id))}
      onClose={onClose}
    />
  );
}
