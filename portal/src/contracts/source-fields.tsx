import type { Series } from '@saldo/api';
import type { SourceKind } from '@saldo/core/enums.ts';
import { useQueries } from '@tanstack/react-query';
import { ownerSeriesQuery } from '../series/queries.ts';
import { useSeriesTexts } from '../series/series-texts.ts';
import { DecimalField, SelectField } from '../ui/form.tsx';
import { Notice } from '../ui/states.tsx';
import type { SourceFault, SourceFieldsInput } from './source.ts';

export const SOURCE_FIELDS = ['source.forecast', 'source.meter', 'source.share', 'source.max_power_mw'];

/** The series of these plants and customers. Undefined while they load. */
export function useOfferedSeries(owners: readonly string[]): readonly Series[] | undefined {
  const results = useQueries({ queries: owners.map(ownerSeriesQuery) });
  return results.some(({ data }) => data === undefined)
    ? undefined
    : results.flatMap(({ data }) => data ?? []);
}

type Props = {
  kind: SourceKind;
  /** The series that fit the contract. */
  offered: readonly Series[];
  /** Whether the plant or the buyer is known whose series are offered. */
  hasOwner: boolean;
  input: SourceFieldsInput;
  set: (change: Partial<SourceFieldsInput>) => void;
  faults: ReadonlySet<SourceFault>;
};

/** The series that volumes follow, the share and the maximum power. */
export function SourceFields({ kind, offered, hasOwner, input, set, faults }: Props) {
  const texts = useSeriesTexts().source;
  if (!hasOwner)
    return <Notice tone="warn">{texts.noOwner[kind === 'consumed' ? 'customer' : 'asset']}</Notice>;
  if (offered.length === 0) return <Notice tone="warn">{texts.noSeries}</Notice>;
  const optionsOf = (of: Series['kind']) => [
    { value: '', label: texts.without },
    ...offered
      .filter((series) => series.kind === of)
      .map(({ id, name, market_location }) => ({
        value: id,
        label: [name, market_location].filter(Boolean).join(' · '),
      })),
  ];
  const missing = faults.has('series') ? texts.faults.series : undefined;
  return (
    <>
      <p className="text-sm text-muted">{texts.hint[kind]}</p>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField
          name="source.forecast"
          label={texts.forecast}
          error={missing}
          value={input.forecast}
          options={optionsOf('forecast')}
          onChange={(forecast) => set({ forecast })}
        />
        {kind !== 'forecasted' && (
          <SelectField
            name="source.meter"
            label={texts.meter}
            value={input.meter}
            options={optionsOf('meter')}
            onChange={(meter) => set({ meter })}
          />
        )}
        <DecimalField
          name="source.share"
          label={texts.share}
          hint={texts.shareHint}
          error={faults.has('share') ? texts.faults.share : undefined}
          value={input.share}
          onChange={(share) => set({ share })}
        />
        <DecimalField
          name="source.max_power_mw"
          label={texts.maxPower}
          hint={texts.maxPowerHint}
          error={faults.has('power') ? texts.faults.power : undefined}
          value={input.maxPower}
          onChange={(maxPower) => set({ maxPower })}
        />
      </div>
    </>
  );
}
