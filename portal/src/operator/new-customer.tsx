import type { Tso } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { groupOptions } from '../brp/filter-fields.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons, SelectField } from '../ui/form.tsx';
import { BrpField, NameField } from './fields.tsx';
import { groupsQuery } from './queries.ts';

/** Creates a customer of a BRP, which has to activate it. */
export function NewCustomerDialog({ brpId, onClose }: { brpId?: string | undefined; onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.operator.customers;
  const navigate = useNavigate();
  const refresh = useRefresh();
  const [brp, setBrp] = useState(brpId ?? '');
  const [name, setName] = useState('');
  const [eic, setEic] = useState('');
  const [tso, setTso] = useState<Tso | ''>('');
  const { data: groups = [] } = useQuery({ ...groupsQuery({ brp_id: brp }), enabled: brp !== '' });
  const enabled = groups.find((group) => group.eic === eic)?.tsos ?? [];
  const create = useMutation({
    mutationFn: () => {
      const group = eic !== '' && tso !== '' ? { balance_group: { eic, tso } } : {};
      return operatorClient.customers.create({ brp_id: brp, name, ...group });
    },
    onSuccess: async ({ id }) => {
      await refresh(['customers']);
      await navigate({ to: '/operator/customers/$customerId', params: { customerId: id } });
    },
  });
  const chooseBrp = (chosen: string) => {
    setBrp(chosen);
    setEic('');
    setTso('');
  };
  return (
    <Dialog title={texts.createTitle} onClose={onClose}>
      <Form
        error={create.error}
        fields={['brp_id', 'name', 'balance_group']}
        onSubmit={() => create.mutate()}
      >
        <BrpField name="brp_id" label={t.operator.brp} value={brp} onChange={chooseBrp} />
        <NameField value={name} onChange={setName} />
        <SelectField
          name="balance_group.eic"
          label={t.common.balanceGroup}
          hint={texts.groupHint}
          value={eic}
          disabled={brp === ''}
          options={[{ value: '', label: texts.noGroupYet }, ...groupOptions(groups)]}
          onChange={(chosen) => {
            setEic(chosen);
            setTso(groups.find((group) => group.eic === chosen)?.tsos[0] ?? '');
          }}
        />
        {eic !== '' && (
          <SelectField<Tso | ''>
            name="balance_group.tso"
            label={t.common.controlArea}
            value={tso}
            options={enabled.map((value) => ({ value, label: t.common.tsos[value] }))}
            onChange={setTso}
          />
        )}
        <FormButtons
          action={t.operator.submit}
          isBusy={create.isPending}
          disabled={brp === ''}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
