import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { accountsQuery } from '../references/operator-queries.ts';
import { TrailLink } from '../ui/page.tsx';
import { Loaded, NotFound } from '../ui/states.tsx';
import { ACCOUNT_TEXTS } from './account-texts.ts';
import { PartyView } from './party-view.tsx';

export function AccountPage() {
  const { t } = useI18n();
  const { accountId } = useParams({ strict: false });
  const query = useQuery(accountsQuery);
  const trail = <TrailLink to="/operator/accounts" label={ACCOUNT_TEXTS[t.language].title} />;
  return (
    <Loaded query={query}>
      {(accounts) => {
        const account = accounts.find(({ id }) => id === accountId);
        return account ? <PartyView type="account" party={account} trail={trail} /> : <NotFound />;
      }}
    </Loaded>
  );
}
