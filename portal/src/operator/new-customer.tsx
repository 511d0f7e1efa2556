import type { BalanceGroup } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form, FormButtons } from '../ui/form.tsx';
import { useIsMounted } from '../ui/use-is-mounted.ts';
import { BalanceGroupFields, BrpField, NameField } from './fields.tsx';

/** Creates a customer of a BRP, which has to activate it unless the operator does. */
export function NewCustomerDialog({ brpId, onClose }: { brpId?: string | undefined; onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.operator.customers;
  const navigate = useNavigate();
  const refresh = useRefresh();
  const isMounted = useIsMounted();
  const [brp, setBrp] = useState(brpId ?? '');
  const [name, setName] = useState('');
  const [group, setGroup] = useState<BalanceGroup | null>(null);
  const [isActive, setIsActive] = useState(false);
  const create = useMutation({
    mutationFn: () =>
      operatorClient.customers.create({
        brp_id: brp,
        name,
        ...(group && { balance_group: group }),
        ...(isActive && { status: 'active' }),
      }),
    onSuccess: async ({ id }) => {
      await refresh(['customers']);
      if (!isMounted()) return;
      await navigate({
        to: '/operator/customers/$customerId',
        params: { customerId: id },
        ignoreBlocker: true,
      });
    },
  });
  const chooseBrp = (chosen: string) => {
    setBrp(chosen);
    setGroup(null);
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
        <BalanceGroupFields brpId={brp} hint={texts.groupHint} value={group} onChange={setGroup} />
        <Checkbox label={texts.activeFromStart} checked={isActive} onChange={setIsActive} />
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
