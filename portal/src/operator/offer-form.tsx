import { OFFER_PPA_TYPES, type OperatorAsset } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { type OfferInputs, offerBody, offerFaults } from '../domain/offer.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button } from '../ui/button.tsx';
import { DateField, Form, SelectField, TextField } from '../ui/form.tsx';
import { useToast } from '../ui/toast.tsx';
import { CoverField } from './cover-field.tsx';
import { InfoField, PlaceFields, useFaults } from './market-fields.tsx';
import { PriceLadderEditor } from './price-ladder-editor.tsx';

const FIELDS = [
  'offer.ppa_type',
  'offer.delivery_start',
  'offer.average_annual_power',
  'offer.state',
  'offer.country',
  'offer.additional_info',
  'offer.cover_url',
  'offer.pricing',
];

type Props = {
  asset: OperatorAsset;
  inputs: OfferInputs;
  isUnsaved: boolean;
  onChange: (inputs: OfferInputs) => void;
  onSaved: () => void;
};

/** Publishes an offer, or changes the existing one. */
export function OfferForm({ asset, inputs, isUnsaved, onChange, onSaved }: Props) {
  const { t } = useI18n();
  const texts = t.market.operator;
  const toast = useToast();
  const refresh = useRefresh();
  const set = (change: Partial<OfferInputs>) => onChange({ ...inputs, ...change });
  const save = useMutation({
    mutationFn: () => operatorClient.assets.update(asset.id, { offer: offerBody(inputs, asset.offer) }),
    onSuccess: async ({ name }) => {
      toast(asset.offer ? t.operator.savedToast(name) : texts.publishedToast(name));
      await refresh(['assets']);
      onSaved();
    },
  });
  const { errorOf, submit } = useFaults(offerFaults(inputs), save.mutate);
  return (
    <Form error={save.error} fields={FIELDS} isUnsaved={isUnsaved} onSubmit={submit}>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          name="offer.ppa_type"
          label={t.market.ppaType}
          value={inputs.ppaType}
          options={OFFER_PPA_TYPES.map((value) => ({ value, label: t.market.ppaTypes[value] }))}
          onChange={(ppaType) => set({ ppaType })}
        />
        <DateField
          name="offer.delivery_start"
          label={t.market.deliveryStart}
          hint={texts.startHint}
          error={errorOf('offer.delivery_start')}
          value={inputs.start}
          onChange={(start) => set({ start })}
        />
        <TextField
          name="offer.average_annual_power"
          label={texts.annualMwh}
          hint={texts.optional}
          inputMode="decimal"
          error={errorOf('offer.average_annual_power')}
          value={inputs.annualMwh}
          onChange={(annualMwh) => set({ annualMwh })}
        />
        <PlaceFields prefix="offer." value={inputs} onChange={set} />
      </div>
      <PriceLadderEditor
        pricing={inputs.pricing}
        errorOf={errorOf}
        onChange={(pricing) => set({ pricing })}
      />
      <InfoField name="offer.additional_info" value={inputs.info} onChange={(info) => set({ info })} />
      <CoverField url={inputs.coverUrl} onChange={(coverUrl) => set({ coverUrl })} />
      <div className="flex justify-end">
        <Button type="submit" variant="primary" isBusy={save.isPending}>
          {asset.offer ? t.common.save : texts.publish}
        </Button>
      </div>
    </Form>
  );
}
