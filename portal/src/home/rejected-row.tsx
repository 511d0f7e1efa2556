import type { Reconciliation } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { ReasonText } from '../nominations/reason-text.tsx';
import { Badge } from '../ui/badge.tsx';
import { DeadlineTime, ItemLink, StillChangeable } from './attention.tsx';
import type { Due } from './attention-items.ts';

/** The nominations in a schedule that the TSO has rejected, with its reasons. */
export function RejectedRow({ item, rejection }: { item: Due; rejection: Reconciliation }) {
  const { t, format } = useI18n();
  const { day, deadline, nomination } = item;
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 px-4 py-2.5 text-sm">
      <div className="grid min-w-0 flex-1 basis-80 gap-0.5">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone="bad">{t.attention.rejected}</Badge>
          <ItemLink item={item} />
          {nomination === null && <span>{t.common.tsos[rejection.tso]}</span>}
          {day !== null && <span className="text-muted">{format.day(day)}</span>}
        </p>
        <ul className="grid gap-0.5">
          {rejection.reasons.map((reason) => (
            <li key={`${reason.code} ${reason.text}`}>
              <ReasonText reason={reason} />
            </li>
          ))}
        </ul>
        <p className="text-muted">{deadline === null ? t.attention.settled : t.attention.rejectedStep}</p>
        {deadline !== null && <StillChangeable deadline={deadline} />}
      </div>
      {deadline !== null && <DeadlineTime deadline={deadline} />}
    </div>
  );
}
