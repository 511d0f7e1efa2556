import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { filtersOf } from '../ui/address.ts';
import { PartiesPage } from './parties-page.tsx';
import { AccountLink } from '../references/party-links.tsx';
import { accountsQuery } from '../operator/queries.ts';

const route = getRouteApi('/app/operator/accounts');

/** The account holders of the customer API. */
export function AccountsPage() {
  const { t } = useI18n();
  const navigate = useNavigate();
  return (
    <PartiesPage
      texts={t.operator.accounts}
      fileName="accounts"
      query={accountsQuery}
      client={operatorClient.accounts}
      link={AccountLink}
      filters={filtersOf(route.useSearch(), route.useNavigate())}
      onCreated={(accountId) =>
        void navigate({ to: '/operator/accounts/$accountId', params: { accountId }, ignoreBlocker: true })
      }
    />
  );
}
