import { type Alarm, LIMITS } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { ContractLink } from '../references/links.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { usePermission } from '../session/session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons, TextField } from '../ui/form.tsx';
import { Instant } from '../ui/time.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { DeadlineTime } from './attention.tsx';
import type { Due } from './attention-items.ts';

const SEVERITY_TONES: Readonly<Record<Alarm['severity'], Tone>> = { critical: 'bad', warning: 'warn' };

type Acknowledge = (alarm: Alarm) => void;
type RowProps = { item: Due; onAcknowledge: Acknowledge };

/** An alarm, or those of several contracts, in the list of what needs attention. */
export function AlarmRow({ item: { alarms, deadline }, onAcknowledge }: RowProps) {
  const { t, format } = useI18n();
  const texts = t.exchange.alarm;
  const [alarm] = alarms;
  if (alarm === undefined) return null;
  const { kind, severity, tso, delivery_date, since } = alarm;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 py-2.5 text-sm">
      <div className="grid min-w-0 flex-1 basis-80 gap-0.5">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={SEVERITY_TONES[severity]}>{texts.severities[severity]}</Badge>
          <span className="font-medium">{texts.kinds[kind]}</span>
          {tso && <span>{t.common.tsos[tso]}</span>}
          {delivery_date && <span className="text-muted">{format.day(delivery_date)}</span>}
          <span className="text-xs text-muted">
            {`${texts.since} `}
            <Instant at={since} />
          </span>
        </p>
        {alarms.length > 1 && <p className="text-muted">{texts.steps[kind]}</p>}
        <AlarmDetails alarms={alarms} onAcknowledge={onAcknowledge} />
      </div>
      {deadline !== null && <DeadlineTime deadline={deadline} />}
    </div>
  );
}

function AlarmDetails({ alarms, onAcknowledge }: { alarms: readonly Alarm[]; onAcknowledge: Acknowledge }) {
  const { t } = useI18n();
  const texts = t.exchange.alarm;
  const mayChange = usePermission('member');
  const textOf = (alarm: Alarm) => (
    <>
      <p className="break-words">{alarm.text}</p>
      {alarms.length === 1 && <p className="text-muted">{texts.steps[alarm.kind]}</p>}
      <div className="mt-1 flex flex-wrap items-center gap-3">
        <AlarmLink alarm={alarm} />
        {mayChange && <Button onClick={() => onAcknowledge(alarm)}>{texts.acknowledge}</Button>}
      </div>
    </>
  );
  const [alarm] = alarms;
  if (alarm && alarms.length === 1) return textOf(alarm);
  return (
    <details>
      <summary className="font-medium">{t.attention.contracts(alarms.length)}</summary>
      <ul className="mt-1 grid gap-2">
        {alarms.map((one) => (
          <li key={one.id}>{textOf(one)}</li>
        ))}
      </ul>
    </details>
  );
}

/** Link to the contract or message that the alarm concerns, else to the unsent nominations of its day. */
function AlarmLink({ alarm: { contract_id, message_id, delivery_date, tso } }: { alarm: Alarm }) {
  const { t } = useI18n();
  const look = 'text-accent-strong hover:underline';
  if (contract_id !== null)
    return (
      <ContractLink
        id={contract_id}
        search={delivery_date === null ? {} : { day: delivery_date }}
        className={look}
      >
        {t.exchange.alarm.toContract}
      </ContractLink>
    );
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

export function AcknowledgeDialog({ alarm, onClose }: { alarm: Alarm; onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.exchange.alarm;
  const [note, setNote] = useState('');
  const acknowledge = useMutation({
    mutationFn: (acknowledged: { id: string; note: string }) =>
      operatorClient.exchange.acknowledgeAlarm(acknowledged.id, { note: acknowledged.note }),
    ...useChangeHandlers({
      toast: () => texts.acknowledged,
      refresh: [['alarms'], ['audit']],
      onDone: onClose,
    }),
  });
  return (
    <Dialog title={`${texts.acknowledge}: ${texts.kinds[alarm.kind]}`} onClose={onClose}>
      <Form
        error={acknowledge.error}
        fields={['note']}
        onSubmit={() => acknowledge.mutate({ id: alarm.id, note })}
      >
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
