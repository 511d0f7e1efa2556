import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Deadline, deadlineOf } from '../calendar/deadlines.ts';
import { deliveryDayQuery } from '../calendar/queries.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { nominationsInStateQuery } from '../nominations/queries.ts';
import type { Rejections } from '../nominations/rejections.ts';
import { useGroupLabels } from '../references/group-name.tsx';
import { NominationLink, NominationsLink, useRolePath } from '../references/links.tsx';
import { useIsPast, useServerMinute } from '../session/server-clock.ts';
import { useSession } from '../session/session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, type ShownQuery, Skeleton } from '../ui/states.tsx';
import { Countdown, Instant } from '../ui/time.tsx';
import {
  type AttentionItem,
  byUrgency,
  type Due,
  itemOfCount,
  itemsOfNominations,
} from './attention-items.ts';
import { pendingCustomersQuery } from './queries.ts';

/** Kinds that only one role has: alarms of the operator, rejected and changed nominations of a BRP. */
type OwnKind = 'alarm' | 'rejected' | 'changed';
const OWN_KINDS: readonly AttentionItem['kind'][] = ['alarm', 'rejected', 'changed'] satisfies OwnKind[];
const isOwnKind = (kind: AttentionItem['kind']): kind is OwnKind => OWN_KINDS.includes(kind);

/** Maximum number of items shown at first. */
const MAX_SHOWN = 12;

type Kind = Exclude<AttentionItem['kind'], OwnKind>;

const TONES: Readonly<Record<Kind, Tone>> = {
  mismatch: 'bad',
  unsent: 'warn',
  unanswered: 'warn',
  volumes: 'warn',
  customers: 'warn',
};

/** What needs a person, most urgent first, each with its deadline and the next step. */
function AttentionList({ due, ownRow }: { due: readonly Due[]; ownRow: OwnRow }) {
  const { t } = useI18n();
  const [areAllShown, setAreAllShown] = useState(false);
  if (due.length === 0) return <EmptyState title={t.attention.nothing} text={t.attention.nothingText} />;
  return (
    <>
      <ol aria-label={t.brp.home.attention} className="divide-y divide-line">
        {due.slice(0, areAllShown ? undefined : MAX_SHOWN).map((item) =>
          isOwnKind(item.kind) ? (
            <li key={keyOf(item)}>{ownRow(item)}</li>
          ) : (
            <li key={`${item.kind} ${item.day}`}>
              <AttentionRow kind={item.kind} item={item} />
            </li>
          ),
        )}
      </ol>
      {due.length > MAX_SHOWN && !areAllShown && (
        <div className="border-t border-line px-4 py-2">
          <Button onClick={() => setAreAllShown(true)}>{t.brp.home.more(due.length - MAX_SHOWN)}</Button>
        </div>
      )}
    </>
  );
}

const keyOf = ({ kind, alarms, schedule, rejection }: Due): string =>
  `${kind} ${alarms[0]?.id ?? schedule?.nomination_id ?? rejection?.nomination_id}`;

type AttentionQuery = ShownQuery<readonly AttentionItem[]>;

/** Items of several queries, when all of them are known. */
export const itemsOf = (
  queries: readonly ShownQuery<unknown>[],
  items: () => readonly AttentionItem[],
): AttentionQuery => ({
  data: queries.every(({ data }) => data !== undefined) ? items() : undefined,
  error: queries.find(({ error }) => error !== null)?.error ?? null,
  refetch: () => Promise.all(queries.map(({ refetch }) => refetch())),
});

const NONE = { records: [], hasMore: false };

const NONE_REJECTED: Rejections = new Map();

/**
 * What both roles wait for: nominations and customers. `max` is the number of nominations of each kind that are read. The
 * TSO has answered those in `rejected`.
 */
export function useCommonAttention(today: DeliveryDay, max: number, rejected = NONE_REJECTED) {
  const mismatched = useQuery(nominationsInStateQuery(today, 'partial_match', max));
  const pending = useQuery(nominationsInStateQuery(today, 'pending', max));
  const waiting = useQuery(pendingCustomersQuery);
  return {
    nominations: itemsOf([mismatched, pending], () =>
      itemsOfNominations(mismatched.data ?? NONE, pending.data ?? NONE, today, rejected),
    ),
    customers: itemsOf([waiting], () => {
      const { records, hasMore } = waiting.data ?? NONE;
      return itemOfCount('customers', records.length, { hasMore });
    }),
  };
}

/** The row of a kind that only one role has. */
type OwnRow = (item: Due) => ReactNode;

type PanelProps = {
  title: string;
  ownRow: OwnRow;
  query: ShownQuery<readonly Due[]>;
};

