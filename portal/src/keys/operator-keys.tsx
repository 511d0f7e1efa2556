import { type ApiKey, KEY_OWNERS } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useWithPartyNames } from '../references/lookups.ts';
import { accountsQuery, brpsQuery } from '../references/operator-queries.ts';
import { AccountField, BrpField } from '../references/party-fields.tsx';
import { AccountLink, BrpLink } from '../references/party-links.tsx';
import { given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { useFilters } from '../ui/address.ts';
import { CreateButton } from '../ui/create-button.tsx';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, SelectFilter } from '../ui/filters.tsx';
import { SelectField } from '../ui/form.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { type KeyFilters, readKeyFilters } from './filters.ts';
import { CreateKeyDialog } from './key-dialogs.tsx';
import { KeyList } from './keys.tsx';
import { keysQuery } from './operator-queries.ts';
import { KEY_TEXTS } from './texts.ts';

const COLUMNS: readonly CsvColumn<ApiKey>[] = [
  { name: 'id', value: ({ id }) => id },
  { name: 'owner_type', value: ({ owner }) => owner.type },
  { name: 'owner_id', value: ({ owner }) => owner.id ?? null },
  ...memberColumns<ApiKey>('name', 'prefix'),
  { name: 'scopes', value: ({ scopes }) => scopes.join(' ') },
  { name: 'allowed_addresses', value: ({ allowed_addresses }) => allowed_addresses?.join(' ') ?? null },
  ...memberColumns<ApiKey>('created_at', 'expires_at', 'last_used_at', 'last_used_address', 'revoked_at'),
];

/** The keys of all owners. */
export function OperatorKeysPage() {
  const { t } = useI18n();
  const texts = KEY_TEXTS[t.language];
  const { filters, set, clear, isFiltered } = useFilters(readKeyFilters);
  const { owner_type, owner_id, ended } = filters;
  const query = useWithPartyNames(useQuery(keysQuery(filters)));
  const { data: brps = [] } = useQuery(brpsQuery);
  const { data: accounts = [] } = useQuery(accountsQuery);
  const owners = { brp: brps, account: accounts, operator: [] };
  const offered = owner_type ? owners[owner_type] : [...brps, ...accounts];
  return (
    <Page
      title={texts.title}
      text={texts.operatorText}
      actions={
        <>
          <ExportButton
            fileName="api-keys"
            columns={COLUMNS}
            rows={(signal) => operatorClient.apiKeys.each(given({ owner_type, owner_id }), { signal })}
          />
          <CreateButton label={KEY_TEXTS[t.language].create} isPrimary needs="admin">
            {(close) => <NewKeyDialog filters={filters} onClose={close} />}
          </CreateButton>
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <SelectFilter
          label={texts.ownerType}
          value={owner_type}
          options={KEY_OWNERS.map((value) => ({ value, label: t.operator.roles[value] }))}
          onChange={(chosen) => set({ owner_type: chosen, owner_id: undefined })}
        />
        <SelectFilter
          label={KEY_TEXTS[t.language].owner}
          value={owner_id}
          options={offered.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(chosen) => set({ owner_id: chosen })}
        />
        <SelectFilter
          label={t.common.status}
          value={ended}
          options={[{ value: 'hidden', label: KEY_TEXTS[t.language].statuses.active }]}
          onChange={(chosen) => set({ ended: chosen })}
        />
      </FilterBar>
      <Panel isFlush>
        <Loaded query={query}>
          {(keys) => (
            <KeyList
              keys={keys}
              isEndedHidden={ended === 'hidden'}
              actions={operatorClient.apiKeys}
              ownerOf={(key) => <KeyOwner apiKey={key} />}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

const NAME = 'hover:underline xl:not-print:truncate';

function KeyOwner({ apiKey: { owner } }: { apiKey: ApiKey }) {
  const { t } = useI18n();
  return (
    <span className="cell xl:not-print:flex-nowrap">
      {owner.type === 'brp' && owner.id && <BrpLink id={owner.id} className={NAME} />}
      {owner.type === 'account' && owner.id && <AccountLink id={owner.id} className={NAME} />}
      <span className="shrink-0 text-xs text-muted">{t.operator.roles[owner.type]}</span>
    </span>
  );
}

type OwnerType = ApiKey['owner']['type'];

/** Creates a key for an owner that is selected first. */
function NewKeyDialog({ filters, onClose }: { filters: KeyFilters; onClose: () => void }) {
  const { t } = useI18n();
  const [type, setType] = useState<OwnerType>(filters.owner_type ?? 'brp');
  const [id, setId] = useState(filters.owner_id ?? '');
  const change = (next: OwnerType) => {
    setType(next);
    setId('');
  };
  return (
    <CreateKeyDialog
      owner={type}
      create={(settings) =>
        operatorClient.apiKeys.create({ ...settings, owner: type === 'operator' ? { type } : { type, id } })
      }
      fields={['owner']}
      isReady={type === 'operator' || id !== ''}
      onClose={onClose}
    >
      <SelectField
        name="owner.type"
        label={KEY_TEXTS[t.language].ownerType}
        value={type}
        options={KEY_OWNERS.map((value) => ({ value, label: t.operator.roles[value] }))}
        onChange={change}
      />
      {type === 'brp' && (
        <BrpField name="owner.id" label={KEY_TEXTS[t.language].owner} value={id} onChange={setId} />
      )}
      {type === 'account' && (
        <AccountField name="owner.id" label={KEY_TEXTS[t.language].owner} value={id} onChange={setId} />
      )}
    </CreateKeyDialog>
  );
}

type PartyKeysProps = { type: 'brp' | 'account'; id: string };

/** The keys of one party, on its own page. */
export function PartyKeys({ type, id }: PartyKeysProps) {
  const { t } = useI18n();
  const query = useQuery(keysQuery({ owner_type: type, owner_id: id }));
  return (
    <Panel
      title={KEY_TEXTS[t.language].title}
      isFlush
      actions={
        <CreateButton label={KEY_TEXTS[t.language].create} needs="admin">
          {(close) => (
            <CreateKeyDialog
              owner={type}
              create={(settings) => operatorClient.apiKeys.create({ ...settings, owner: { type, id } })}
              onClose={close}
            />
          )}
        </CreateButton>
      }
    >
      <Loaded query={query} loading={<Skeleton lines={2} />}>
        {(keys) => <KeyList keys={keys} actions={operatorClient.apiKeys} hasScopes={type === 'brp'} />}
      </Loaded>
    </Panel>
  );
}
