import { LIMITS } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useQuery } from '@tanstack/react-query';
import { type LinkOptions, linkOptions, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { type I18n, useI18n } from '../i18n/i18n.tsx';
import { useGroupNames } from '../references/group-name.tsx';
import { cx } from '../ui/cx.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FormProblem, inputClass } from '../ui/form.tsx';
import { parseTypedDay } from '../ui/typed-date.ts';
import { useSettled } from '../ui/use-settled.ts';
import { commonSources, type FoundGroup, findRecords, type Sources } from './sources.ts';
import { SEARCH_TEXTS } from './texts.ts';

type Role = 'brp' | 'operator';

/** The client of the other role is not loaded. */
const SOURCES: Readonly<Record<Role, () => Promise<Sources>>> = {
  brp: async () => commonSources(''),
  operator: async () => (await import('./operator-sources.ts')).sources,
};

/** Shorter texts match nearly every record. */
const MIN_LENGTH = 2;

/** The records of a typed text. `groups` belong to exactly this text: those of an earlier one are never returned. */
function useFound(role: Role, typed: string) {
  const { t, language } = useI18n();
  const settled = useSettled(typed);
  const isSearched = typed.length >= MIN_LENGTH;
  const isSettled = settled === typed;
  const query = useQuery({
    queryKey: ['search', role, language, typed],
    queryFn: async ({ signal }) => findRecords(await SOURCES[role](), typed, t, signal),
    enabled: isSearched && isSettled,
    refetchInterval: false,
  });
  return {
    groups: isSearched ? (query.data ?? []) : [],
    isSearching: isSearched && (!isSettled || query.isFetching) && query.data === undefined,
    error: query.error,
  };
}

const dayGroup = (role: Role, day: DeliveryDay, { format }: I18n): FoundGroup => {
  const texts = SEARCH_TEXTS[format.language];
  const search = { day };
  const nominations = linkOptions({ to: role === 'brp' ? '/nominations' : '/operator/nominations', search });
  const messages = linkOptions({ to: '/operator/messages', search });
  return {
    name: 'days',
    all: null,
    found: [
      { label: texts.nominationsOf(format.day(day)), detail: '', page: nominations },
      ...(role === 'brp' ? [] : [{ label: texts.messagesOf(format.day(day)), detail: '', page: messages }]),
    ],
  };
};

type Option = { readonly label: string; readonly detail: string; readonly page: LinkOptions };
type OptionGroup = { readonly label: string; readonly options: readonly Option[] };

/** The options of a group; the last one leads to the list if the list has more records. */
const optionGroup = ({ name, found, all }: FoundGroup, { format }: I18n, groupOf: GroupText): OptionGroup => {
  const texts = SEARCH_TEXTS[format.language];
  const options = found.map(({ label, detail, eic, page }) => ({
    label,
    detail: [...(eic === undefined ? [] : [groupOf(eic)]), detail].filter((part) => part !== '').join(' · '),
    page,
  }));
  return {
    label: texts.groups[name],
    options: all === null ? options : [...options, { label: texts.all, detail: '', page: all }],
  };
};

type GroupText = (eic: string) => string;

/** The name of a balance group and its EIC, by which it may have been searched. */
function useGroupText(): GroupText {
  const nameOf = useGroupNames();
  return (eic) => {
    const name = nameOf(eic);
    return name === undefined ? eic : `${name} (${eic})`;
  };
}

export function SearchDialog({ role, onClose }: { role: Role; onClose: () => void }) {
  const i18n = useI18n();
  const { t } = i18n;
  const texts = SEARCH_TEXTS[i18n.format.language];
  const navigate = useNavigate();
  const listId = useId();
  const groupText = useGroupText();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const typed = text.trim();
  const { groups: records, isSearching, error } = useFound(role, typed);
  const day = parseTypedDay(typed);
  const found = [...(day === null ? [] : [dayGroup(role, day, i18n)]), ...records];
  const groups = found.map((group) => optionGroup(group, i18n, groupText));
  const options = groups.flatMap((group) => group.options);
  // Without the links to lists.
  const count = found.reduce((sum, group) => sum + group.found.length, 0);
  const active = Math.min(chosen, options.length - 1);
  const openPage = ({ page }: Option) => {
    onClose();
    void navigate(page);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const option = options[active];
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      setChosen((active + step + options.length) % options.length);
    } else if (event.key === 'Enter' && option) {
      event.preventDefault();
      openPage(option);
    }
  };
  const remark = isSearching
    ? t.common.searching
    : typed.length < MIN_LENGTH
      ? texts.hint
      : options.length === 0
        ? t.search.nothing
        : texts.count(count);
  return (
    <Dialog title={t.search.title} onClose={onClose}>
      <div className="grid gap-3">
        <input
          type="text"
          role="combobox"
          aria-label={t.search.title}
          aria-autocomplete="list"
          aria-expanded={options.length > 0}
          aria-controls={options.length > 0 ? listId : undefined}
          aria-activedescendant={options.length > 0 ? `${listId}-${active}` : undefined}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          placeholder={texts.placeholder}
          maxLength={LIMITS.searchLength}
          className={inputClass()}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <FormProblem error={error} />
        {/* A fixed height: the dialog is centred, and would jump with every result. */}
        <div className="h-[min(22rem,45dvh)] overflow-y-auto">
          {options.length > 0 && <Results id={listId} groups={groups} active={active} onOpen={openPage} />}
        </div>
        <div className="flex flex-wrap justify-between gap-x-4 gap-y-1 text-xs text-muted">
          <p role="status">{remark}</p>
          <p aria-hidden="true" className="hidden sm:block">
            {texts.keys}
          </p>
        </div>
      </div>
    </Dialog>
  );
}

type ResultsProps = {
  id: string;
  groups: readonly OptionGroup[];
  active: number;
  onOpen: (option: Option) => void;
};

function Results({ id, groups, active, onOpen }: ResultsProps) {
  const { format } = useI18n();
  const all = groups.flatMap(({ options }) => options);
  return (
    <div id={id} role="listbox" aria-label={SEARCH_TEXTS[format.language].results} className="grid gap-2">
      {groups.map(({ label, options }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a listbox
        <div key={label} role="group" aria-label={label}>
          <p aria-hidden="true" className="px-2.5 py-1 text-xs font-medium text-muted">
            {label}
          </p>
          {options.map((option) => {
            const at = all.indexOf(option);
            return (
              <ResultOption
                key={at}
                id={`${id}-${at}`}
                option={option}
                isActive={at === active}
                onOpen={onOpen}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

type OptionProps = { id: string; option: Option; isActive: boolean; onOpen: (option: Option) => void };

function ResultOption({ id, option, isActive, onOpen }: OptionProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      className={cx(
        'grid cursor-pointer rounded-md px-2.5 py-1.5 text-sm',
        isActive ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
      // Keeps the focus in the field.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => onOpen(option)}
    >
      <span className="truncate font-medium">{option.label}</span>
      {option.detail !== '' && <span className="truncate text-xs text-muted">{option.detail}</span>}
    </div>
  );
}
