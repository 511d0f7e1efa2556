import type { NewWebhookSecret, WebhookEndpoint } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { useIsMounted } from '../ui/use-is-mounted.ts';
import { EndpointSecretDialog, TestDialog } from './dialogs.tsx';
import { endpointsQuery, webhooks } from './queries.ts';
import { WEBHOOK_TEXTS } from './texts.ts';

type Action = 'test' | 'rotate' | 'disable' | 'enable' | 'delete';
type OpenDialog = { readonly action: Action; readonly endpoint: WebhookEndpoint };

type TableProps = {
  endpoints: readonly WebhookEndpoint[];
  selectedId: string | null;
  onSelect: (id: string) => void;
};

export function EndpointTable({ endpoints, selectedId, onSelect }: TableProps) {
  const { t, format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  const isAdministrator = usePermission('admin');
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [rotated, setRotated] = useState<NewWebhookSecret | null>(null);
  const columns: readonly Column<WebhookEndpoint>[] = [
    {
      id: 'url',
      header: texts.url,
      cell: ({ id, url, description }) => (
        <span className="grid max-w-md min-w-56 justify-items-start">
          <button
            type="button"
            aria-pressed={id === selectedId}
            onClick={() => onSelect(id)}
            className="max-w-full text-left font-medium break-all text-accent-strong underline-offset-2 hover:underline"
          >
            {url}
          </button>
          {description !== null && <span className="text-xs text-muted">{description}</span>}
        </span>
      ),
    },
    { id: 'status', header: t.common.status, cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
    {
      id: 'types',
      header: texts.types,
      from: 'md',
      cell: ({ types }) => (
        <span className="flex max-w-md flex-wrap gap-1">
          {types.map((type) => (
            <Badge key={type}>{type === '*' ? texts.allTypes : type}</Badge>
          ))}
        </span>
      ),
    },
    {
      id: 'created',
      header: t.common.created,
      from: 'xl',
      cell: ({ created_at }) => <Instant at={created_at} />,
    },
    {
      id: 'actions',
      header: <span className="sr-only">{t.common.actions}</span>,
      isNumber: true,
      cell: (endpoint) =>
        isAdministrator && (
          <EndpointButtons endpoint={endpoint} onOpen={(action) => setDialog({ action, endpoint })} />
        ),
    },
  ];
  const close = () => setDialog(null);
  return (
    <>
      <DataTable
        label={t.webhooks.title}
        columns={columns}
        rows={endpoints}
        rowKey={({ id }) => id}
        rowTone={({ id, status }) =>
          id === selectedId ? 'selected' : status === 'disabled' ? 'faded' : null
        }
      />
      {dialog?.action === 'test' && <TestDialog endpoint={dialog.endpoint} onClose={close} />}
      {dialog && dialog.action !== 'test' && (
        <ChangeDialog
          action={dialog.action}
          endpoint={dialog.endpoint}
          onRotated={setRotated}
          onClose={close}
        />
      )}
      {rotated && <EndpointSecretDialog endpoint={rotated} onClose={() => setRotated(null)} />}
    </>
  );
}

function statusOf({ status, failing_since }: WebhookEndpoint): {
  tone: Tone;
  name: 'enabled' | 'disabled' | 'failing';
} {
  if (status === 'disabled') return { tone: 'neutral', name: 'disabled' };
  return failing_since === null ? { tone: 'ok', name: 'enabled' } : { tone: 'bad', name: 'failing' };
}

/** The status, and since when and why. */
function EndpointStatus({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  const { tone, name } = statusOf(endpoint);
  const since = endpoint.disabled_at ?? endpoint.failing_since;
  return (
    <span className="grid justify-items-start gap-0.5">
      <Badge tone={tone}>{texts.statuses[name]}</Badge>
      {endpoint.disabled_reason !== null && (
        <span className="text-xs text-muted">{texts.reasons[endpoint.disabled_reason]}</span>
      )}
      {since !== null && (
        <span className="text-xs text-muted">
          {texts.since} <Instant at={since} />
        </span>
      )}
    </span>
  );
}

function EndpointButtons({
  endpoint,
  onOpen,
}: {
  endpoint: WebhookEndpoint;
  onOpen: (action: Action) => void;
}) {
  const { format } = useI18n();
  const actions: readonly Action[] = [
    'test',
    'rotate',
    endpoint.status === 'enabled' ? 'disable' : 'enable',
    'delete',
  ];
  return (
    <span className="inline-flex">
      {actions.map((action) => (
        <Button
          key={action}
          variant="quiet"
          aria-label={`${WEBHOOK_TEXTS[format.language].actions[action]}: ${endpoint.url}`}
          onClick={() => onOpen(action)}
        >
          {WEBHOOK_TEXTS[format.language].actions[action]}
        </Button>
      ))}
    </span>
  );
}

type ChangeProps = {
  action: Exclude<Action, 'test'>;
  endpoint: WebhookEndpoint;
  onRotated: (endpoint: NewWebhookSecret) => void;
  onClose: () => void;
};

/** Sends a change. Returns the new secret of a rotation, else null. */
const CHANGES: Readonly<Record<ChangeProps['action'], (id: string) => Promise<NewWebhookSecret | null>>> = {
  rotate: (id) => webhooks().rotateSecret(id),
  delete: (id) => webhooks().delete(id),
  enable: async (id) => {
    await webhooks().update(id, { status: 'enabled' });
    return null;
  },
  disable: async (id) => {
    await webhooks().update(id, { status: 'disabled' });
    return null;
  },
};

/** Asks before a change, because receivers depend on it. */
function ChangeDialog({ action, endpoint, onRotated, onClose }: ChangeProps) {
  const { format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  const toast = useToast();
  const refresh = useRefresh();
  const isMounted = useIsMounted();
  const change = useMutation({
    mutationFn: ({ id, action: asked }: Pick<ChangeProps, 'action'> & { id: string }) => CHANGES[asked](id),
    onSuccess: (rotated) => {
      if (rotated !== null) onRotated(rotated);
      else if (action !== 'rotate') toast(texts.done[action](endpoint.url));
      if (isMounted()) onClose();
    },
    onSettled: () => refresh(endpointsQuery.queryKey),
  });
  return (
    <ConfirmDialog
      title={`${texts.actions[action]}: ${endpoint.url}`}
      text={texts.confirm[action]}
      action={texts.actions[action]}
      isDangerous={action === 'delete'}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ id: endpoint.id, action })}
      onClose={onClose}
    />
  );
}
