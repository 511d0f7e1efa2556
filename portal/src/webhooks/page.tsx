import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { useMayManage, useSession } from '../session/session.ts';
import { CreateButton } from '../ui/create-button.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, Notice } from '../ui/states.tsx';
import { DeliveriesPanel } from './deliveries.tsx';
import { CreateDialog } from './dialogs.tsx';
import { EndpointTable } from './endpoints.tsx';
import type { WebhookSearch } from './filters.ts';
import { endpointsQuery } from './queries.ts';

const brpRoute = getRouteApi('/app/brp/webhooks');
const operatorRoute = getRouteApi('/app/operator/webhooks');

export function BrpWebhooksPage() {
  const navigate = brpRoute.useNavigate();
  // The API has one scope for reading and changing endpoints, which users without that permission lack.
  return useMayManage() ? (
    <Webhooks search={brpRoute.useSearch()} onSearch={(search) => void navigate({ search, replace: true })} />
  ) : (
    <NotAllowed />
  );
}

export function OperatorWebhooksPage() {
  const navigate = operatorRoute.useNavigate();
  return (
    <Webhooks
      search={operatorRoute.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true })}
    />
  );
}

function NotAllowed() {
  const { t } = useI18n();
  return (
    <Page title={t.webhooks.title}>
      <Notice>{t.webhooks.notAllowed}</Notice>
    </Page>
  );
}

type Props = { search: WebhookSearch; onSearch: (search: WebhookSearch) => void };

/** Endpoints that events are sent to, and the deliveries of the selected one. */
function Webhooks({ search, onSearch }: Props) {
  const { t } = useI18n();
  const texts = t.webhooks;
  const { role } = useSession().user;
  const query = useQuery(endpointsQuery);
  const selected = query.data?.find(({ id }) => id === search.endpoint);
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        <CreateButton label={texts.create} isPrimary>
          {(close) => <CreateDialog reader={role} onClose={close} />}
        </CreateButton>
      }
    >
      <Panel isFlush>
        <Loaded query={query}>
          {(endpoints) =>
            endpoints.length === 0 ? (
              <EmptyState title={texts.empty} text={texts.emptyText} />
            ) : (
              <EndpointTable
                endpoints={endpoints}
                selectedId={selected?.id ?? null}
                onSelect={(endpoint) => onSearch({ endpoint })}
              />
            )
          }
        </Loaded>
      </Panel>
      {selected && (
        <DeliveriesPanel
          endpoint={selected}
          state={search.state}
          onState={(state) => onSearch({ endpoint: selected.id, state })}
        />
      )}
    </Page>
  );
}
