import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { PartyKeys } from '../keys/operator-keys.tsx';
import { accountsQuery } from '../references/operator-queries.ts';
import { Code } from '../ui/copy.tsx';
import { Fact, Facts, Page, Panel, TrailLink } from '../ui/page.tsx';
import { Loaded, NotFound } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { PartyUsers } from '../users/users.tsx';

/** One account holder with its users and keys. */
export function AccountPage() {
  const { t } = useI18n();
  const { accountId = '' } = useParams({ strict: false });
  const query = useQuery(accountsQuery);
  return (
    <Loaded query={query}>
      {(accounts) => {
        const account = accounts.find(({ id }) => id === accountId);
        if (!account) return <NotFound />;
        return (
          <Page
            title={account.name}
            trail={<TrailLink to="/operator/accounts" label={t.operator.accounts.title} />}
          >
            <Panel>
              <Facts>
                <Fact label={t.common.created}>
                  <Instant at={account.created_at} withUtc />
                </Fact>
                <Fact label={t.common.id}>
                  <Code text={account.id} />
                </Fact>
              </Facts>
            </Panel>
            <PartyUsers owner={{ role: 'account', id: account.id }} />
            <PartyKeys type="account" id={account.id} />
          </Page>
        );
      }}
    </Loaded>
  );
}
