import { DELIVERY_STATES, type DeliveryState, type WebhookDelivery, type WebhookEndpoint } from '@saldo/api';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FormProblem } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Segments } from '../ui/tabs.tsx';
import { Instant } from '../ui/time.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { Answer } from './dialogs.tsx';
import { deliveriesQuery, webhooks } from './queries.ts';
import { WEBHOOK_TEXTS } from './texts.ts';

const STATE_TONES: Readonly<Record<DeliveryState, Tone>> = {
  pending: 'warn',
  succeeded: 'ok',
  failed: 'bad',
};

type PanelProps = {
  endpoint: WebhookEndpoint;
  state: DeliveryState | undefined;
  onState: (state: DeliveryState | undefined) => void;
};

/** The deliveries of an endpoint, newest first. */
export function DeliveriesPanel({ endpoint, state, onState }: PanelProps) {
  const { t, format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  const query = useInfiniteQuery(deliveriesQuery(endpoint.id, state));
  const filter = (
    <Segments
      label={t.common.status}
      tabs={[
        { value: 'all', label: t.common.any },
        ...DELIVERY_STATES.map((value) => ({ value, label: texts.states[value] })),
      ]}
      value={state ?? 'all'}
      onChange={(value) => onState(value === 'all' ? undefined : value)}
    />
  );
  return (
    <Panel title={texts.deliveries} text={endpoint.url} isFlush actions={filter}>
      <PagedList
        query={query}
        recordsOf={(page) => page.deliveries}
        empty={<EmptyState title={texts.noDeliveries} text={texts.noDeliveriesText} />}
      >
        {(deliveries) => <DeliveryTable endpoint={endpoint} deliveries={deliveries} />}
      </PagedList>
    </Panel>
  );
}

type TableProps = { endpoint: WebhookEndpoint; deliveries: readonly WebhookDelivery[] };

function DeliveryTable({ endpoint, deliveries }: TableProps) {
  const { t, format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  const [shownId, setShownId] = useState<string | null>(null);
  const shown = deliveries.find(({ id }) => id === shownId);
  const columns: readonly Column<WebhookDelivery>[] = [
    {
      id: 'event',
      header: texts.event,
      cell: ({ event_id, event_type }) => (
        <span className="cell">
          <span className="font-medium">{event_type}</span>
          <span className="text-xs text-muted">
            <Code text={event_id} />
          </span>
        </span>
      ),
    },
    {
      id: 'state',
      header: t.common.status,
      cell: ({ state, next_attempt_at }) => (
        <span className="cell">
          <Badge tone={STATE_TONES[state]}>{texts.states[state]}</Badge>
          {next_attempt_at !== null && (
            <span className="text-xs text-muted">
              {texts.nextTry} <Instant at={next_attempt_at} />
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'answer',
      header: texts.answer,
      from: 'sm',
      cell: ({ status_code, error }) => (
        <span className="break-words">{error ?? status_code ?? <span className="text-muted">–</span>}</span>
      ),
    },
    {
      id: 'tries',
      header: texts.tries,
      isNumber: true,
      from: 'md',
      cell: ({ attempts }) => format.number(attempts),
    },
    {
      id: 'last',
      header: texts.lastTry,
      from: 'lg',
      cell: ({ last_attempt_at }) =>
        last_attempt_at ? (
          <Instant at={last_attempt_at} />
        ) : (
          <span className="text-muted">{t.common.notYet}</span>
        ),
    },
    {
      id: 'actions',
      header: <span className="sr-only">{t.common.actions}</span>,
      isNumber: true,
      cell: ({ id, event_id }) => (
        <Button variant="quiet" aria-label={`${texts.details}: ${event_id}`} onClick={() => setShownId(id)}>
          {texts.details}
        </Button>
      ),
    },
  ];
  return (
    <>
      <DataTable label={texts.deliveries} columns={columns} rows={deliveries} rowKey={({ id }) => id} />
      {shown && <DeliveryDialog endpoint={endpoint} delivery={shown} onClose={() => setShownId(null)} />}
    </>
  );
}

type DialogProps = { endpoint: WebhookEndpoint; delivery: WebhookDelivery; onClose: () => void };

function DeliveryDialog({ endpoint, delivery, onClose }: DialogProps) {
  const { t, format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  const isAdministrator = usePermission('admin');
  const retry = useMutation({
    mutationFn: (failed: { endpointId: string; id: string }) =>
      webhooks().retry(failed.endpointId, failed.id),
    ...useChangeHandlers({
      toast: () => texts.retried,
      refresh: [['webhook-deliveries', endpoint.id]],
      onDone: onClose,
    }),
  });
  return (
    <Dialog title={delivery.event_type} onClose={onClose}>
      <div className="grid gap-4">
        <p className="text-sm">
          <Badge tone={STATE_TONES[delivery.state]}>{texts.states[delivery.state]}</Badge>
        </p>
        {delivery.attempts === 0 ? (
          <p className="text-sm text-muted">{texts.notTried}</p>
        ) : (
          <Answer answer={delivery} />
        )}
        <FormProblem error={retry.error} />
        <div className="flex justify-end gap-2">
          {isAdministrator && (
            <Button
              isBusy={retry.isPending}
              onClick={() => retry.mutate({ endpointId: endpoint.id, id: delivery.id })}
            >
              {texts.retry}
            </Button>
          )}
          <Button variant="primary" onClick={onClose}>
            {t.common.close}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
