import type { Interchange } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { Fact, Facts, Page, Panel, TrailLink } from '../ui/page.tsx';
import { Loaded, Notice, Skeleton } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { InterchangeState } from './interchanges.tsx';
import { interchangeQuery } from './queries.ts';
import { useSeriesTexts } from './series-texts.ts';

/** One interchange: what was applied, rejected and left out, and its text. */
export function InterchangePage() {
  const { interchangeId = '' } = useParams({ strict: false });
  const query = useQuery(interchangeQuery(interchangeId));
  return (
    <Loaded query={query} loading={<Skeleton lines={12} />}>
      {(interchange) => <InterchangeView interchange={interchange} />}
    </Loaded>
  );
}

function InterchangeView({ interchange }: { interchange: Interchange }) {
  const { t, format } = useI18n();
  const texts = useSeriesTexts().interchange;
  const { id, sender, reference, received_at, messages, remarks, reason } = interchange;
  return (
    <Page
      title={`${texts.one} ${reference ?? id}`}
      trail={<TrailLink to="/operator/series/interchanges" label={texts.title} />}
      badges={<InterchangeState {...interchange} />}
      actions={
        // The server returns the text byte for byte.
        <a
          href={`/operator/v1/series/interchanges/${id}/raw`}
          download={`${reference ?? id}.edi`}
          className={buttonClass()}
        >
          <Icon name="download" />
          {texts.raw}
        </a>
      }
    >
      {reason && <Notice tone="bad">{reason}</Notice>}
      <Panel>
        <Facts>
          <Fact label={texts.received}>
            <Instant at={received_at} withUtc />
          </Fact>
          <Fact label={texts.sender}>{sender ? <Code text={sender} /> : texts.unreadable}</Fact>
          <Fact label={texts.reference}>{reference ? <Code text={reference} /> : texts.unreadable}</Fact>
          <Fact label={texts.messages}>{format.number(messages)}</Fact>
          <Fact label={t.common.id}>
            <Code text={id} />
          </Fact>
        </Facts>
      </Panel>
      <RejectedMessages {...interchange} />
      <UnknownLocations {...interchange} />
      <Remarks remarks={remarks} />
    </Page>
  );
}

type Rejected = Interchange['rejected'][number];

/** The answer lists the first rejected messages only, and counts all. */
export function RejectedMessages({
  rejected,
  rejected_messages: count,
  messages,
}: Pick<Interchange, 'rejected' | 'rejected_messages' | 'messages'>) {
  const { format } = useI18n();
  const texts = useSeriesTexts().interchange;
  if (rejected.length === 0) return null;
  const columns: readonly Column<Rejected>[] = [
    { id: 'message', header: texts.message, isNumber: true, cell: ({ message }) => message },
    { id: 'segment', header: texts.segment, isNumber: true, cell: ({ segment }) => segment },
    { id: 'reason', header: texts.reason, cell: ({ reason }) => reason },
  ];
  return (
    <Panel
      title={texts.rejected}
      text={
        rejected.length < count
          ? texts.onlyFirstRejected(format.number(rejected.length), format.number(count))
          : count < messages && texts.rejectedText
      }
      isFlush
    >
      <DataTable
        label={texts.rejected}
        columns={columns}
        rows={rejected}
        rowKey={({ message, segment }) => `${message} ${segment}`}
        isTall
      />
    </Panel>
  );
}

export function UnknownLocations({
  unknown,
  unknown_locations: count,
}: Pick<Interchange, 'unknown' | 'unknown_locations'>) {
  const { format } = useI18n();
  const texts = useSeriesTexts().interchange;
  if (unknown.length === 0) return null;
  const onlyFirst =
    unknown.length < count
      ? texts.onlyFirstUnknown(format.number(unknown.length), format.number(count))
      : null;
  return (
    <Panel title={texts.unknown} text={[onlyFirst, texts.unknownText].filter(Boolean).join(' ')}>
      <ul className="grid gap-1 text-sm">
        {unknown.map((location) => (
          <li key={location}>
            <Code text={location} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Remarks({ remarks }: Pick<Interchange, 'remarks'>) {
  const { t } = useI18n();
  const texts = useSeriesTexts().interchange;
  if (remarks.length === 0) return null;
  const columns: readonly Column<Interchange['remarks'][number]>[] = [
    { id: 'message', header: texts.message, isNumber: true, cell: ({ message }) => message },
    { id: 'segment', header: texts.segment, isNumber: true, cell: ({ segment }) => segment ?? t.common.none },
    { id: 'text', header: texts.remark, cell: ({ text }) => text },
  ];
  return (
    <Panel title={texts.remarks} text={texts.remarksText} isFlush>
      <DataTable
        label={texts.remarks}
        columns={columns}
        rows={remarks}
        rowKey={({ message, segment, text }) => `${message} ${segment} ${text}`}
        isTall
      />
    </Panel>
  );
}
