import { queryOptions, useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { useSession } from '../session/session.ts';
import { Button } from './button.tsx';
import { Notice } from './states.tsx';
import { Instant } from './time.tsx';

/** The newest change of the record in its current version. */
const lastChangeQuery = (recordId: string, current: object | null) =>
  queryOptions({
    queryKey: ['last-change', recordId, current],
    queryFn: ({ signal }) => portalClient.lastChange.get(recordId, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The fields of a version, by label. Empty fields may be left out. */
export type Described = Readonly<Record<string, string>>;

type NoticeProps<R> = {
  recordId: string;
  /** The version that the input started from. */
  started: R | null;
  current: R;
  describe: (version: R) => Described;
  /** Replaces the input by the stored values. */
  onReset?: () => void;
};

/** Who changed the record meanwhile, when, and which fields. */
export function ConflictNotice<R extends object>(props: NoticeProps<R>) {
  const { recordId, started, current, describe, onReset } = props;
  const { t } = useI18n();
  if (started === null) return null;
  const [before, after] = [describe(started), describe(current)];
  const labels = Object.keys({ ...before, ...after }).filter((label) => before[label] !== after[label]);
  if (labels.length === 0) return null;
  return (
    <Notice tone="warn">
      <div className="grid gap-2">
        <p className="font-medium">
          <Author recordId={recordId} current={current} />
        </p>
        <ul className="grid gap-0.5">
          {labels.map((label) => (
            <li key={label} className="break-words">
              {`${label}: ${before[label] || t.common.none} → ${after[label] || t.common.none}`}
            </li>
          ))}
        </ul>
        <p>{onReset ? t.common.conflict.kept : t.common.conflict.notSaved}</p>
        {onReset && (
          <div>
            <Button onClick={onReset}>{t.common.conflict.reset}</Button>
          </div>
        )}
      </div>
    </Notice>
  );
}

/** Who withdrew the record meanwhile, and when. */
export function WithdrawnNotice({ recordId }: { recordId: string }) {
  const { t } = useI18n();
  return (
    <Notice tone="warn">
      <div className="grid gap-2">
        <p className="font-medium">
          <Author recordId={recordId} current={null} />
        </p>
        <p>{t.common.conflict.notSaved}</p>
      </div>
    </Notice>
  );
}

/** `current` is null for a record that was withdrawn. */
function Author({ recordId, current }: { recordId: string; current: object | null }) {
  const { t } = useI18n();
  const texts = t.common.conflict;
  const { role } = useSession().user;
  const { data } = useQuery(lastChangeQuery(recordId, current));
  if (!data) return current === null ? texts.withdrawn : texts.changed;
  const name = data.actor_name ?? (role === 'operator' ? texts.platform : texts.operator);
  return (
    <>
      {`${current === null ? texts.withdrawnBy(name) : texts.changedBy(name)} `}
      <Instant at={data.at} />
    </>
  );
}
