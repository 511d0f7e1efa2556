import type { BalanceGroup } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { SelectFilter } from '../ui/filters.tsx';
import { SelectField } from '../ui/form.tsx';
import { groupOptions } from './filter-fields.tsx';
import { accountsQuery, brpsQuery, groupsQuery } from './operator-queries.ts';

type PartyFieldProps = {
  name: string;
  label: string;
  hint?: string;
  value: string;
  onChange: (id: string) => void;
};
type Party = { readonly id: string; readonly name: string };

function PartyField({ parties, ...rest }: PartyFieldProps & { parties: readonly Party[] }) {
  const { t } = useI18n();
  return (
    <SelectField
      {...rest}
      options={[
        { value: '', label: t.operator.choose, isDisabled: true },
        ...parties.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}

export function BrpField(props: PartyFieldProps) {
  const { data = [] } = useQuery(brpsQuery);
  return <PartyField {...props} parties={data} />;
}

export function AccountField(props: PartyFieldProps) {
  const { data = [] } = useQuery(accountsQuery);
  return <PartyField {...props} parties={data} />;
}

type BrpFilterProps = { value: string | undefined; onChange: (id: string | undefined) => void };

export function BrpFilter({ value, onChange }: BrpFilterProps) {
  const { t } = useI18n();
  const { data = [] } = useQuery(brpsQuery);
  return (
    <SelectFilter
      label={t.operator.brp}
      value={value}
      options={data.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={onChange}
    />
  );
}

type GroupFieldsProps = {
  /** Empty: not chosen yet. */
  brpId: string;
  hint: string;
  value: BalanceGroup | null;
  onChange: (group: BalanceGroup | null) => void;
};

/** A balance group of a BRP in one of its enabled control areas, or none. */
export function BalanceGroupFields({ brpId, hint, value, onChange }: GroupFieldsProps) {
  const { t } = useI18n();
  const { data: groups = [] } = useQuery({ ...groupsQuery({ brp_id: brpId }), enabled: brpId !== '' });
  const enabledOf = (eic: string) => groups.find((group) => group.eic === eic)?.tsos ?? [];
  const choose = (eic: string) => {
    const [tso] = enabledOf(eic);
    onChange(tso === undefined ? null : { eic, tso });
  };
  return (
    <>
      <SelectField
        name="balance_group"
        label={t.common.balanceGroup}
        hint={hint}
        value={value?.eic ?? ''}
        disabled={brpId === ''}
        options={[{ value: '', label: t.operator.noGroupYet }, ...groupOptions(groups)]}
        onChange={choose}
      />
      {value && (
        <SelectField
          name="balance_group.tso"
          label={t.common.controlArea}
          value={value.tso}
          options={enabledOf(value.eic).map((tso) => ({ value: tso, label: t.common.tsos[tso] }))}
          onChange={(tso) => onChange({ ...value, tso })}
        />
      )}
    </>
  );
}
