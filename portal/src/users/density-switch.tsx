import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { applyDensity, isStoredDense } from '../ui/theme.ts';

const TEXTS = {
  en: 'Dense pages: more rows on a screen',
  de: 'Kompakte Seiten: mehr Zeilen auf einem Bildschirm',
};

/** Dense pages, stored in this browser. */
export function DensitySwitch() {
  const { t } = useI18n();
  const [isDense, setIsDense] = useState(isStoredDense);
  return (
    <label className="target flex items-center gap-2 text-sm touch:min-h-10">
      <input
        type="checkbox"
        role="switch"
        checked={isDense}
        onChange={({ target: { checked } }) => {
          applyDensity(checked);
          setIsDense(checked);
        }}
      />{' '}
      {TEXTS[t.language]}
    </label>
  );
}
