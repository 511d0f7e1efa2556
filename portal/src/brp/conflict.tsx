import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isSameInput, rebasedInput } from '../domain/input.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';

type Input<R> = {
  /** Whether the input differs from this version of the record. */
  isChangedFrom: (record: R) => boolean;
  /** Takes over the fields that the user has not changed: those that equal the base. */
  rebase: (base: R, stored: R) => void;
  /** Whether the stored version is the one that the user has just saved. The input is based on it already. */
  isOwn?: boolean;
};

/**
 * Keeps a form's input when others change its record. Returns the version that the input started from while the stored
 * one differs from both, else null.
 */
export function useOthersChange<R>(stored: R, { isChangedFrom, rebase, isOwn = false }: Input<R>): R | null {
  const [base, setBase] = useState(stored);
  const [started, setStarted] = useState<R | null>(null);
  if (JSON.stringify(base) !== JSON.stringify(stored)) {
    setBase(stored);
    // Without a difference from the stored record, the change was the user's own.
    setStarted(!isOwn && isChangedFrom(base) && isChangedFrom(stored) ? (started ?? base) : null);
    if (!isOwn) rebase(base, stored);
  } else if (started !== null && (isOwn || !isChangedFrom(stored))) setStarted(null);
  return started;
}

/**
 * The input of a form whose record others may change. `stored` is the input that shows the stored record: the fields that
 * the user has not changed follow it.
 */
export function useInput<I extends object>(stored: I) {
  const [input, setInput] = useState(stored);
  /** The version that the user has saved, until the page has read it. */
  const [saved, setSaved] = useState<I | null>(null);
  const isOwn = saved !== null && isSameInput(saved, stored);
  const started = useOthersChange(stored, {
    isOwn,
    isChangedFrom: (of) => !isSameInput(input, of),
    rebase: (base, now) => setInput(rebasedInput(input, base, now)),
  });
  if (isOwn) setSaved(null);
  return {
    input,
    set: (change: Partial<I>) => setInput({ ...input, ...change }),
    isUnsaved: !isSameInput(input, stored),
    /** The stored input that this one started from, if others have changed the record since. */
    started,
    reset: () => setInput(stored),
    /** Takes over the input as it was saved. What the user has changed since it was sent stays. */
    takeOver: (sent: I, answer: I) => {
      setSaved(answer);
      setInput((now) => rebasedInput(now, sent, answer));
    },
  };
}

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
