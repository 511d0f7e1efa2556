import type { Demand } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type DemandInputs, demandBody, demandFaults, demandInputs, NEW_DEMAND } from '../domain/offer.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Dialog } from '../ui/dialog.tsx';
import { DateField, Form, FormButtons, TextField } from '../ui/form.tsx';
import { useToast } from '../ui/toast.tsx';
import { InfoField, PlaceFields, useFaults } from './market-fields.tsx';

const FIELDS = [
  'contract_period',
  'delivery_volume',
  'delivery_start',
  'state',
  'country',
  'additional_info',
];

/** Publishes a demand, or changes the given one. */
export function DemandDialog({ demand, onClose }: { demand: Demand | null; onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.market.operator;
  const toast = useToast();
  const refresh = useRefresh();
  const [inputs, setInputs] = useState(() => (demand ? demandInputs(demand) : NEW_DEMAND));
  const set = (change: Partial<DemandInputs>) => setInputs({ ...inputs, ...change });
  const save = useMutation({
    mutationFn: () => {
      const body = demandBody(inputs, demand);
      return demand ? operatorClient.demands.update(demand.id, body) : operatorClient.demands.create(body);
    },
    onSuccess: async () => {
      toast(texts.demandSaved);
      await refresh(['demands']);
      onClose();
    },
  });
  const { errorOf, submit } = useFaults(demandFaults(inputs), save.mutate);
  return (
    <Dialog title={demand ? texts.editDemandTitle : texts.createDemandTitle} onClose={onClose}>
      <Form error={save.error} fields={FIELDS} onSubmit={submit}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            name="delivery_volume"
            label={texts.volumeMwh}
            inputMode="decimal"
            autoComplete="off"
            error={errorOf('delivery_volume')}
            value={inputs.annualMwh}
            onChange={(annualMwh) => set({ annualMwh })}
          />
          <TextField
            name="contract_period"
            label={texts.periodYears}
            inputMode="numeric"
            autoComplete="off"
            error={errorOf('contract_period')}
            value={inputs.years}
            onChange={(years) => set({ years })}
          />
          <PlaceFields value={inputs} onChange={set} />
          <DateField
            name="delivery_start"
            label={t.market.deliveryStart}
            hint={texts.optional}
            value={inputs.start}
            onChange={(start) => set({ start })}
          />
        </div>
        <InfoField name="additional_info" value={inputs.info} onChange={(info) => set({ info })} />
        <FormButtons
          action={demand ? t.common.save : texts.createDemand}
          isBusy={save.isPending}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
