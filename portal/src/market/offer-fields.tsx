import { LIMITS } from '@saldo/api';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { TextAreaField, TextField } from '../ui/form.tsx';
import { COUNTRY_LENGTH, type Faults } from './offer-input.ts';
import { MARKET_TEXTS } from './texts.ts';

/** Input errors are shown at their fields, from the first submit until they are fixed. */
export function useFaults(faults: Faults, send: () => void) {
  const { format } = useI18n();
  const [isTried, setIsTried] = useState(false);
  return {
    errorOf: (name: string) => {
      const fault = isTried ? faults.get(name) : undefined;
      return fault && MARKET_TEXTS[format.language].operator.faults[fault];
    },
    submit: () => {
      setIsTried(faults.size > 0);
      if (faults.size === 0) send();
    },
  };
}

/** Location fields that offers and demands share. */
type Place = { readonly country: string; readonly state: string };

type PlaceProps = {
  /** Prefix of the field names. */
  prefix?: string;
  value: Place;
  onChange: (change: Partial<Place>) => void;
};

export function PlaceFields({ prefix = '', value, onChange }: PlaceProps) {
  const { format } = useI18n();
  return (
    <>
      <TextField
        name={`${prefix}country`}
        label={MARKET_TEXTS[format.language].country}
        hint={MARKET_TEXTS[format.language].countryHint}
        maxLength={COUNTRY_LENGTH}
        value={value.country}
        onChange={(country) => onChange({ country })}
      />
      <TextField
        name={`${prefix}state`}
        label={MARKET_TEXTS[format.language].state}
        hint={MARKET_TEXTS[format.language].operator.optional}
        maxLength={LIMITS.nameLength}
        value={value.state}
        onChange={(state) => onChange({ state })}
      />
    </>
  );
}

type InfoProps = { name: string; value: string; onChange: (info: string) => void };

export function InfoField(props: InfoProps) {
  const { format } = useI18n();
  return (
    <TextAreaField
      {...props}
      label={MARKET_TEXTS[format.language].info}
      hint={MARKET_TEXTS[format.language].operator.optional}
      maxLength={LIMITS.additionalInfoLength}
    />
  );
}
