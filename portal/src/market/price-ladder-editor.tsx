import { LIMITS } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { DecimalField, TextField } from '../ui/form.tsx';
import type { PriceInput } from './offer-input.ts';
import { MARKET_TEXTS } from './texts.ts';

type Props = {
  pricing: readonly PriceInput[];
  errorOf: (name: string) => string | undefined;
  onChange: (pricing: readonly PriceInput[]) => void;
};

/** The price for each duration, one row each. */
export function PriceLadderEditor({ pricing, errorOf, onChange }: Props) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const change = (id: number, to: Partial<PriceInput>) =>
    onChange(pricing.map((step) => (step.id === id ? { ...step, ...to } : step)));
  const add = () => {
    const id = Math.max(-1, ...pricing.map((step) => step.id)) + 1;
    onChange([...pricing, { id, years: '', price: '' }]);
  };
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">{texts.ladder}</legend>
      <p className="text-xs text-muted">{texts.ladderHint}</p>
      <div aria-hidden="true" className="grid grid-cols-[6rem_minmax(0,10rem)_auto] gap-2 text-xs text-muted">
        <span>{texts.ladderYears}</span>
        <span>{MARKET_TEXTS[format.language].priceUnit}</span>
      </div>
      {pricing.map(({ id, years, price }, row) => (
        <div key={id} className="grid grid-cols-[6rem_minmax(0,10rem)_auto] items-start gap-2">
          <TextField
            name={`offer.pricing[${row}].years`}
            label={texts.ladderYearsOf(row + 1)}
            isLabelHidden
            inputMode="numeric"
            autoComplete="off"
            error={errorOf(`offer.pricing[${row}].years`)}
            value={years}
            onChange={(next) => change(id, { years: next })}
          />
          <DecimalField
            name={`offer.pricing[${row}].price`}
            label={texts.ladderPriceOf(row + 1)}
            isLabelHidden
            error={errorOf(`offer.pricing[${row}].price`)}
            value={price}
            onChange={(next) => change(id, { price: next })}
          />
          <span>
            <IconButton
              icon="trash"
              label={texts.removeStep(row + 1)}
              disabled={pricing.length === 1}
              onClick={() => onChange(pricing.filter((step) => step.id !== id))}
            />
          </span>
        </div>
      ))}
      <div>
        <Button icon="plus" disabled={pricing.length >= LIMITS.contractYears.maximum} onClick={add}>
          {texts.addStep}
        </Button>
      </div>
    </fieldset>
  );
}
