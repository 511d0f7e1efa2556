import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FormProblem } from '../ui/form.tsx';
import { Fact, Facts } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { Segments } from '../ui/tabs.tsx';
import { RUN_TEXTS } from './operator-texts.ts';

/** Runs netting immediately instead of waiting for the job. */
export function RunDialog({ day, onClose }: { day: DeliveryDay; onClose: () => void }) {
  const { t, format } = useI18n();
  const texts = RUN_TEXTS[t.language];
  const refresh = useRefresh();
  const [days, setDays] = useState<'all' | 'one'>('all');
  const run = useMutation({
    mutationFn: (of: { delivery_date?: DeliveryDay }) => operatorClient.nominations.run(of),
    onSettled: () => void refresh(['nominations'], ['health']),
  });
  return (
    <Dialog title={texts.runTitle} onClose={onClose}>
      <div className="grid gap-4">
        <p className="text-sm text-muted">{texts.runText}</p>
        <div>
          <Segments
            label={texts.runDays}
            value={days}
            onChange={setDays}
            tabs={[
              { value: 'all', label: texts.allDays },
              { value: 'one', label: format.day(day) },
            ]}
          />
        </div>
        <FormProblem error={run.error} />
        {run.data && (
          <Notice tone={run.data.too_late > 0 ? 'warn' : 'ok'}>
            <div className="w-full text-text">
              <Facts>
                <Fact label={texts.positions}>{format.number(run.data.positions)}</Fact>
                <Fact label={texts.created}>{format.number(run.data.created)}</Fact>
                <Fact label={texts.unchanged}>{format.number(run.data.unchanged)}</Fact>
                <Fact label={texts.tooLate}>{format.number(run.data.too_late)}</Fact>
              </Facts>
            </div>
          </Notice>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{run.data ? t.common.close : t.common.cancel}</Button>
          <Button
            variant="primary"
            icon="steps"
            isBusy={run.isPending}
            onClick={() => run.mutate(days === 'all' ? {} : { delivery_date: day })}
          >
            {run.data ? texts.runAgain : texts.run}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
