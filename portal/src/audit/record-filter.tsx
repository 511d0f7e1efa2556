import { LIMITS } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { useSettled } from '../ui/use-settled.ts';
import { AUDIT_PAGE_TEXTS } from './page-texts.ts';
import { type FoundRecord, nameQuery, recordsQuery, type SearchedRecords } from './records.ts';

type Props = {
  label: string;
  searched: SearchedRecords;
  /** The id of the chosen record. */
  value: string | undefined;
  onChange: (id: string | undefined) => void;
};

/** Chooses the actor or the object of entries by its name. A complete id, or the name of a job, is taken as it is typed. */
export function RecordFilter({ value, onChange, ...rest }: Props) {
  const field = useRef<HTMLDivElement>(null);
  const wasCleared = useRef(false);
  useEffect(() => {
    if (value !== undefined || !wasCleared.current) return;
    wasCleared.current = false;
    field.current?.querySelector('input')?.focus();
  }, [value]);
  const clear = () => {
    wasCleared.current = true;
    onChange(undefined);
  };
  return (
    <div ref={field} className="grid w-56 gap-0.5">
      <span aria-hidden="true" className="text-xs text-muted">
        {rest.label}
      </span>
      {value === undefined ? <Choice onChange={onChange} {...rest} /> : <Chosen id={value} onClear={clear} />}
    </div>
  );
}

function Chosen({ id, onClear }: { id: string; onClear: () => void }) {
  const { t } = useI18n();
  const { data: name = id } = useQuery(nameQuery(id));
  return (
    <Button icon="close" title={id} onClick={onClear}>
      <span className="sr-only">{AUDIT_PAGE_TEXTS[t.language].remove} </span>
      <span className="truncate">{name}</span>
    </Button>
  );
}

function Choice({ label, searched, onChange }: Omit<Props, 'value'>) {
  const { t } = useI18n();
  const texts = AUDIT_PAGE_TEXTS[t.language];
  const [text, setText] = useState('');
  const settled = useSettled(text).trim();
  const [isUsed, setIsUsed] = useState(false);
  const { data } = useQuery({ ...recordsQuery(searched, settled), enabled: isUsed || settled !== '' });
  const isCurrent = data !== undefined && settled === text.trim();
  const labelOf = ({ kind, name, detail }: FoundRecord) =>
    [texts.kinds[kind], name, detail].filter(Boolean).join(' · ');
  const typed = settled === '' ? [] : [{ value: settled, label: texts.exactly(settled) }];
  const options = isCurrent
    ? [...data.records.map((record) => ({ value: record.id, label: labelOf(record) })), ...typed]
    : null;
  return (
    // Most visits use no filter: its records are read when it has the focus.
    <div onFocus={() => setIsUsed(true)}>
      <SearchField
        name={searched}
        label={label}
        isLabelHidden
        placeholder={texts.hints[searched]}
        maxLength={LIMITS.searchLength}
        options={options}
        hasMore={data?.hasMore ?? false}
        onSearch={setText}
        onChange={(id) => id !== '' && onChange(id)}
      />
    </div>
  );
}
