import { type Customer, LIMITS } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { useId, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConflictNotice } from '../ui/conflict.tsx';
import { Form, inputClass } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { useToast } from '../ui/toast.tsx';
import { typing } from '../ui/typing.ts';
import { useOthersChange } from '../ui/use-input.ts';
import { describeCustomer, useCustomerUpdate } from './customer-update.ts';
import { duplicateIds, entriesOf, type MetadataEntry, metadataChange, rebasedEntries } from './metadata.ts';
import { CUSTOMER_TEXTS } from './texts.ts';

type Props = { customer: Customer; etag: string | null };

/** Editor of the BRP's own key-value pairs. Only changes are sent. */
export function MetadataEditor({ customer, etag }: Props) {
  const { t } = useI18n();
  const mayChange = usePermission('member');
  return (
    <Panel
      title={CUSTOMER_TEXTS[t.language].metadata}
      text={CUSTOMER_TEXTS[t.language].metadataText(LIMITS.metadata.keys)}
    >
      {mayChange ? <EditorForm customer={customer} etag={etag} /> : <ReadOnly metadata={customer.metadata} />}
    </Panel>
  );
}

function ReadOnly({ metadata }: Pick<Customer, 'metadata'>) {
  const { t } = useI18n();
  const entries = entriesOf(metadata);
  if (entries.length === 0)
    return <p className="text-sm text-muted">{CUSTOMER_TEXTS[t.language].emptyMetadata}</p>;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
      {entries.map(({ key, value }) => (
        <div key={key} className="contents">
          <dt className="text-muted">{key}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function EditorForm({ customer, etag }: Props) {
  const { t } = useI18n();
  const toast = useToast();
  const [entries, setEntries] = useState(() => entriesOf(customer.metadata));
  const update = useCustomerUpdate(() => toast(CUSTOMER_TEXTS[t.language].saved));
  const change = metadataChange(customer.metadata, entries);
  const isChanged = Object.keys(change).length > 0;
  const started = useOthersChange(customer, {
    isChangedFrom: ({ metadata }) => Object.keys(metadataChange(metadata, entries)).length > 0,
    rebase: (base, stored) => {
      // Entries that stay the same keep the focus.
      if (Object.keys(metadataChange(base.metadata, entriesOf(stored.metadata))).length > 0)
        setEntries(rebasedEntries(base.metadata, entries, stored.metadata));
    },
  });
  const duplicates = duplicateIds(entries);
  const edit = (id: number, part: Partial<MetadataEntry>) =>
    setEntries((now) => now.map((entry) => (entry.id === id ? { ...entry, ...part } : entry)));
  const add = () => setEntries([...entries, { id: Date.now(), key: '', value: '' }]);
  const problems = isProblem(update.error) ? update.error.errors : [];
  const errorOf = ({ id, key }: MetadataEntry): string | null => {
    if (duplicates.has(id)) return CUSTOMER_TEXTS[t.language].duplicateKey;
    const found = problems.find(({ field }) => field === `metadata.${key}`);
    return found?.message ?? null;
  };
  const fields = entries.map(({ key }) => `metadata.${key}`);
  return (
    <Form
      error={update.error}
      fields={fields}
      isUnsaved={isChanged}
      onSubmit={() => update.mutate({ customer, etag, change: { metadata: change } })}
    >
      <ConflictNotice
        recordId={customer.id}
        started={started}
        current={customer}
        describe={describeCustomer(t)}
        onReset={() => setEntries(entriesOf(customer.metadata))}
      />
      {entries.length === 0 && (
        <p className="text-sm text-muted">{CUSTOMER_TEXTS[t.language].emptyMetadata}</p>
      )}
      <div className="grid gap-2">
        {entries.map((entry, index) => (
          <EntryRow
            key={entry.id}
            entry={entry}
            row={index + 1}
            error={errorOf(entry)}
            onEdit={(part) => edit(entry.id, part)}
            onRemove={() => setEntries(entries.filter(({ id }) => id !== entry.id))}
          />
        ))}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          variant="primary"
          disabled={!isChanged || duplicates.size > 0}
          isBusy={update.isPending}
        >
          {t.common.save}
        </Button>
        <Button icon="plus" disabled={entries.length >= LIMITS.metadata.keys} onClick={add}>
          {CUSTOMER_TEXTS[t.language].addMetadata}
        </Button>
      </div>
    </Form>
  );
}

type RowProps = {
  entry: MetadataEntry;
  row: number;
  error: string | null;
  onEdit: (part: Partial<MetadataEntry>) => void;
  onRemove: () => void;
};

function EntryRow({ entry, row, error, onEdit, onRemove }: RowProps) {
  const { t } = useI18n();
  const errorId = useId();
  const fault = { 'aria-invalid': true, 'aria-describedby': errorId } as const;
  return (
    <div className="grid gap-1">
      <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] gap-2">
        <input
          aria-label={CUSTOMER_TEXTS[t.language].metadataKeyOf(row)}
          placeholder={CUSTOMER_TEXTS[t.language].metadataKey}
          className={inputClass(error !== null)}
          {...(error === null ? {} : fault)}
          value={entry.key}
          {...typing((key) => onEdit({ key }))}
        />
        <input
          aria-label={CUSTOMER_TEXTS[t.language].metadataValueOf(row)}
          placeholder={CUSTOMER_TEXTS[t.language].metadataValue}
          className={inputClass(error !== null)}
          {...(error === null ? {} : fault)}
          value={entry.value}
          {...typing((value) => onEdit({ value }))}
        />
        <IconButton
          icon="trash"
          label={CUSTOMER_TEXTS[t.language].removeMetadata(entry.key)}
          onClick={onRemove}
        />
      </div>
      {error && (
        <p id={errorId} role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
