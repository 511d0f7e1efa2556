import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useWithGroupNames } from '../references/group-name.tsx';
import { useGroupOwners, useWithPartyNames } from '../references/lookups.ts';
import { groupsQuery } from '../references/operator-queries.ts';
import { readNextPage } from '../session/lists.ts';
import { usePermission } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { MoreButton } from '../ui/more.tsx';
import { type NominationDay, OnNominationDay } from './nomination-day.tsx';
import { NominationsView, NominationTable } from './nominations.tsx';
import { nominationsQuery } from './operator-queries.ts';
import { RUN_TEXTS } from './operator-texts.ts';
import { RunDialog } from './run-dialog.tsx';

/** The nominations of all BRPs. */
export const OperatorNominationsPage = () => (
  <OnNominationDay>{(page) => <OperatorNominations page={page} />}</OnNominationDay>
);

function OperatorNominations({ page }: { page: NominationDay }) {
  const { t } = useI18n();
  const texts = RUN_TEXTS[t.language];
  const mayChange = usePermission('member');
  const query = useInfiniteQuery(nominationsQuery(page.day, page.filters));
  const named = useWithGroupNames(useWithPartyNames(query));
  const { data: groups = [] } = useQuery(groupsQuery());
  const ownerOf = useGroupOwners();
  const [isOpen, setIsOpen] = useState(false);
  const { data, error, refetch } = named;
  return (
    <>
      <NominationsView
        page={page}
        title={texts.title}
        emptyText={texts.emptyText}
        groups={groups.map(({ eic, name }) => ({
          eic,
          name: [ownerOf(eic), name].filter(Boolean).join(' · '),
        }))}
        query={{ data: data?.nominations, error, refetch }}
        actions={(exports) => (
          <>
            {exports}
            {mayChange && (
              <Button variant="primary" icon="steps" onClick={() => setIsOpen(true)}>
                {texts.run}
              </Button>
            )}
          </>
        )}
        footer={
          <MoreButton
            count={data?.nominations.length ?? 0}
            hasMore={query.hasNextPage}
            onMore={() => readNextPage(query)}
          />
        }
      >
        {(nominations) => <NominationTable nominations={nominations} ownerOf={ownerOf} />}
      </NominationsView>
      {isOpen && <RunDialog day={page.day} onClose={() => setIsOpen(false)} />}
    </>
  );
}
