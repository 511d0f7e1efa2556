import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { balanceGroupsQuery } from '../references/queries.ts';
import { MessageButton } from './message-dialog.tsx';
import { type NominationDay, OnNominationDay } from './nomination-day.tsx';
import { NominationsView, NominationTable } from './nominations.tsx';
import { ownSchedulesQuery } from './own-schedules.ts';
import { nominationsQuery } from './queries.ts';
import { useRejections } from './rejections.ts';
import { DayScheduleButton } from './schedule-buttons.tsx';

/** The nominations of the BRP's balance groups. */
export const BrpNominationsPage = () => (
  <OnNominationDay>{(page) => <BrpNominations page={page} />}</OnNominationDay>
);

function BrpNominations({ page }: { page: NominationDay }) {
  const { t } = useI18n();
  const { day, filters, set } = page;
  const query = useQuery(nominationsQuery(day, filters));
  const { data: groups = [] } = useQuery(balanceGroupsQuery);
  const { data: own } = useQuery(ownSchedulesQuery(day));
  const { rejected } = useRejections(query.data);
  return (
    <NominationsView
      page={page}
      title={t.brp.nominations.title}
      emptyText={t.brp.nominations.emptyText}
      groups={groups}
      query={query}
      actions={(exports) => (
        <>
          <DayScheduleButton day={day} nominations={query.data ?? []} />
          <MessageButton key={`message ${day}`} day={day} nominations={query.data ?? []} />
          {exports}
        </>
      )}
    >
      {(nominations) => (
        <NominationTable
          nominations={nominations}
          own={own}
          rejected={rejected}
          sort={{ value: filters.sort, onChange: (sort) => set({ sort }) }}
        />
      )}
    </NominationsView>
  );
}
