import { LIMITS, type OperatorAsset, TECHNOLOGIES, TSOS, type Tso } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { parseTypedNumber } from '../domain/decimal-input.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons, SelectField, TextField } from '../ui/form.tsx';
import { useToast } from '../ui/toast.tsx';

type Props = {
  /** The asset to change; without one, the dialog creates an asset. */
  asset?: OperatorAsset;
  onSaved: (asset: OperatorAsset) => void;
  onClose: () => void;
};

/** The master data of a plant: name, technology, power and location. */
export function AssetDialog({ asset, onSaved, onClose }: Props) {
  const { t } = useI18n();
  const texts = t.market.operator;
  const toast = useToast();
  const refresh = useRefresh();
  const [name, setName] = useState(asset?.name ?? '');
  const [technology, setTechnology] = useState<OperatorAsset['technology']>(
    asset?.technology ?? 'wind_onshore',
  );
  const [power, setPower] = useState(asset ? String(asset.nominal_power) : '');
  const [tso, setTso] = useState<Tso>(asset?.tso ?? TSOS[0]);
  const [isTried, setIsTried] = useState(false);
  const powerMw = parseTypedNumber(power);
  const save = useMutation({
    mutationFn: (nominal_power: number) => {
      const body = { name, technology, nominal_power, tso };
      return asset ? operatorClient.assets.update(asset.id, body) : operatorClient.assets.create(body);
    },
    onSuccess: async (saved) => {
      toast(t.operator.savedToast(saved.name));
      await refresh(['assets']);
      onSaved(saved);
    },
  });
  const submit = () => {
    setIsTried(true);
    if (powerMw !== null) save.mutate(powerMw);
  };
  return (
    <Dialog title={asset ? texts.editAssetTitle(asset.name) : texts.createAssetTitle} onClose={onClose}>
      <Form error={save.error} fields={['name', 'technology', 'nominal_power', 'tso']} onSubmit={submit}>
        <TextField
          name="name"
          label={texts.name}
          autoComplete="off"
          maxLength={LIMITS.nameLength}
          value={name}
          onChange={setName}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            name="technology"
            label={texts.technology}
            value={technology}
            options={TECHNOLOGIES.map((value) => ({ value, label: t.brp.contracts.technologies[value] }))}
            onChange={setTechnology}
          />
          <TextField
            name="nominal_power"
            label={texts.powerMw}
            inputMode="decimal"
            autoComplete="off"
            error={isTried && powerMw === null ? texts.faults.noNumber : undefined}
            value={power}
            onChange={setPower}
          />
        </div>
        <SelectField
          name="tso"
          label={t.common.controlArea}
          value={tso}
          options={TSOS.map((value) => ({ value, label: t.common.tsos[value] }))}
          onChange={setTso}
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
