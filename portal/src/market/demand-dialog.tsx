import type { Demand } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { changeOf, useChange, type Versioned } from '../session/versions.ts';
import { Button } from '../ui/button.tsx';
import { ConflictNotice, type Described, WithdrawnNotice } from '../ui/conflict.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DateField, DecimalField, Form, FormButtons, TextField } from '../ui/form.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput } from '../ui/use-input.ts';
import { InfoField, PlaceFields, useFaults } from './offer-fields.tsx';
import { type DemandInputs, demandBody, demandFaults, demandInputs, NEW_DEMAND } from './offer-input.ts';
import { demandQuery } from './operator-queries.ts';
import { MARKET_TEXTS } from './texts.ts';

const FIELDS = [
  'contract_period',
  'delivery_volume',
  'delivery_start',
  'state',
  'country',
  'additional_info',
];

/** Publishes a demand. */
export function NewDemandDialog({ onClose }: { onClose: () => void }) {
  const { format } = useI18n();
  return (
    <Dialog title={MARKET_TEXTS[format.language].operator.createDemandTitle} onClose={onClose}>
      <DemandForm version={null} onClose={onClose} />
    </Dialog>
  );
}

/** Changes a demand, unless it was withdrawn meanwhile. */
export function EditDemandDialog({ demand, onClose }: { demand: Demand; onClose: () => void }) {
  const { t, format } = useI18n();
  const query = useQuery(demandQuery(demand.id));
  return (
    <Dialog title={MARKET_TEXTS[format.language].operator.editDemandTitle} onClose={onClose}>
      {isProblem(query.error, 'demand_not_found') ? (
        <div className="grid gap-4">
          <WithdrawnNotice recordId={demand.id} />
          <div className="flex justify-end">
            <Button onClick={onClose}>{t.common.close}</Button>
          </div>
        </div>
      ) : (
        <Loaded query={query} loading={<Skeleton lines={8} />}>
          {(version) => <DemandForm version={version} onClose={onClose} />}
        </Loaded>
      )}
    </Dialog>
  );
}

/** The fields of a demand, for a notice of conflict. */
export function useDemandTexts(): (inputs: DemandInputs) => Described {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  return ({ years, annualMwh, start, state, country, info }) => ({
    [texts.volumeMwh]: format.number(Number(annualMwh)),
    [texts.periodYears]: years,
    [MARKET_TEXTS[format.language].country]: format.country(country),
    [MARKET_TEXTS[format.language].state]: state,
    [MARKET_TEXTS[format.language].deliveryStart]: start && format.day(start),
    [MARKET_TEXTS[format.language].info]: info,
  });
}

type FormProps = { version: Versioned<Demand> | null; onClose: () => void };

function DemandForm({ version, onClose }: FormProps) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const describe = useDemandTexts();
  const demand = version?.record ?? null;
  const stored = demand ? demandInputs(demand) : NEW_DEMAND;
  const { input: inputs, set, isUnsaved, started, reset } = useInput(stored);
  const save = useChange(
    useChangeHandlers<Demand>({ toast: () => texts.demandSaved, refresh: [['demands']], onDone: onClose }),
  );
  const send = () => {
    const body = demandBody(inputs, demand);
    const { demands } = operatorClient;
    save.mutate(
      changeOf({
        query: demandQuery(demand?.id ?? ''),
        from: version,
        partOf: demandInputs,
        send: (options) => (demand ? demands.update(demand.id, body, options) : demands.create(body)),
      }),
    );
  };
  const { errorOf, submit } = useFaults(demandFaults(inputs), send);
  return (
    <Form error={save.error} fields={FIELDS} isUnsaved={isUnsaved} onSubmit={submit}>
      {demand && (
        <ConflictNotice
          recordId={demand.id}
          started={started}
          current={stored}
          describe={describe}
          onReset={reset}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <DecimalField
          name="delivery_volume"
          label={texts.volumeMwh}
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
          label={MARKET_TEXTS[format.language].deliveryStart}
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
  );
}
