import { type Message, SIMULATED_ANSWERS, type SimulatedAnswer } from '@saldo/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { healthQuery } from '../health/queries.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { operatorClient } from '../session/operator-client.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { useToast } from '../ui/toast.tsx';
import { MessageLink, MessageState } from './message-badges.tsx';
import { MESSAGE_TEXTS } from './message-texts.ts';
import { waitingSchedulesQuery } from './queries.ts';
import { SIMULATOR_TEXTS } from './simulator-texts.ts';

/** Lets the simulated TSOs answer schedules. Empty on a platform with real data. */
export function SimulatorPanel() {
  const { t } = useI18n();
  const texts = SIMULATOR_TEXTS[t.language];
  const { data: canSimulate = false } = useQuery({
    ...healthQuery,
    select: ({ can_simulate }) => can_simulate,
    refetchInterval: false,
  });
  const query = useQuery({ ...waitingSchedulesQuery, enabled: canSimulate });
  if (!canSimulate) return null;
  return (
    <Panel title={texts.title} text={texts.text} isFlush>
      <Loaded query={query} loading={<Skeleton lines={3} />}>
        {(schedules) =>
          schedules.length === 0 ? (
            <p className="p-4 text-sm text-muted">{texts.empty}</p>
          ) : (
            <ScheduleTable schedules={schedules} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function ScheduleTable({ schedules }: { schedules: readonly Message[] }) {
  const { t, format } = useI18n();
  const texts = SIMULATOR_TEXTS[t.language];
  const queryClient = useQueryClient();
  const toast = useToast();
  const simulate = useMutation({
    mutationFn: ({ id, answer }: { id: string; answer: SimulatedAnswer }) =>
      operatorClient.exchange.simulateAnswer(id, { answer }),
    onSuccess: ({ messages }) => {
      const ignored = messages.find(({ state }) => state === 'ignored');
      if (ignored?.error) toast(ignored.error, 'warn');
      else toast(texts.done(messages.length));
    },
    onError: (error) => toast(problemText(t, error), 'bad'),
    onSettled: () => queryClient.invalidateQueries(),
  });
  const columns: readonly Column<Message>[] = [
    {
      id: 'schedule',
      header: t.exchange.message.types.schedule,
      cell: (message) => <MessageLink message={message} />,
    },
    {
      id: 'state',
      header: MESSAGE_TEXTS[t.language].state,
      from: 'sm',
      cell: ({ state }) => <MessageState state={state} />,
    },
    {
      id: 'answers',
      header: texts.answers,
      cell: ({ id, tso, delivery_date }) => {
        const about = [tso && t.common.tsos[tso], delivery_date && format.dayShort(delivery_date)];
        return (
          <span className="grid gap-1 sm:flex sm:flex-wrap">
            {SIMULATED_ANSWERS.map((answer) => (
              <Button
                key={answer}
                aria-label={`${texts.kinds[answer]}: ${about.filter(Boolean).join(' · ')}`}
                isBusy={simulate.isPending}
                onClick={() => simulate.mutate({ id, answer })}
              >
                {texts.kinds[answer]}
              </Button>
            ))}
          </span>
        );
      },
    },
  ];
  return <DataTable label={texts.title} columns={columns} rows={schedules} rowKey={({ id }) => id} />;
}
