import { LIMITS, type UserRole } from '@saldo/api';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useGroupNames } from '../references/group-name.tsx';
import { useToday } from '../session/server-clock.ts';
import { useSession } from '../session/session.ts';
import { cx } from '../ui/cx.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FormProblem, inputClass } from '../ui/form.tsx';
import { Icon } from '../ui/icons.tsx';
import type { NavigationItem } from '../ui/navigation-item.ts';
import { recentPages } from '../ui/recent-pages.ts';
import { useViewsOf } from '../ui/saved-views.ts';
import { useTheme } from '../ui/theme.ts';
import { useSettled } from '../ui/use-settled.ts';
import { entriesOf } from './entries.ts';
import {
  firstGroups,
  type GroupText,
  type Option,
  type OptionGroup,
  recordGroup,
  typedGroups,
} from './options.ts';
import { commonSources, findRecords, type Sources } from './sources.ts';
import { SEARCH_TEXTS } from './texts.ts';
import { useOpen } from './use-open.ts';

/** The client of another role is not loaded. */
const SOURCES: Readonly<Record<UserRole, (queryClient: QueryClient) => Promise<Sources>>> = {
  brp: async () => commonSources(''),
  operator: async () => (await import('./operator-sources.ts')).sources,
  account: async (queryClient) => (await import('./account-sources.ts')).accountSources(queryClient),
};

/** Shorter texts match nearly every record. */
const MIN_LENGTH = 2;

/** The records of a typed text. `records` belong to exactly this text: those of an earlier one are never returned. */
function useFound(role: UserRole, typed: string) {
  const { t, language } = useI18n();
  const queryClient = useQueryClient();
  const settled = useSettled(typed);
  const isSearched = typed.length >= MIN_LENGTH;
  const isSettled = settled === typed;
  const query = useQuery({
    queryKey: ['search', role, language, typed],
    queryFn: async ({ signal }) => findRecords(await SOURCES[role](queryClient), typed, t, signal),
    enabled: isSearched && isSettled,
    refetchInterval: false,
  });
  return {
    records: isSearched ? (query.data ?? []) : [],
    isSearching: isSearched && (!isSettled || query.isFetching) && query.data === undefined,
    error: query.error,
  };
}

function useGroupText(): GroupText {
  const nameOf = useGroupNames();
  return (eic) => {
    const name = nameOf(eic);
    return name === undefined ? eic : `${name} (${eic})`;
  };
}

/** All results of a text: pages and actions at once, then records. Without a text, what the user is likely to open. */
function useGroups(typed: string, navigation: readonly NavigationItem[]) {
  const { t, format } = useI18n();
  const { user, demo } = useSession();
  const today = useToday();
  const theme = useTheme();
  const groupText = useGroupText();
  const openPath = useRouterState({ select: ({ location }) => location.pathname });
  const { records, isSearching, error } = useFound(user.role, typed);
  const recent = useMemo(() => recentPages(user.id), [user.id]);
  const views = useViewsOf(user.id);
  const known = {
    entries: entriesOf({ ...user, isInDemo: demo }, navigation, t, theme),
    navigation,
    recent,
    views,
  };
  const texts = { t, format };
  const groups =
    typed === ''
      ? firstGroups(known, openPath, texts)
      : [
          ...typedGroups(known, typed, today, texts),
          ...records.map((group) => recordGroup(group, SEARCH_TEXTS[t.language], groupText)),
        ];
  return { groups, isSearching, error, open: useOpen(today) };
}

type Props = { navigation: readonly NavigationItem[]; onClose: () => void };

/** Finds pages, actions, days, TSOs and records. */
export function SearchDialog({ navigation, onClose }: Props) {
  const { t } = useI18n();
  const texts = SEARCH_TEXTS[t.language];
  const isAccount = useSession().user.role === 'account';
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const typed = text.trim();
  const { groups, isSearching, error, open } = useGroups(typed, navigation);
  const options = groups.flatMap((group) => group.options);
  const active = Math.min(chosen, options.length - 1);
  const openOption = ({ target, given }: Option) => {
    onClose();
    void ('link' in target ? navigate(target.link) : open(target, given));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const option = options[active];
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      setChosen((active + step + options.length) % options.length);
    } else if (event.key === 'Enter' && option) {
      event.preventDefault();
      openOption(option);
    }
  };
  const remark = isSearching
    ? t.common.searching
    : typed === ''
      ? isAccount
        ? texts.accountHint
        : texts.hint
      : options.length === 0
        ? t.search.nothing
        : texts.count(options.filter(({ label }) => label !== texts.all).length);
  return (
    <Dialog title={t.search.title} onClose={onClose}>
      <div className="grid gap-3">
        <input
          type="text"
          role="combobox"
          aria-label={t.search.title}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-expanded={options.length > 0}
          aria-controls={options.length > 0 ? listId : undefined}
          aria-activedescendant={options.length > 0 ? `${listId}-${active}` : undefined}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          placeholder={isAccount ? texts.accountPlaceholder : texts.placeholder}
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
        {/* Fixed heights, also of the remark: the dialog is centred, and would jump with every result. */}
        <div className="h-[min(22rem,45dvh)] overflow-y-auto">
          {options.length > 0 && <Results id={listId} groups={groups} active={active} onOpen={openOption} />}
        </div>
        <div className="flex min-h-8 flex-wrap content-start justify-between gap-x-4 text-xs text-muted">
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
  const { t } = useI18n();
  const all = groups.flatMap(({ options }) => options);
  return (
    <div id={id} role="listbox" aria-label={SEARCH_TEXTS[t.language].results} className="grid gap-2">
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
        'flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm touch:min-h-10',
        isActive ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
      // Keeps the focus in the field.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => onOpen(option)}
    >
      {option.icon && <Icon name={option.icon} className="size-4 shrink-0 text-muted" />}
      <span className="grid min-w-0">
        <span className="truncate font-medium">{option.label}</span>
        {option.detail !== '' && <span className="truncate text-xs text-muted">{option.detail}</span>}
      </span>
    </div>
  );
}
