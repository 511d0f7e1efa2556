import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission, useSession } from '../session/session.ts';
import { useFilters } from '../ui/address.ts';
import { CreateButton } from '../ui/create-button.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, Notice } from '../ui/states.tsx';
import { DeliveriesPanel } from './deliveries.tsx';
import { CreateDialog } from './dialogs.tsx';
import { EndpointTable } from './endpoints.tsx';
import { readWebhookSearch } from './filters.ts';
import { endpointsQuery } from './queries.ts';
import { WEBHOOK_TEXTS } from './texts.ts';

export function WebhooksPage() {
  const { role } = useSession().user;
  const isAdministrator = usePermission('admin');
  // The BRP API has one scope for reading and changing endpoints, which users without that permission lack.
  return role === 'brp' && !isAdministrator ? <NotAllowed /> : <Webhooks />;
}

function NotAllowed() {
  const { t, format } = useI18n();
  return (
    <Page title={t.webhooks.title}>
      <Notice>{WEBHOOK_TEXTS[format.language].notAllowed}</Notice>
    </Page>
  );
}

/** Endpoints that events are sent to, and the deliveries of the selected one. A single endpoint needs no selection. */
function Webhooks() {
  const { t, format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  const { role } = useSession().user;
  const { filters, set } = useFilters(readWebhookSearch);
  const query = useQuery(endpointsQuery);
  const { data: known = [] } = query;
  const selected = known.length === 1 ? known[0] : known.find(({ id }) => id === filters.endpoint);
  return (
    <Page
      title={t.webhooks.title}
      text={texts.text}
      actions={
        <CreateButton label={texts.create} isPrimary needs="admin">
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
                onSelect={(endpoint) => set({ endpoint, state: undefined })}
              />
            )
          }
        </Loaded>
      </Panel>
      {selected && (
        <DeliveriesPanel endpoint={selected} state={filters.state} onState={(state) => set({ state })} />
      )}
    </Page>
  );
}
