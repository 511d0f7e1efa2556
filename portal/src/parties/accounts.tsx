import { useNavigate } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { accountsQuery } from '../references/operator-queries.ts';
import { AccountLink } from '../references/party-links.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { ACCOUNT_TEXTS } from './account-texts.ts';
import { PartiesPage } from './parties-page.tsx';

/** The account holders of the customer API. */
export function AccountsPage() {
  const { t } = useI18n();
  const navigate = useNavigate();
  return (
    <PartiesPage
      texts={ACCOUNT_TEXTS[t.language]}
      fileName="accounts"
      query={accountsQuery}
      client={operatorClient.accounts}
      link={AccountLink}
      onCreated={(accountId) =>
        void navigate({ to: '/operator/accounts/$accountId', params: { accountId }, ignoreBlocker: true })
      }
    />
  );
}
