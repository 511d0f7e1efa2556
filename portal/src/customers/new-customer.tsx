import type { BalanceGroup } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { NameField } from '../references/name-field.tsx';
import { BalanceGroupFields, BrpField } from '../references/party-fields.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form, FormButtons } from '../ui/form.tsx';
import { useInput } from '../ui/use-input.ts';
import { useIsMounted } from '../ui/use-is-mounted.ts';
import { OPERATOR_CUSTOMER_TEXTS } from './operator-texts.ts';

type CustomerInput = {
  readonly brp: string;
  readonly name: string;
  readonly group: BalanceGroup | null;
  readonly isActive: boolean;
};

const EMPTY = { name: '', group: null, isActive: false } as const;

/** Creates a customer of a BRP, which has to activate it unless the operator does. */
export function NewCustomerDialog({ brpId, onClose }: { brpId?: string | undefined; onClose: () => void }) {
  const { t } = useI18n();
  const texts = OPERATOR_CUSTOMER_TEXTS[t.language];
  const navigate = useNavigate();
  const refresh = useRefresh();
  const isMounted = useIsMounted();
  const { input, set } = useInput<CustomerInput>({ ...EMPTY, brp: brpId ?? '' });
  const create = useMutation({
    mutationFn: ({ brp, name, group, isActive }: CustomerInput) =>
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
  return (
    <Dialog title={texts.createTitle} onClose={onClose}>
      <Form
        error={create.error}
        fields={['brp_id', 'name', 'balance_group']}
        onSubmit={() => create.mutate(input)}
      >
        <BrpField
          name="brp_id"
          label={t.operator.brp}
          value={input.brp}
          onChange={(brp) => set({ brp, group: null })}
        />
        <NameField value={input.name} onChange={(name) => set({ name })} />
        <BalanceGroupFields
          brpId={input.brp}
          hint={texts.groupHint}
          value={input.group}
          onChange={(group) => set({ group })}
        />
        <Checkbox
          name="status"
          label={texts.activeFromStart}
          checked={input.isActive}
          onChange={(isActive) => set({ isActive })}
        />
        <FormButtons
          action={t.operator.submit}
          isBusy={create.isPending}
          disabled={input.brp === ''}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
