import { useI18n } from '../i18n/i18n.tsx';

/** The place of the seconds in an instant of the API. They are the same in all time zones. */
const SECONDS_FROM = '2026-10-25T00:00:'.length;

/** Local time with seconds, because developers compare it with their own logs. */
export function AnswerTime({ at }: { at: string }) {
  const { format } = useI18n();
  return (
    <time dateTime={at} title={at} className="whitespace-nowrap">
      {`${format.dateTime(at)}:${at.slice(SECONDS_FROM, SECONDS_FROM + 2)}`}
    </time>
  );
}
