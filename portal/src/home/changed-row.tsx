import type { OwnSchedule } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { CauseList, CauseSize } from '../nominations/causes.tsx';
import { causesQuery } from '../nominations/own-schedules.ts';
import { LoadButton } from '../nominations/own-side.tsx';
import { OWN_TEXTS } from '../nominations/own-texts.ts';
import { useGroupLabels } from '../references/group-name.tsx';
import { NominationLink } from '../references/links.tsx';
import { Badge } from '../ui/badge.tsx';
import { Skeleton } from '../ui/states.tsx';
import { DeadlineTime } from './attention.tsx';
import type { Due } from './attention-items.ts';

/** Number of causes in the row; the page of the nomination has all of them. */
const MAX_CAUSES = 3;

/** A nomination that has changed since the BRP last loaded it: versions, size, causes, and the button that loads it. */
export function ChangedRow({ item, schedule }: { item: Due; schedule: OwnSchedule }) {
  const { t, format } = useI18n();
  const texts = OWN_TEXTS[format.language];
  const labelOf = useGroupLabels();
  const { nomination_id: id, eic, tso, direction, delivery_date: day, version, changed_since } = schedule;
  const { data } = useQuery(causesQuery(id, changed_since?.nomination_id));
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-2.5 text-sm">
      <div className="grid min-w-0 flex-1 basis-80 gap-1">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone="bad">{texts.changed}</Badge>
          <NominationLink id={id} className="font-medium text-accent-strong hover:underline">
            {`${labelOf(eic)} · ${t.common.tsos[tso]} · ${t.common.directions[direction]}`}
          </NominationLink>
          <span className="text-muted">{format.day(day)}</span>
        </p>
        <p>
          {changed_since && texts.versions(changed_since.version, version)}
          {data && (
            <>
              {' · '}
              <CauseSize cause={data} />
            </>
          )}
        </p>
        {data ? (
          <CauseList causes={data.causes} eic={eic} day={day} max={MAX_CAUSES} />
        ) : (
          <Skeleton lines={1} />
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {item.deadline !== null && <DeadlineTime deadline={item.deadline} />}
        <LoadButton schedule={schedule} />
      </div>
    </div>
  );
}
