import { TSOS, type Tso } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { SelectFilter } from '../ui/filters.tsx';

type TsoProps = { value: Tso | undefined; onChange: (tso: Tso | undefined) => void };

export function TsoFilter({ value, onChange }: TsoProps) {
  const { t } = useI18n();
  return (
    <SelectFilter
      label={t.common.controlArea}
      value={value}
      options={TSOS.map((tso) => ({ value: tso, label: t.common.tsos[tso] }))}
      onChange={onChange}
    />
  );
}

export type NamedGroup = { readonly eic: string; readonly name: string };

export const groupOptions = (groups: readonly NamedGroup[]) =>
  groups.map(({ eic, name }) => ({ value: eic, label: `${name} · ${eic}` }));

type GroupProps = {
  groups: readonly NamedGroup[];
  value: string | undefined;
  onChange: (eic: string | undefined) => void;
};

export function GroupFilter({ groups, value, onChange }: GroupProps) {
  const { t } = useI18n();
  return (
    <SelectFilter
      label={t.common.balanceGroup}
      value={value}
      options={groupOptions(groups)}
      onChange={onChange}
    />
  );
}
