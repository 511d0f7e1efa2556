import type { Series } from '@saldo/api';
import type { SeriesKind } from '@saldo/core/enums.ts';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { NameField } from '../references/name-field.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { changeOf, useChange, type Versioned } from '../session/versions.ts';
import { ConflictNotice } from '../ui/conflict.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons, TextField } from '../ui/form.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput } from '../ui/use-input.ts';
import { LOCATION_LENGTH } from './filters.ts';
import { seriesQuery } from './queries.ts';
import { useSeriesTexts } from './series-texts.ts';

type SeriesInput = { readonly name: string; readonly location: string };

const seriesInput = ({ name, market_location }: Series): SeriesInput => ({
  name,
  location: market_location ?? '',
});

const bodyOf = ({ name, location }: SeriesInput) => ({
  name,
  market_location: location.trim() === '' ? null : location.trim(),
});

/** The plant or customer of a series, and its name. */
export type NamedOwner = Series['owner'] & { readonly name: string };

type NewProps = { kind: SeriesKind; owner: NamedOwner; onClose: () => void };

/** Creates the series of a plant or customer. */
export function NewSeriesDialog({ kind, owner, onClose }: NewProps) {
  const texts = useSeriesTexts();
  const { type, id } = owner;
  return (
    <SeriesDialog
      title={texts.createTitle[kind]}
      stored={{ name: texts.suggestedName(owner.name, texts.kinds[kind]), location: '' }}
      version={null}
      text={kind === 'meter' ? texts.createText : undefined}
      send={(input) => operatorClient.series.create({ kind, owner: { type, id }, ...bodyOf(input) })}
      onClose={onClose}
    />
  );
}

/** Changes the name and the market location of a series. */
export function EditSeriesDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useI18n();
  const texts = useSeriesTexts();
  const query = useQuery(seriesQuery(id));
  const version = query.data;
  if (version === undefined)
    return (
      <Dialog title={t.common.loading} onClose={onClose}>
        <Loaded query={query} loading={<Skeleton lines={4} />}>
          {() => null}
        </Loaded>
      </Dialog>
    );
  return (
    <SeriesDialog
      title={texts.editTitle(version.record.name)}
      stored={seriesInput(version.record)}
      version={version}
      send={(input, options) => operatorClient.series.update(id, bodyOf(input), options)}
      onClose={onClose}
    />
  );
}

type Props = {
  title: string;
  stored: SeriesInput;
  /** Null for a new series. */
  version: Versioned<Series> | null;
  text?: string | undefined;
  send: (input: SeriesInput, options: { ifMatch?: string }) => Promise<Series>;
  onClose: () => void;
};

function SeriesDialog({ title, stored, version, text, send, onClose }: Props) {
  const { t } = useI18n();
  const texts = useSeriesTexts();
  const { input, set, isUnsaved, started, reset } = useInput(stored);
  const save = useChange(
    useChangeHandlers<Series>({
      toast: ({ name }) => t.operator.savedToast(name),
      refresh: [['series']],
      onDone: onClose,
    }),
  );
  const submit = () =>
    save.mutate(
      changeOf({
        query: seriesQuery(version?.record.id ?? ''),
        from: version,
        partOf: seriesInput,
        send: (options) => send(input, options),
      }),
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <Form error={save.error} fields={['name', 'market_location']} isUnsaved={isUnsaved} onSubmit={submit}>
        {version && (
          <ConflictNotice
            recordId={version.record.id}
            started={started}
            current={stored}
            describe={({ name, location }) => ({ [t.operator.name]: name, [texts.location]: location })}
            onReset={reset}
          />
        )}
        {text && <p className="text-sm text-muted">{text}</p>}
        <NameField value={input.name} onChange={(name) => set({ name })} />
        <TextField
          name="market_location"
          label={texts.location}
          hint={texts.locationHint}
          autoComplete="off"
          maxLength={LOCATION_LENGTH}
          value={input.location}
          onChange={(location) => set({ location })}
        />
        <FormButtons
          action={version ? t.common.save : t.operator.submit}
          isBusy={save.isPending}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
