import type { SourceInput } from '@saldo/api';
import { useState } from 'react';
import { useSeriesTexts } from '../series/series-texts.ts';
import { Checkbox } from '../ui/form.tsx';
import { useInput } from '../ui/use-input.ts';
import { EMPTY_SOURCE, isFaulty, isSourceKind, ownersOf, readSource } from './source.ts';
import { SourceFields, useOfferedSeries } from './source-fields.tsx';

type About = {
  readonly type: string;
  readonly ppaType: string;
  readonly asset: string;
  readonly buyer: string;
};

/** The source of a contract that is being created. */
export function useNewSource({ type, ppaType, asset, buyer }: About) {
  const form = useInput({ ...EMPTY_SOURCE, isWanted: false });
  const [isTried, setIsTried] = useState(false);
  const { isWanted } = form.input;
  /** Null for a contract that can have no source. */
  const kind = type === 'ppa' && isSourceKind(ppaType) ? ppaType : null;
  const owners = kind === null || !isWanted ? [] : ownersOf(kind, asset, [buyer]);
  const offered = useOfferedSeries(owners) ?? [];
  const read = kind === null || !isWanted ? null : readSource(form.input, kind, offered);
  return {
    ...form,
    kind,
    offered,
    hasOwner: owners.length > 0,
    faults: isTried && isFaulty(read) ? read : new Set<never>(),
    /** The source to send, or null without one. If it is faulty, the fields show it from now on. */
    submitted: (): SourceInput | 'faulty' | null => {
      setIsTried(true);
      return isFaulty(read) ? 'faulty' : read;
    },
  };
}

export function NewSourceFields({ source }: { source: ReturnType<typeof useNewSource> }) {
  const texts = useSeriesTexts().source;
  const { kind, input, set, offered, hasOwner, faults } = source;
  if (kind === null) return null;
  return (
    <fieldset className="grid gap-3 rounded-md border border-line p-4">
      <legend className="px-1 text-sm font-medium">{texts.title}</legend>
      <Checkbox
        name="has_source"
        label={texts.isWanted}
        checked={input.isWanted}
        onChange={(isWanted) => set({ isWanted })}
      />
      {input.isWanted && (
        <SourceFields
          kind={kind}
          offered={offered}
          hasOwner={hasOwner}
          input={input}
          set={set}
          faults={faults}
        />
      )}
    </fieldset>
  );
}
