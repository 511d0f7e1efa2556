import type { Interchange } from '@saldo/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Page, Panel, TrailLink } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { interchangesQuery } from './queries.ts';
import { useSeriesTexts } from './series-texts.ts';

/** All MSCONS interchanges that came in, newest first. */
export function InterchangesPage() {
  const texts = useSeriesTexts();
  const query = useInfiniteQuery(interchangesQuery());
  return (
    <Page
      title={texts.interchange.title}
      text={texts.interchange.text}
      trail={<TrailLink to="/operator/series" label={texts.title} />}
      actions={
        <Link to="/operator/series/import" className={buttonClass('primary')}>
          {texts.import.open}
        </Link>
      }
    >
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.interchanges}
          empty={<EmptyState title={texts.interchange.empty} text={texts.interchange.emptyText} />}
        >
          {(interchanges) => <InterchangeTable interchanges={interchanges} />}
        </PagedList>
      </Panel>
    </Page>
  );
}

type StateProps = Pick<Interchange, 'state' | 'messages' | 'rejected_messages'>;

/** Whether all, some or none of the messages are applied. */
export function InterchangeState({ state, messages, rejected_messages: rejected }: StateProps) {
  const texts = useSeriesTexts().interchange;
  const [tone, text]: [Tone, string] =
    state === 'stored'
      ? ['neutral', texts.states.stored]
      : state === 'rejected' || (messages > 0 && rejected === messages)
        ? ['bad', texts.states.rejected]
        : rejected > 0
          ? ['warn', texts.partly]
          : ['ok', texts.states.applied];
  return <Badge tone={tone}>{text}</Badge>;
}

function InterchangeTable({ interchanges }: { interchanges: readonly Interchange[] }) {
  const { format } = useI18n();
  const texts = useSeriesTexts().interchange;
  const columns: readonly Column<Interchange>[] = [
    {
      id: 'received',
      header: texts.received,
      cell: ({ id, received_at }) => (
        <Link
          to="/operator/series/interchanges/$interchangeId"
          params={{ interchangeId: id }}
          className="font-medium text-accent-strong hover:underline"
        >
          <Instant at={received_at} />
        </Link>
      ),
    },
    { id: 'state', header: texts.state, cell: (interchange) => <InterchangeState {...interchange} /> },
    { id: 'sender', header: texts.sender, from: 'sm', cell: ({ sender }) => sender ?? texts.unreadable },
    {
      id: 'reference',
      header: texts.reference,
      from: 'sm',
      cell: ({ reference }) => reference ?? texts.unreadable,
    },
    {
      id: 'messages',
      header: texts.messages,
      isNumber: true,
      from: 'md',
      cell: ({ messages }) => format.number(messages),
    },
    {
      id: 'rejected',
      header: texts.rejected,
      isNumber: true,
      from: 'md',
      cell: ({ rejected_messages: rejected }) => format.number(rejected),
    },
    {
      id: 'unknown',
      header: texts.unknown,
      isNumber: true,
      from: 'lg',
      cell: ({ unknown_locations: unknown }) => format.number(unknown),
    },
  ];
  return <DataTable label={texts.title} columns={columns} rows={interchanges} rowKey={({ id }) => id} />;
}
