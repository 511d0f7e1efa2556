import type { EventData, UserRole } from '@saldo/api';
import type { I18n } from '../i18n/i18n.tsx';
import { reader } from '../session/reader.ts';
import { NOTIFIED } from './notified.ts';

/** Older events of the same moment are not counted. */
const MAX_EVENTS = 100;

type Notifiable = { readonly id: string; readonly occurred_at: string } & (
  | { readonly type: 'nomination.gate_closing'; readonly data: EventData<'nomination.gate_closing'> }
  | { readonly type: 'nomination.mismatched'; readonly data: EventData<'nomination.mismatched'> }
);

type Context = Pick<I18n, 't' | 'format'> & {
  readonly role: UserRole;
  /** Earlier events are known. */
  readonly since: number;
  readonly open: (path: string) => void;
};

/** Ids of the events that were looked at. Sequences would not do: users who sign in one after the other count their own. */
const seen = new Set<string>();

/** Events up to now are not shown: they happened before the user turned notifications on. */
export async function skipPastEvents(): Promise<void> {
  const { events } = await reader().events.list({
    types: [...NOTIFIED],
    order: 'newest_first',
    limit: MAX_EVENTS,
  });
  for (const { id } of events) seen.add(id);
}

/** Shows one notification for all new events of a type and a delivery day. */
export async function notifyOfNewEvents({ t, format, role, since, open }: Context): Promise<void> {
  const { events } = await reader().events.list({
    types: [...NOTIFIED],
    order: 'newest_first',
    limit: MAX_EVENTS,
  });
  const newest = (events as readonly Notifiable[]).filter(
    ({ id, occurred_at }) => !seen.has(id) && Date.parse(occurred_at) >= since,
  );
  for (const { id } of newest) seen.add(id);
  const texts = t.activity.notifications;
  const titleOf = ({ type, data }: Notifiable) =>
    type === 'nomination.gate_closing' ? texts.gate(data.minutes_left) : texts.mismatch;
  const groups = Map.groupBy(newest, (event) => `${titleOf(event)} ${event.data.delivery_date}`);
  for (const [tag, group] of groups) {
    const first = group[0];
    if (!first) continue;
    const { delivery_date: day, id } = first.data;
    const body = `${format.day(day)} · ${t.attention.nominations(group.length)}`;
    // The tag lets the browser show it once, however many windows are open.
    const notification = new Notification(titleOf(first), { body, tag, icon: '/favicon.svg' });
    const list = role === 'operator' ? '/operator/nominations' : '/nominations';
    notification.addEventListener('click', () => {
      window.focus();
      open(group.length === 1 ? `${list}/${id}` : `${list}?day=${day}`);
      notification.close();
    });
  }
}
