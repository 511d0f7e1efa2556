import { OFFER_PPA_TYPES, type OperatorAsset } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { changeOf, useChange, type Versioned } from '../session/versions.ts';
import { Button } from '../ui/button.tsx';
import { ConflictNotice, type Described } from '../ui/conflict.tsx';
import { DateField, DecimalField, Form, SelectField } from '../ui/form.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import type { useInput } from '../ui/use-input.ts';
import { CoverField } from './cover-field.tsx';
import { InfoField, PlaceFields, useFaults } from './offer-fields.tsx';
import { type OfferInputs, offerBody, offerFaults, offerInputs } from './offer-input.ts';
import { assetQuery } from './operator-queries.ts';
import { PriceLadderEditor } from './price-ladder-editor.tsx';
import { MARKET_TEXTS } from './texts.ts';

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

/** An offer as entered, and whether there is one. */
type OfferFormInput = OfferInputs & { readonly isOffered: boolean };

export const offerFormInput = (asset: OperatorAsset): OfferFormInput => ({
  ...offerInputs(asset),
  isOffered: asset.offer !== null,
});

/** The fields in which two versions of an offer may differ, for a notice of conflict. */
export function useOfferTexts(started: OfferFormInput | null, current: OfferFormInput) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  return (input: OfferFormInput): Described => {
    const isOffered = { [texts.offer]: input.isOffered ? texts.offered : texts.notOffered };
    if (started?.isOffered !== current.isOffered) return isOffered;
    const steps = input.pricing.map(
      ({ years, price }) =>
        `${MARKET_TEXTS[format.language].years(Number(years))} ${format.price(Number(price))}`,
    );
    return {
      [MARKET_TEXTS[format.language].ppaType]: MARKET_TEXTS[format.language].ppaTypes[input.ppaType],
      [MARKET_TEXTS[format.language].deliveryStart]: input.start && format.day(input.start),
      [texts.annualMwh]: input.annualMwh && format.number(Number(input.annualMwh)),
      [MARKET_TEXTS[format.language].country]: format.country(input.country),
      [MARKET_TEXTS[format.language].state]: input.state,
      [texts.ladder]: steps.join(', '),
      [MARKET_TEXTS[format.language].info]: input.info,
      [texts.cover]: input.coverUrl,
    };
  };
}

export type OfferFormState = ReturnType<typeof useInput<OfferFormInput>>;

type Props = {
  version: Versioned<OperatorAsset>;
  form: OfferFormState;
  onSaved: () => void;
};

/** The input that was sent, and the record that the server made of it. */
type Saved = { readonly sent: OfferFormInput; readonly saved: OperatorAsset };

/** Publishes an offer, or changes the existing one. */
export function OfferForm({ version, form, onSaved }: Props) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const { record: asset } = version;
  const { input: inputs, set, isUnsaved, started, reset, takeOver } = form;
  const stored = offerFormInput(asset);
  const describe = useOfferTexts(started, stored);
  const save = useChange(
    useChangeHandlers<Saved>({
      toast: ({ saved: { name } }) =>
        asset.offer ? t.operator.savedToast(name) : texts.publishedToast(name),
      refresh: [['assets']],
      onDone: ({ sent, saved }) => {
        takeOver(sent, offerFormInput(saved));
        onSaved();
      },
    }),
  );
  const send = () => {
    const body = { offer: offerBody(inputs, asset.offer) };
    save.mutate(
      changeOf({
        query: assetQuery(asset.id),
        from: version,
        partOf: offerFormInput,
        send: async (options) => ({
          sent: inputs,
          saved: await operatorClient.assets.update(asset.id, body, options),
        }),
      }),
    );
  };
  const { errorOf, submit } = useFaults(offerFaults(inputs), send);
  return (
    <Form error={save.error} fields={FIELDS} isUnsaved={isUnsaved} onSubmit={submit}>
      <ConflictNotice
        recordId={asset.id}
        started={started}
        current={stored}
        describe={describe}
        onReset={reset}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          name="offer.ppa_type"
          label={MARKET_TEXTS[format.language].ppaType}
          value={inputs.ppaType}
          options={OFFER_PPA_TYPES.map((value) => ({
            value,
            label: MARKET_TEXTS[format.language].ppaTypes[value],
          }))}
          onChange={(ppaType) => set({ ppaType })}
        />
        <DateField
          name="offer.delivery_start"
          label={MARKET_TEXTS[format.language].deliveryStart}
          hint={texts.startHint}
          error={errorOf('offer.delivery_start')}
          value={inputs.start}
          onChange={(start) => set({ start })}
        />
        <DecimalField
          name="offer.average_annual_power"
          label={texts.annualMwh}
          hint={texts.optional}
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
