import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { CustomerTable } from '../customers/customers.tsx';
import { NewCustomerDialog } from '../customers/new-customer.tsx';
import { customersQuery } from '../customers/queries.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { PartyKeys } from '../keys/operator-keys.tsx';
import { brpQuery, groupsQuery } from '../references/operator-queries.ts';
import { Code } from '../ui/copy.tsx';
import { CreateButton } from '../ui/create-button.tsx';
import { Fact, Facts, Page, Panel, TrailLink } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState, Loaded } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { PartyUsers } from '../users/users.tsx';
import { CreateGroupDialog, OperatorGroupTable } from './operator-balance-groups.tsx';

/** One BRP with all its records. */
export function BrpPage() {
  const { t } = useI18n();
  const { brpId = '' } = useParams({ strict: false });
  const query = useQuery(brpQuery(brpId));
  return (
    <Loaded query={query}>
      {(brp) => (
        <Page title={brp.name} trail={<TrailLink to="/operator/brps" label={t.operator.brps.title} />}>
          <Panel>
            <Facts>
              <Fact label={t.common.created}>
                <Instant at={brp.created_at} withUtc />
              </Fact>
              <Fact label={t.common.id}>
                <Code text={brp.id} />
              </Fact>
            </Facts>
          </Panel>
          <Groups brpId={brp.id} />
          <Customers brpId={brp.id} />
          <PartyUsers owner={{ role: 'brp', id: brp.id }} />
          <PartyKeys type="brp" id={brp.id} />
        </Page>
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
        <CreateButton label={t.operator.groups.create}>
          {(close) => <CreateGroupDialog brpId={brpId} onClose={close} />}
        </CreateButton>
      }
    >
      <Loaded query={query}>{(groups) => <OperatorGroupTable groups={groups} />}</Loaded>
    </Panel>
  );
}

function Customers({ brpId }: { brpId: string }) {
  const { t } = useI18n();
  const query = useInfiniteQuery(customersQuery({ brp_id: brpId }));
  return (
    <Panel
      title={t.brp.customers.title}
      isFlush
      actions={
        <CreateButton label={t.operator.customers.create}>
          {(close) => <NewCustomerDialog brpId={brpId} onClose={close} />}
        </CreateButton>
      }
    >
      <PagedList
        query={query}
        recordsOf={(page) => page.customers}
        empty={<EmptyState title={t.brp.customers.empty} />}
      >
        {(customers) => <CustomerTable customers={customers} />}
      </PagedList>
    </Panel>
  );
}
