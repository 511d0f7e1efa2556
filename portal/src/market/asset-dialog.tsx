import { LIMITS, type OperatorAsset, TECHNOLOGIES, TSOS, type Tso } from '@saldo/api';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { changeOf, useChange, type Versioned } from '../session/versions.ts';
import { ConflictNotice } from '../ui/conflict.tsx';
import { parseTypedNumber } from '../ui/decimal-input.ts';
import { Dialog } from '../ui/dialog.tsx';
import { DecimalField, Form, FormButtons, SelectField, TextField } from '../ui/form.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput } from '../ui/use-input.ts';
import { assetQuery } from './operator-queries.ts';
import { MARKET_TEXTS } from './texts.ts';

type AssetInput = {
  readonly name: string;
  readonly technology: OperatorAsset['technology'];
  readonly power: string;
  readonly tso: Tso;
};

const NEW_ASSET: AssetInput = { name: '', technology: 'wind_onshore', power: '', tso: TSOS[0] };

const assetInput = ({ name, technology, nominal_power, tso }: OperatorAsset): AssetInput => ({
  name,
  technology,
  power: String(nominal_power),
  tso,
});

type Props = {
  /** The asset to change; without one, the dialog creates an asset. */
  version?: Versioned<OperatorAsset>;
  onSaved: (asset: OperatorAsset) => void;
  onClose: () => void;
};

/** The master data of a plant: name, technology, power and location. */
export function AssetDialog({ version, onSaved, onClose }: Props) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const asset = version?.record;
  const stored = asset ? assetInput(asset) : NEW_ASSET;
  const { input, set, isUnsaved, started, reset } = useInput(stored);
  const [isTried, setIsTried] = useState(false);
  const powerMw = parseTypedNumber(input.power);
  const save = useChange(
    useChangeHandlers<OperatorAsset>({
      toast: ({ name }) => t.operator.savedToast(name),
      refresh: [['assets']],
      onDone: onSaved,
    }),
  );
  const submit = () => {
    setIsTried(true);
    if (powerMw === null) return;
    const { name, technology, tso } = input;
    const body = { name, technology, nominal_power: powerMw, tso };
    const { assets } = operatorClient;
    save.mutate(
      changeOf({
        query: assetQuery(asset?.id ?? ''),
        from: version ?? null,
        partOf: assetInput,
        send: (options) => (asset ? assets.update(asset.id, body, options) : assets.create(body)),
      }),
    );
  };
  return (
    <Dialog title={asset ? texts.editAssetTitle(asset.name) : texts.createAssetTitle} onClose={onClose}>
      <Form
        error={save.error}
        fields={['name', 'technology', 'nominal_power', 'tso']}
        isUnsaved={isUnsaved}
        onSubmit={submit}
      >
        {asset && (
          <ConflictNotice
            recordId={asset.id}
            started={started}
            current={stored}
            describe={({ name, technology, power, tso }) => ({
              [texts.name]: name,
              [texts.technology]: t.brp.contracts.technologies[technology],
              [texts.powerMw]: format.number(Number(power)),
              [t.common.controlArea]: t.common.tsos[tso],
            })}
            onReset={reset}
          />
        )}
        <TextField
          name="name"
          label={texts.name}
          autoComplete="off"
          maxLength={LIMITS.nameLength}
          value={input.name}
          onChange={(name) => set({ name })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            name="technology"
            label={texts.technology}
            value={input.technology}
            options={TECHNOLOGIES.map((value) => ({ value, label: t.brp.contracts.technologies[value] }))}
            onChange={(technology) => set({ technology })}
          />
          <DecimalField
            name="nominal_power"
            label={texts.powerMw}
            error={isTried && powerMw === null ? texts.faults.noNumber : undefined}
            value={input.power}
            onChange={(power) => set({ power })}
          />
        </div>
        <SelectField
          name="tso"
          label={t.common.controlArea}
          value={input.tso}
          options={TSOS.map((value) => ({ value, label: t.common.tsos[value] }))}
          onChange={(tso) => set({ tso })}
        />
        <FormButtons
          action={asset ? t.common.save : texts.createAsset}
          isBusy={save.isPending}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
