import { EVENT_TYPES_OF, type EventReader, type EventType, type SaldoEvent } from '@saldo/api';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { keyNamesQuery } from '../keys/queries.ts';
import { useWithGroupNames } from '../references/group-name.tsx';
import { useOnChange } from '../session/live-refresh.ts';
import { useFilters } from '../ui/address.ts';
import { cx } from '../ui/cx.ts';
import { FilterBar, SelectFilter } from '../ui/filters.tsx';
import { Icon } from '../ui/icons.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { readActivitySearch } from './filters.ts';
import { type EventGroup, groupEvents } from './groups.ts';
import { KeysContext } from './keys-context.ts';
import { activityQuery } from './queries.ts';
import { Sentence } from './sentence.tsx';
import { ACTIVITY_TEXTS } from './texts.ts';

/** The events of the user's BRP or of the operator, newest first. New ones appear by themselves. */
function ActivityPage({ role }: { role: EventReader }) {
  const { t, format } = useI18n();
  const texts = ACTIVITY_TEXTS[format.language];
  const { filters, set, clear, isFiltered } = useFilters(readActivitySearch);
  // Events name keys and balance groups: a name that arrives later would move the list.
  const { data: keys = [], isPending: areKeysPending } = useQuery(keyNamesQuery(role));
  const choices = useTypeChoices(role);
  const chosen = choices.find(({ value }) => value === filters.types)?.value;
  const query = useLiveActivity(chosen);
  const named = { ...query, ...useWithGroupNames(query) };
  return (
    <Page title={t.activity.title} text={texts.text}>
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <SelectFilter
          label={texts.type}
          value={chosen}
          options={choices}
          onChange={(types) => set({ types })}
        />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={areKeysPending ? { ...named, data: undefined } : named}
          recordsOf={(page) => page.events}
          empty={<EmptyState title={texts.empty} text={texts.emptyText} />}
        >
          {(events) => (
            <KeysContext value={keys}>
              <EventList events={events} />
            </KeysContext>
          )}
        </PagedList>
      </Panel>
    </Page>
  );
}

export const BrpActivityPage = () => <ActivityPage role="brp" />;
export const OperatorActivityPage = () => <ActivityPage role="operator" />;

type EventSubject = keyof (typeof ACTIVITY_TEXTS)['en']['subjects'];
const subjectOf = (type: string) => type.slice(0, type.indexOf('.')) as EventSubject;

function useTypeName(): (type: EventType) => string {
  const { subjects, types } = ACTIVITY_TEXTS[useI18n().format.language];
  return (type) => `${subjects[subjectOf(type)]}: ${types[type]}`;
}

/** Subjects with more than one type can be chosen as a whole. */
function useTypeChoices(role: EventReader) {
  const { format } = useI18n();
  const { subjects } = ACTIVITY_TEXTS[format.language];
  const nameOf = useTypeName();
  const ofRole = EVENT_TYPES_OF[role];
  const bySubject = Object.entries(Object.groupBy(ofRole, subjectOf));
  return bySubject.flatMap(([subject, ofSubject]) => {
    const single = ofSubject.map((type) => ({ value: type as string, label: nameOf(type) }));
    return single.length === 1
      ? single
      : [{ value: `${subject}.*`, label: subjects[subject as EventSubject] }, ...single];
  });
}

function useLiveActivity(types: string | undefined) {
  const queryClient = useQueryClient();
  const options = activityQuery(types);
  const query = useInfiniteQuery(options);
  const readNewer = useEffectEvent(async () => {
    // The first answer, if it is under way, may be older than what has changed.
    const { data: known } = query.data === undefined ? await query.refetch({ cancelRefetch: false }) : query;
    if (known === undefined) return;
    const { data } = await query.fetchPreviousPage();
    if (data?.pages[0]?.hasMoreNewer) await queryClient.resetQueries({ queryKey: options.queryKey });
  });
  // The page may have been open before.
  useEffect(() => {
    if (query.data !== undefined) void readNewer();
  }, []);
  useOnChange(() => void readNewer());
  return query;
}

function EventList({ events }: { events: readonly SaldoEvent[] }) {
  const { t } = useI18n();
  return (
    <ol aria-label={t.activity.title} className="divide-y divide-line">
      {groupEvents(events).map((group) => (
        <li key={group.key}>
          {group.events.length === 1 ? <Events events={group.events} /> : <Group group={group} />}
        </li>
      ))}
    </ol>
  );
}

const LINE = 'flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2.5 text-sm';

const Events = ({ events }: { events: readonly SaldoEvent[] }) =>
  events.map((event) => (
    <div key={event.id} className={LINE}>
      <span className="w-36 shrink-0 text-xs text-muted">
        <Instant at={event.occurred_at} />
      </span>
      <span className="min-w-0 flex-1 basis-64 break-words">
        <Sentence event={event} />
      </span>
    </div>
  ));

/** One line for many events of a type. Its events are made when it is opened: their names are read one by one. */
function Group({ group: { type, events } }: { group: EventGroup }) {
  const { format } = useI18n();
  const texts = ACTIVITY_TEXTS[format.language];
  const [isOpen, setIsOpen] = useState(false);
  const nameOf = useTypeName();
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className={cx(LINE, 'hover:bg-sunken/70')}>
        <span className="w-36 shrink-0 text-xs text-muted">
          <Instant at={events[0]!.occurred_at} />
        </span>
        <span className="min-w-0 flex-1 basis-64 font-medium break-words">
          {`${nameOf(type)} · ${texts.events(format.number(events.length))} `}
          <Icon name={isOpen ? 'down' : 'right'} className="inline size-3.5 text-muted" />
        </span>
      </summary>
      {isOpen && (
        <div className="divide-y divide-line border-t border-line bg-sunken/50">
          <Events events={events} />
        </div>
      )}
    </details>
  );
}
