import { useI18n } from '../i18n/i18n.tsx';
import { useServerNow } from '../session/server-clock.ts';
import { durationText } from './duration.ts';

/** An instant in local time, with UTC as a tooltip and, with `withUtc`, next to it. */
export function Instant({ at, withUtc = false }: { at: string; withUtc?: boolean }) {
  const { t, format } = useI18n();
  const utc = `${format.utcDateTime(at)} ${t.common.utc}`;
  return (
    <time dateTime={at} title={utc} className="whitespace-nowrap">
      {format.dateTime(at)}
      {withUtc && (
        <span className="ml-1.5 text-xs text-muted">{`${format.utcTime(at)} ${t.common.utc}`}</span>
      )}
    </time>
  );
}

/** The remaining time by the platform's clock. `aria-live` is off, or screen readers would announce every second. */
export function Countdown({ until, done }: { until: number; done: string }) {
  const { t } = useI18n();
  const leftMs = until - useServerNow();
  return (
    <span role="timer" aria-live="off" className="whitespace-nowrap">
      {leftMs > 0 ? durationText(leftMs, t.common.countdown.days) : done}
    </span>
  );
}
