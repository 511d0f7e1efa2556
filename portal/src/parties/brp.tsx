import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { CustomerTable } from '../customers/customers.tsx';
import { NewCustomerDialog } from '../customers/new-customer.tsx';
import { OPERATOR_CUSTOMER_TEXTS } from '../customers/operator-texts.ts';
import { customersQuery } from '../customers/queries.ts';
import { CUSTOMER_TEXTS } from '../customers/texts.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { brpQuery, groupsQuery } from '../references/operator-queries.ts';
import { CreateButton } from '../ui/create-button.tsx';
import { Panel, TrailLink } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState, Loaded, Skeleton } from '../ui/states.tsx';
import { BRP_TEXTS } from './brp-texts.ts';
import { OPERATOR_GROUP_TEXTS } from './group-texts.ts';
import { CreateGroupDialog, OperatorGroupTable } from './operator-balance-groups.tsx';
import { PartyView } from './party-view.tsx';

export function BrpPage() {
  const { t } = useI18n();
  const { brpId = '' } = useParams({ strict: false });
  const query = useQuery(brpQuery(brpId));
  return (
    <Loaded query={query}>
      {(brp) => (
        <PartyView
          type="brp"
          party={brp}
          trail={<TrailLink to="/operator/brps" label={BRP_TEXTS[t.language].title} />}
        >
          <Groups brpId={brp.id} />
          <Customers brpId={brp.id} />
        </PartyView>
      )}
    </Loaded>
  );
}

function Groups({ brpId }: { brpId: string }) {
  const { t } = useI18n();
  const query = useQuery(groupsQuery({ brp_id: brpId }));
  return (
    <Panel
      title={t.brp.groups.title}
      isFlush
      actions={
        <CreateButton label={OPERATOR_GROUP_TEXTS[t.language].create}>
          {(close) => <CreateGroupDialog brpId={brpId} onClose={close} />}
        </CreateButton>
      }
    >
      <Loaded query={query} loading={<Skeleton lines={2} />}>
        {(groups) => <OperatorGroupTable groups={groups} />}
      </Loaded>
    </Panel>
  );
}

function Customers({ brpId }: { brpId: string }) {
  const { t } = useI18n();
  const query = useInfiniteQuery(customersQuery({ brp_id: brpId }));
  return (
    <Panel
      title={CUSTOMER_TEXTS[t.language].title}
      isFlush
      actions={
        <CreateButton label={OPERATOR_CUSTOMER_TEXTS[t.language].create}>
          {(close) => <NewCustomerDialog brpId={brpId} onClose={close} />}
        </CreateButton>
      }
    >
      <PagedList
        query={query}
        loading={<Skeleton lines={2} />}
        recordsOf={(page) => page.customers}
        empty={<EmptyState title={CUSTOMER_TEXTS[t.language].empty} />}
      >
        {(customers) => <CustomerTable customers={customers} />}
      </PagedList>
    </Panel>
  );
}
