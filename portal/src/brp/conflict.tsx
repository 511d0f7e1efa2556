import { TSOS } from '@saldo/api';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Difference, differencesOf } from '../domain/difference.ts';
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
};

/**
 * Keeps a form's input when others change its record. Returns the version that the input started from while the stored
 * one differs from both, else null.
 */
export function useOthersChange<R>(stored: R, { isChangedFrom, rebase }: Input<R>): R | null {
  const [base, setBase] = useState(stored);
  const [started, setStarted] = useState<R | null>(null);
  if (JSON.stringify(base) !== JSON.stringify(stored)) {
    setBase(stored);
    // Without a difference from the stored record, the change was the user's own.
    setStarted(isChangedFrom(base) && isChangedFrom(stored) ? (started ?? base) : null);
    rebase(base, stored);
  } else if (started !== null && !isChangedFrom(stored)) setStarted(null);
  return started;
}

/** The newest change of the record in its current version. */
const lastChangeQuery = (recordId: string, current: object) =>
  queryOptions({
    queryKey: ['last-change', recordId, current],
    queryFn: ({ signal }) => portalClient.lastChange.get(recordId, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

type NoticeProps = {
  recordId: string;
  /** The version that the input started from. */
  started: object | null;
  current: object;
  /** Replaces the input by the stored values. */
  onReset?: () => void;
};

/** Fields that follow from others. */
const DERIVED = /_at$/;

/** Who changed the record meanwhile, when, and which fields. */
export function ConflictNotice({ recordId, started, current, onReset }: NoticeProps) {
  const { t } = useI18n();
  const differences = differencesOf(started, current).filter(({ path }) => !DERIVED.test(path));
  if (started === null || differences.length === 0) return null;
  return (
    <Notice tone="warn">
      <div className="grid gap-2">
        <p className="font-medium">
          <Author recordId={recordId} current={current} />
        </p>
        <ul className="grid gap-0.5">
          {differences.map((difference) => (
            <li key={difference.path}>
              <Change difference={difference} />
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

function Author({ recordId, current }: { recordId: string; current: object }) {
  const { t } = useI18n();
  const texts = t.common.conflict;
  const { role } = useSession().user;
  const { data } = useQuery(lastChangeQuery(recordId, current));
  if (!data) return texts.changed;
  const other = role === 'operator' ? texts.platform : texts.operator;
  return (
    <>
      {`${texts.changedBy(data.actor_name ?? other)} `}
      <Instant at={data.at} />
    </>
  );
}

function Change({ difference: { path, before, after } }: { difference: Difference }) {
  const { t } = useI18n();
  const members: Readonly<Record<string, string>> = t.activity.members;
  const statuses: Readonly<Record<string, string>> = t.brp.customers.statuses;
  const [member = '', ...rest] = path.split('.');
  const textOf = (value: unknown): string => {
    if (value === undefined || value === null) return t.common.none;
    if (Array.isArray(value)) return value.map(textOf).join(', ');
    const tso = TSOS.find((known) => known === value);
    if (tso) return t.common.tsos[tso];
    return (member === 'status' && statuses[String(value)]) || String(value);
  };
  const label = member === 'balance_group' ? [members[member]] : [members[member] ?? member, ...rest];
  return `${label.join(' · ')}: ${textOf(before)} → ${textOf(after)}`;
}
