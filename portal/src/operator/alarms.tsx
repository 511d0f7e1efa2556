import { type Alarm, LIMITS } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useMayManage } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons, TextField } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { alarmsQuery } from './alarms-query.ts';

const SEVERITY_TONES: Readonly<Record<Alarm['severity'], Tone>> = { critical: 'bad', warning: 'warn' };

/** The open alarms of the exchange, newest first. */
export function AlarmsPanel() {
  const { t } = useI18n();
  const texts = t.exchange.alarm;
  const query = useQuery(alarmsQuery);
  const [acknowledging, setAcknowledging] = useState<Alarm | null>(null);
  return (
    <Panel title={texts.title} isFlush actions={query.data && <AlarmCount list={query.data} />}>
      <div aria-live="polite">
        <Loaded query={query} loading={<Skeleton lines={2} />}>
          {({ alarms }) =>
            alarms.length === 0 ? (
              <p className="px-4 py-3 text-sm text-muted">{texts.none}</p>
            ) : (
              <ul className="divide-y divide-line">
                {alarms.map((alarm) => (
                  <AlarmItem key={alarm.id} alarm={alarm} onAcknowledge={() => setAcknowledging(alarm)} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
      {acknowledging && <AcknowledgeDialog alarm={acknowledging} onClose={() => setAcknowledging(null)} />}
    </Panel>
  );
}

type AlarmList = Awaited<ReturnType<typeof operatorClient.exchange.alarms>>;

function AlarmCount({ list: { alarms, pagination } }: { list: AlarmList }) {
  const isCritical = alarms.some(({ severity }) => severity === 'critical');
  const tone = alarms.length === 0 ? 'ok' : isCritical ? 'bad' : 'warn';
  return <Badge tone={tone}>{`${pagination.has_more ? '> ' : ''}${alarms.length}`}</Badge>;
}

function AlarmItem({ alarm, onAcknowledge }: { alarm: Alarm; onAcknowledge: () => void }) {
  const { t, format } = useI18n();
  const texts = t.exchange.alarm;
  const mayManage = useMayManage();
  const { kind, severity, tso, delivery_date, since, text } = alarm;
  const about = [tso && t.common.tsos[tso], delivery_date && format.day(delivery_date)].filter(Boolean);
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 py-3 text-sm">
      <div className="grid min-w-0 flex-1 basis-80 gap-1">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={SEVERITY_TONES[severity]}>{texts.severities[severity]}</Badge>
          <span className="font-medium">{texts.kinds[kind]}</span>
          {about.length > 0 && <span>{about.join(' · ')}</span>}
          <span className="text-xs text-muted">
            {`${texts.since} `}
            <Instant at={since} />
          </span>
        </p>
        <p className="break-words text-muted">{t.problems.serverText(text)}</p>
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <AlarmLink alarm={alarm} />
        {mayManage && <Button onClick={onAcknowledge}>{texts.acknowledge}</Button>}
      </div>
    </li>
  );
}

/** Link to the message that the alarm concerns, else to the unsent nominations of its day. */
function AlarmLink({ alarm: { message_id, delivery_date, tso } }: { alarm: Alarm }) {
  const { t } = useI18n();
  const look = 'text-accent-strong hover:underline';
  if (message_id !== null)
    return (
      <Link to="/operator/messages/$messageId" params={{ messageId: message_id }} className={look}>
        {t.exchange.alarm.toMessage}
      </Link>
    );
  if (delivery_date === null || tso === null) return null;
  return (
    <Link to="/operator/exchange" search={{ day: delivery_date, tso }} className={look}>
      {t.exchange.alarm.toUnsent}
    </Link>
  );
}

function AcknowledgeDialog({ alarm, onClose }: { alarm: Alarm; onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.exchange.alarm;
  const toast = useToast();
  const refresh = useRefresh();
  const [note, setNote] = useState('');
  const acknowledge = useMutation({
    mutationFn: () => operatorClient.exchange.acknowledgeAlarm(alarm.id, { note }),
    onSuccess: () => {
      toast(texts.acknowledged);
      onClose();
    },
    onSettled: () => refresh(['alarms'], ['audit']),
  });
  return (
    <Dialog title={`${texts.acknowledge}: ${texts.kinds[alarm.kind]}`} onClose={onClose}>
      <Form error={acknowledge.error} fields={['note']} onSubmit={() => acknowledge.mutate()}>
        <p className="text-sm text-muted">{texts.acknowledgeText}</p>
        <TextField
          name="note"
          label={texts.note}
          hint={texts.noteHint}
          autoComplete="off"
          maxLength={LIMITS.reasonLength}
          value={note}
          onChange={setNote}
        />
        <FormButtons action={texts.acknowledge} isBusy={acknowledge.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
