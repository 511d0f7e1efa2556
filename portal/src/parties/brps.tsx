import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { brpsQuery, groupsQuery } from '../references/operator-queries.ts';
import { BrpLink } from '../references/party-links.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { BRP_TEXTS } from './brp-texts.ts';
import { PartiesPage } from './parties-page.tsx';

/** The BRPs with the number of their balance groups. */
export function BrpsPage() {
  const { t, format } = useI18n();
  const navigate = useNavigate();
  const { data: groups } = useQuery(groupsQuery());
  return (
    <PartiesPage
      texts={BRP_TEXTS[t.language]}
      fileName="brps"
      query={brpsQuery}
      client={operatorClient.brps}
      link={BrpLink}
      more={[
        {
          id: 'groups',
          header: t.brp.groups.title,
          isNumber: true,
          cell: ({ id }) => groups && format.number(groups.filter(({ brp_id }) => brp_id === id).length),
        },
      ]}
      onCreated={(brpId) =>
        void navigate({ to: '/operator/brps/$brpId', params: { brpId }, ignoreBlocker: true })
      }
    />
  );
}
