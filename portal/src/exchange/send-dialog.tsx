import { TSOS, type Tso } from '@saldo/api';
import { addDays, type DeliveryDay, isDay } from '@saldo/core/delivery-day.ts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DateField, Form, SelectField } from '../ui/form.tsx';
import { Notice } from '../ui/states.tsx';
import type { UnsentFilters } from './filters.ts';
import { MessageLink } from './message-badges.tsx';
import { EXCHANGE_TEXTS } from './texts.ts';

type Sent = Awaited<ReturnType<typeof operatorClient.exchange.send>>;
type Props = { filters: UnsentFilters; today: DeliveryDay; onClose: () => void };

/** Sends unsent nominations immediately instead of waiting for the scheduled time before the gate. */
export function SendDialog({ filters, today, onClose }: Props) {
  const { t } = useI18n();
  const texts = EXCHANGE_TEXTS[t.language];
  const refresh = useRefresh();
  const [days, setDays] = useState<'all' | 'one'>(filters.day === undefined ? 'all' : 'one');
  const [day, setDay] = useState(filters.day ?? addDays(today, 1));
  const [tso, setTso] = useState<Tso | ''>(filters.tso ?? '');
  const send = useMutation({
    mutationFn: (of: { delivery_date: DeliveryDay | undefined; tso: Tso | undefined }) =>
      operatorClient.exchange.send(given(of)),
    onSettled: () => void refresh(['unsent'], ['messages'], ['nominations'], ['nomination'], ['mismatches']),
  });
  return (
    <Dialog title={texts.sendTitle} onClose={onClose}>
      <Form
        error={send.error}
        fields={['delivery_date', 'tso']}
        isUnsaved={false}
        onSubmit={() =>
          send.mutate({
            delivery_date: days === 'one' ? day : undefined,
            tso: tso === '' ? undefined : tso,
          })
        }
      >
        <p className="text-sm text-muted">{texts.sendText}</p>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            name="days"
            label={t.common.day}
            value={days}
            options={[
              { value: 'all', label: texts.allDays },
              { value: 'one', label: texts.oneDay },
            ]}
            onChange={setDays}
          />
          {days === 'one' && (
            <DateField name="delivery_date" label={texts.oneDay} value={day} onChange={setDay} />
          )}
        </div>
        <SelectField<Tso | ''>
          name="tso"
          label={t.common.controlArea}
          hint={texts.sendRejected}
          value={tso}
          options={[
            { value: '', label: t.common.any },
            ...TSOS.map((value) => ({ value, label: t.common.tsos[value] })),
          ]}
          onChange={setTso}
        />
        {send.data && <Result sent={send.data} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{send.data ? t.common.close : t.common.cancel}</Button>
          <Button
            type="submit"
            variant="primary"
            icon="send"
            isBusy={send.isPending}
            disabled={days === 'one' && !isDay(day)}
          >
            {texts.send}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function Result({ sent: { messages, faults } }: { sent: Sent }) {
  const { t, format } = useI18n();
  const texts = EXCHANGE_TEXTS[t.language];
  return (
    <>
      {(messages.length > 0 || faults.length === 0) && (
        <Notice tone="ok">
          <div className="grid gap-1">
            <p>{messages.length === 0 ? texts.sentNone : texts.sentCount(messages.length)}</p>
            <ul>
              {messages.map((message) => (
                <li key={message.id}>
                  <MessageLink message={message} />
                </li>
              ))}
            </ul>
          </div>
        </Notice>
      )}
      {faults.length > 0 && (
        <Notice tone="bad">
          <div className="grid gap-1">
            <p>{texts.faults(faults.length)}</p>
            <ul className="list-disc pl-4">
              {faults.map(({ delivery_date, tso, error }) => (
                <li key={delivery_date + tso + error}>
                  {`${format.day(delivery_date)}, ${t.common.tsos[tso]}: ${error}`}
                </li>
              ))}
            </ul>
          </div>
        </Notice>
      )}
    </>
  );
}