export function AttentionPanel({ title, query, ownRow }: PanelProps) {
  return (
    <Panel title={title} isFlush>
      <div aria-live="polite">
        <Loaded query={query} loading={<Skeleton lines={4} />}>
          {(due) => <AttentionList due={due} ownRow={ownRow} />}
        </Loaded>
      </div>
    </Panel>
  );
}

const NO_ITEMS: readonly AttentionItem[] = [];

/** The items with their deadlines, most urgent first. Without data until the deadlines are known: they would move the page. */
export function useDue({ data, ...query }: AttentionQuery): ShownQuery<readonly Due[]> {
  const now = useServerMinute();
  const items = data ?? NO_ITEMS;
  const days = [...new Set(items.flatMap(({ day }) => day ?? []))];
  const calendars = useQueries({ queries: days.map((day) => deliveryDayQuery(day)) });
  const due = items.map((item): Due => {
    const calendar = item.day === null ? undefined : calendars[days.indexOf(item.day)]?.data;
    return { ...item, deadline: calendar ? deadlineOf(calendar, item, now) : null };
  });
  const isKnown = data !== undefined && calendars.every(({ isPending }) => !isPending);
  return { ...query, data: isKnown ? byUrgency(due) : undefined };
}

function AttentionRow({ kind, item }: { kind: Kind; item: Due }) {
  const { t, format } = useI18n();
  const { role } = useSession().user;
  const isOperator = role === 'operator';
  const { day, deadline } = item;
  const isLost = kind === 'mismatch' && deadline === null;
  const steps = isOperator ? t.attention.operatorSteps : t.attention.brpSteps;
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 px-4 py-2.5 text-sm">
      <div className="grid min-w-0 flex-1 basis-80 gap-0.5">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={TONES[kind]}>{t.attention.kinds[kind]}</Badge>
          <ItemLink item={item} />
          {day !== null && <span className="text-muted">{format.day(day)}</span>}
        </p>
        <p className="text-muted">{isLost ? t.attention.settled : steps[kind]}</p>
        {kind === 'mismatch' && deadline !== null && <StillChangeable deadline={deadline} />}
      </div>
      {deadline !== null && <DeadlineTime deadline={deadline} />}
    </div>
  );
}

/** What of a mismatch can still be changed, once something of its day has closed. */
export function StillChangeable({ deadline: { changeable, affected } }: { deadline: Deadline }) {
  const { t } = useI18n();
  if (changeable === affected) return null;
  return (
    <p>{changeable === 0 ? t.attention.onlyWithinArea : t.attention.changeable(changeable, affected)}</p>
  );
}

export function DeadlineTime({ deadline: { at, waitsUntil } }: { deadline: Deadline }) {
  const { t, format } = useI18n();
  if (useIsPast(at)) return <span className="text-muted">{t.brp.home.gateClosed}</span>;
  return (
    <span className="grid sm:justify-items-end">
      <span className="font-medium">
        <Countdown until={at} done={t.brp.home.gateClosed} />
      </span>
      <span className="text-xs text-muted">
        {`${t.attention.deadline} `}
        <Instant at={new Date(at).toISOString()} />
      </span>
      {waitsUntil !== null && (
        <span className="text-xs text-muted">{t.attention.waiting(format.time(waitsUntil))}</span>
      )}
    </span>
  );
}

const LINK = 'font-medium text-accent-strong hover:underline';

/** The record, or the list of the day. */
export function ItemLink({ item }: { item: AttentionItem }) {
  const { kind, day, count, hasMore, nomination, rejection } = item;
  const { t } = useI18n();
  const orMore = (text: string) => (hasMore ? t.attention.moreThan(text) : text);
  const rolePath = useRolePath();
  const labelOf = useGroupLabels();
  if (kind === 'customers')
    return (
      <Link to={`${rolePath}/customers`} search={{ status: 'pending' }} className={LINK}>
        {orMore(t.attention.customers(count))}
      </Link>
    );
  if (kind === 'volumes')
    return (
      <Link to="/operator/import" className={LINK}>
        {t.attention.contracts(count)}
      </Link>
    );
  if (nomination !== null) {
    const { eic, tso, direction, id } = nomination;
    return (
      <NominationLink id={id} className={LINK}>
        {`${labelOf(eic)} · ${t.common.tsos[tso]} · ${t.common.directions[direction]}`}
      </NominationLink>
    );
  }
  const status = kind === 'mismatch' ? 'partial_match' : 'pending';
  return (
    <NominationsLink
      search={{ ...(day === null ? {} : { day }), status, ...(rejection && { tso: rejection.tso }) }}
      className={LINK}
    >
      {orMore(t.attention.nominations(count))}
    </NominationsLink>
  );
}
