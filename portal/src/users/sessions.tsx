import type { UserSession } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { FormProblem } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { browserName } from './browser-name.ts';
import { PROFILE_TEXTS } from './profile-texts.ts';
import { sessionsQuery } from './queries.ts';

/** The user's sessions, each with a button that ends it. */
export function SessionsPanel() {
  const { t } = useI18n();
  const query = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: async (session: UserSession | 'others') => {
      if (session === 'others') await portalClient.session.signOutElsewhere();
      else await portalClient.sessions.end(session.id);
      return session;
    },
    ...useChangeHandlers<UserSession | 'others'>({
      toast: (ended) =>
        ended === 'others'
          ? PROFILE_TEXTS[t.language].signedOutElsewhere
          : PROFILE_TEXTS[t.language].sessionEnded,
      refresh: [sessionsQuery.queryKey],
      onDone: () => {},
    }),
  });
  return (
    <Panel
      title={PROFILE_TEXTS[t.language].sessions}
      isFlush
      actions={
        <Button isBusy={end.isPending && end.variables === 'others'} onClick={() => end.mutate('others')}>
          {PROFILE_TEXTS[t.language].signOutElsewhere}
        </Button>
      }
    >
      <div className="grid gap-3 px-4 py-3">
        <p className="text-sm text-muted">{PROFILE_TEXTS[t.language].sessionsText}</p>
        <FormProblem error={end.error} />
      </div>
      <Loaded query={query}>
        {(sessions) => <SessionTable sessions={sessions} onEnd={(session) => end.mutate(session)} />}
      </Loaded>
    </Panel>
  );
}

type TableProps = { sessions: readonly UserSession[]; onEnd: (session: UserSession) => void };

function SessionTable({ sessions, onEnd }: TableProps) {
  const { t, format } = useI18n();
  const texts = PROFILE_TEXTS[t.language];
  const nameOf = ({ user_agent }: UserSession) =>
    user_agent === null ? texts.unknownBrowser : browserName(user_agent);
  const columns: readonly Column<UserSession>[] = [
    {
      id: 'browser',
      header: texts.browser,
      cell: (session) => (
        <span className="grid justify-items-start gap-0.5">
          <span className="font-medium break-words" title={session.user_agent ?? undefined}>
            {nameOf(session)}
          </span>
          {session.current && <Badge tone="ok">{texts.thisSession}</Badge>}
        </span>
      ),
    },
    {
      id: 'address',
      header: texts.address,
      cell: ({ address }) => <span className="break-all">{address}</span>,
    },
    {
      id: 'method',
      header: texts.method,
      from: 'md',
      cell: ({ method }) => method && texts.methods[method],
    },
    {
      id: 'created',
      header: texts.signedInAt,
      from: 'sm',
      cell: ({ created_at }) => <Instant at={created_at} />,
    },
    {
      id: 'seen',
      header: texts.lastSeen,
      from: 'md',
      cell: ({ last_seen_at }) => <Instant at={last_seen_at} />,
    },
    {
      id: 'expires',
      header: texts.endsAt,
      from: 'lg',
      cell: ({ expires_at }) => <Instant at={expires_at} />,
    },
    {
      id: 'actions',
      header: <span className="sr-only">{t.common.actions}</span>,
      isNumber: true,
      cell: (session) =>
        !session.current && (
          <Button
            variant="quiet"
            aria-label={`${texts.endSession}: ${nameOf(session)}, ${format.dateTime(session.created_at)}`}
            onClick={() => onEnd(session)}
          >
            {texts.endSession}
          </Button>
        ),
    },
  ];
  return <DataTable label={texts.sessions} columns={columns} rows={sessions} rowKey={({ id }) => id} />;
}
