import type { Message, Tso } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { operatorClient } from '../session/operator-client.ts';
import { usePermission } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Code, CopyButton } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { Fact, Facts, Page, Panel, TrailLink } from '../ui/page.tsx';
import { EmptyState, Loaded, Notice, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { MessageDirection, MessageLink, MessageState } from './message-badges.tsx';
import { MESSAGE_TEXTS } from './message-texts.ts';
import { isUnsuccessful, MessageTable } from './messages.tsx';
import { answersQuery, documentQuery, messageQuery } from './queries.ts';

/** One message: its state, its related messages, and its document. */
export function MessagePage() {
  const { messageId = '' } = useParams({ strict: false });
  const query = useQuery(messageQuery(messageId));
  return (
    <Loaded query={query} loading={<Skeleton lines={14} />}>
      {(message) => <MessageView message={message} />}
    </Loaded>
  );
}

function MessageView({ message }: { message: Message }) {
  const { t, format } = useI18n();
  const { type, tso, delivery_date, state, error } = message;
  const about = [
    t.exchange.message.types[type],
    tso && t.common.tsos[tso],
    delivery_date && format.day(delivery_date),
  ];
  return (
    <Page
      title={about.filter(Boolean).join(' · ')}
      trail={<TrailLink to="/operator/messages" label={t.exchange.nav.messages} />}
      actions={type === 'schedule' && <StatusRequestButton message={message} />}
      badges={
        <>
          <MessageDirection direction={message.direction} />
          <MessageState state={state} />
        </>
      }
    >
      {error && <Notice tone={isUnsuccessful(message) ? 'bad' : 'warn'}>{error}</Notice>}
      <MessageFacts message={message} />
      {type === 'schedule' && <Answers message={message} />}
      <DocumentPanel id={message.id} />
    </Page>
  );
}

/** Asks the TSO for its last answer to this schedule. */
function StatusRequestButton({ message: { tso, delivery_date } }: { message: Message }) {
  const { t } = useI18n();
  const texts = MESSAGE_TEXTS[t.language];
  const mayChange = usePermission('member');
  const toast = useToast();
  const refresh = useRefresh();
  const request = useMutation({
    mutationFn: (asked: { tso: Tso; delivery_date: string }) => operatorClient.exchange.requestStatus(asked),
    onSuccess: ({ state }) =>
      state === 'sent' ? toast(texts.statusRequested) : toast(texts.statusNotSent, 'warn'),
    onError: (error) => toast(problemText(t, error), 'bad'),
    onSettled: () => refresh(['messages']),
  });
  if (!mayChange || tso === null || delivery_date === null) return null;
  return (
    <Button icon="send" isBusy={request.isPending} onClick={() => request.mutate({ tso, delivery_date })}>
      {texts.requestStatus}
    </Button>
  );
}

function MessageFacts({ message }: { message: Message }) {
  const { t } = useI18n();
  const texts = MESSAGE_TEXTS[t.language];
  const { format, version, file_name, answers, created_at, sent_at, direction } = message;
  return (
    <Panel>
      <Facts>
        <Fact label={t.common.direction}>{texts.directionTexts[direction]}</Fact>
        <Fact label={texts.format}>{format?.toUpperCase() ?? texts.unknown}</Fact>
        {version !== null && <Fact label={texts.version}>{version}</Fact>}
        <Fact label={texts.stored}>
          <Instant at={created_at} withUtc />
        </Fact>
        {direction === 'out' && (
          <Fact label={texts.sentAt}>{sent_at ? <Instant at={sent_at} withUtc /> : t.common.notYet}</Fact>
        )}
        {file_name && (
          <Fact label={texts.fileName}>
            <Code text={file_name} />
          </Fact>
        )}
        {answers && (
          <Fact label={texts.answerTo}>
            <AnsweredSchedule id={answers} />
          </Fact>
        )}
        <Fact label={t.common.id}>
          <Code text={message.id} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function AnsweredSchedule({ id }: { id: string }) {
  const { data } = useQuery(messageQuery(id));
  return data ? <MessageLink message={data} /> : id;
}

function Answers({ message }: { message: Message }) {
  const { t } = useI18n();
  const texts = MESSAGE_TEXTS[t.language];
  const query = useQuery(answersQuery(message));
  return (
    <Panel title={texts.answers} isFlush>
      <Loaded query={query} loading={<Skeleton lines={3} />}>
        {(answers) =>
          answers.length === 0 ? (
            <EmptyState title={texts.noAnswers} />
          ) : (
            <MessageTable messages={answers} label={texts.answers} />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** A document may have megabytes; only its beginning is displayed. */
const SHOWN_CHARACTERS = 100_000;

function DocumentPanel({ id }: { id: string }) {
  const { t, format } = useI18n();
  const texts = MESSAGE_TEXTS[t.language];
  const query = useQuery(documentQuery(id));
  if (isProblem(query.error, 'message_not_found')) {
    return (
      <Panel title={texts.document}>
        <EmptyState title={texts.documentGone} text={texts.documentGoneText} />
      </Panel>
    );
  }
  return (
    <Loaded query={query}>
      {(document) => {
        const isShortened = document.length > SHOWN_CHARACTERS;
        const text = isShortened
          ? texts.shortened(format.bytes(SHOWN_CHARACTERS), format.bytes(document.length))
          : texts.documentText;
        return (
          <Panel
            title={texts.document}
            text={text}
            isFlush
            actions={
              <>
                <CopyButton text={document} what={texts.theDocument} />
                {/* The server sets the file name and returns the document byte for byte. */}
                <a href={`/operator/v1/messages/${id}/raw`} download className={buttonClass()}>
                  <Icon name="download" />
                  {texts.download}
                </a>
              </>
            }
          >
            <pre
              role="group"
              aria-label={texts.document}
              tabIndex={0}
              className="max-h-[34rem] overflow-auto p-4 font-mono text-xs -outline-offset-2"
            >
              {isShortened ? document.slice(0, SHOWN_CHARACTERS) : document}
            </pre>
          </Panel>
        );
      }}
    </Loaded>
  );
}
