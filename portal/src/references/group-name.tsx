import type { Tso } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useSession } from '../session/session.ts';
import { Code } from '../ui/copy.tsx';
import type { ShownQuery } from '../ui/states.tsx';
import { groupNamesQuery } from './queries.ts';

/**
 * Names of balance groups by EIC. Undefined while they load, for groups that the role has no list of, and for groups
 * that are named after their EIC.
 */
export function useGroupNames(): (eic: string) => string | undefined {
  const { data } = useQuery(groupNamesQuery(useSession().user.role));
  return useMemo(() => {
    const named = data?.filter(({ eic, name }) => name !== eic);
    const names = new Map(named?.map(({ eic, name }) => [eic, name]));
    return (eic: string) => names.get(eic);
  }, [data]);
}

/** The name of a balance group, or its EIC if the name is not known. */
export function useGroupLabels(): (eic: string) => string {
  const nameOf = useGroupNames();
  return useCallback((eic: string) => nameOf(eic) ?? eic, [nameOf]);
}

/** The same in the heading of a page. */
export function GroupHeading({ eic }: { eic: string }) {
  const label = useGroupLabels()(eic);
  return (
    <>
      {label !== eic && <span>{label}</span>}
      <span className={label === eic ? undefined : 'text-sm font-normal text-muted'}>
        <Code text={eic} />
      </span>
    </>
  );
}

/** Without data until the names of the groups have loaded, too: a name that arrives later would move the page. */
export function useWithGroupNames<T>({ data, error, refetch }: ShownQuery<T>): ShownQuery<T> {
  const { isPending } = useQuery(groupNamesQuery(useSession().user.role));
  return { data: isPending ? undefined : data, error, refetch };
}

type Props = {
  eic: string;
  tso?: Tso;
  /** Replaces the plain name, such as by a link; the argument is the name, or the EIC if it is not known. */
  children?: (label: string) => ReactNode;
};

/** A balance group in one line: its name, its EIC to copy, its control area. A table shows the EIC of a named group on paper only. */
export function GroupName({ eic, tso, children }: Props) {
  const { t } = useI18n();
  const label = useGroupLabels()(eic);
  const isNamed = label !== eic;
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-1.5 xl:in-[td]:flex-nowrap">
      {children
        ? children(label)
        : isNamed && (
            <span title={label} className="font-medium xl:not-print:in-[td]:truncate">
              {label}
            </span>
          )}
      {(isNamed || !children) && (
        <span className="inline-flex max-w-full text-xs text-muted">
          <Code text={eic} isShort={isNamed} />
        </span>
      )}
      {tso && <span className="shrink-0 text-xs text-muted">{t.common.tsos[tso]}</span>}
    </span>
  );
}
