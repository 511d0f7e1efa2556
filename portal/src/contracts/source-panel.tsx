import type { Contract, Source } from '@saldo/api';
import type { SourceKind } from '@saldo/core/enums.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { SeriesLink } from '../series/series-link.tsx';
import { useSeriesTexts } from '../series/series-texts.ts';
import { operatorClient } from '../session/operator-client.ts';
import { usePermission } from '../session/session.ts';
import { changeOf, useChange, type Versioned } from '../session/versions.ts';
import { Button } from '../ui/button.tsx';
import { ConflictNotice } from '../ui/conflict.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons } from '../ui/form.tsx';
import { Fact, Facts, Panel } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput } from '../ui/use-input.ts';
import { buyersQuery } from './operator-queries.ts';
import { contractQuery } from './queries.ts';
import { isFaulty, ownersOf, readSource, type SourceFieldsInput, sourceInput, sourceOf } from './source.ts';
import { SOURCE_FIELDS, SourceFields, useOfferedSeries } from './source-fields.tsx';

type Props = { version: Versioned<Contract>; kind: SourceKind };

/** The series that the contract's volumes follow, and what changes them. */
export function SourcePanel({ version, kind }: Props) {
  const texts = useSeriesTexts().source;
  const mayChange = usePermission('member');
  const [asked, setAsked] = useState<'change' | 'end' | null>(null);
  const source = sourceOf(version.record);
  return (
    <Panel
      title={texts.title}
      actions={
        mayChange &&
        version.record.status !== 'completed' && (
          <>
            <Button onClick={() => setAsked('change')}>{source === null ? texts.set : texts.change}</Button>
            {source && <Button onClick={() => setAsked('end')}>{texts.end}</Button>}
          </>
        )
      }
    >
      {source === null ? (
        <p className="text-sm text-muted">{texts.none}</p>
      ) : (
        <SourceFacts source={source} kind={kind} />
      )}
      {asked === 'change' && <SourceDialog version={version} kind={kind} onClose={() => setAsked(null)} />}
      {asked === 'end' && <EndDialog version={version} onClose={() => setAsked(null)} />}
    </Panel>
  );
}

function SourceFacts({ source, kind }: { source: Source; kind: SourceKind }) {
  const { format } = useI18n();
  const texts = useSeriesTexts().source;
  return (
    <div className="grid gap-3">
      <p className="text-sm text-muted">{texts.hint[kind]}</p>
      <Facts>
        {source.forecast && (
          <Fact label={texts.forecast}>
            <SeriesLink id={source.forecast} />
          </Fact>
        )}
        {source.meter && (
          <Fact label={texts.meter}>
            <SeriesLink id={source.meter} />
          </Fact>
        )}
        <Fact label={texts.shareOf}>{format.percent(source.share)}</Fact>
        <Fact label={texts.maxPower}>
          {source.max_power_mw === null ? texts.unlimited : format.number(source.max_power_mw)}
        </Fact>
      </Facts>
    </div>
  );
}

/** The keys of what a change of the source affects. */
const changedQueries = (id: string) => [['contract', id], ['contracts'], ['nominations']] as const;

const inputOf = (contract: Contract): SourceFieldsInput => sourceInput(sourceOf(contract));

function SourceDialog({ version, kind, onClose }: Props & { onClose: () => void }) {
  const { t, format } = useI18n();
  const texts = useSeriesTexts().source;
  const { record: contract } = version;
  const { data: buyers = [] } = useQuery(buyersQuery(contract.buyer));
  const owners = ownersOf(kind, contract.asset?.id ?? '', buyers);
  const offered = useOfferedSeries(owners) ?? [];
  const { input, set, isUnsaved, started, reset } = useInput(inputOf(contract));
  const [isTried, setIsTried] = useState(false);
  const read = readSource(input, kind, offered);
  const save = useChange(
    useChangeHandlers<Contract>({
      toast: ({ external_id }) => t.operator.savedToast(external_id),
      refresh: changedQueries(contract.id),
      onDone: onClose,
    }),
  );
  const submit = () => {
    setIsTried(true);
    if (isFaulty(read)) return;
    save.mutate(
      changeOf({
        query: contractQuery(contract.id),
        from: version,
        partOf: inputOf,
        send: (options) => operatorClient.contracts.update(contract.id, { source: read }, options),
      }),
    );
  };
  const nameOf = (id: string) => offered.find((series) => series.id === id)?.name ?? id;
  return (
    <Dialog title={texts.changeTitle(contract.external_id)} onClose={onClose}>
      <Form error={save.error} fields={SOURCE_FIELDS} isUnsaved={isUnsaved} onSubmit={submit}>
        <ConflictNotice
          recordId={contract.id}
          started={started}
          current={inputOf(contract)}
          describe={({ forecast, meter, share, maxPower }) => ({
            [texts.forecast]: nameOf(forecast),
            [texts.meter]: nameOf(meter),
            [texts.share]: format.number(Number(share)),
            [texts.maxPower]: maxPower,
          })}
          onReset={reset}
        />
        <Notice tone="warn">{texts.changeText}</Notice>
        <SourceFields
          kind={kind}
          offered={offered}
          hasOwner={owners.length > 0}
          input={input}
          set={set}
          faults={isTried && isFaulty(read) ? read : new Set()}
        />
        <FormButtons
          action={t.common.save}
          isBusy={save.isPending}
          disabled={offered.length === 0}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}

function EndDialog({ version, onClose }: { version: Versioned<Contract>; onClose: () => void }) {
  const { t } = useI18n();
  const texts = useSeriesTexts().source;
  const { id, external_id } = version.record;
  const end = useChange(
    useChangeHandlers<Contract>({
      toast: () => t.operator.savedToast(external_id),
      refresh: changedQueries(id),
      onDone: onClose,
    }),
  );
  const confirm = () =>
    end.mutate(
      changeOf({
        query: contractQuery(id),
        from: version,
        partOf: inputOf,
        send: (options) => operatorClient.contracts.update(id, { source: null }, options),
      }),
    );
  return (
    <ConfirmDialog
      title={texts.endTitle(external_id)}
      text={texts.endText}
      action={texts.end}
      isDangerous
      isBusy={end.isPending}
      error={end.error}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
