import { LIMITS, type Transaction } from '@saldo/api';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons, TextField } from '../ui/form.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { INVALIDATE_TEXTS } from './invalidate-texts.ts';

type Props = { transaction: Transaction; onClose: () => void };

/** Invalidates a quarter-hour: its volume is removed from every saldo and must not be delivered. */
export function InvalidateDialog({ transaction, onClose }: Props) {
  const { t, format } = useI18n();
  const texts = INVALIDATE_TEXTS[t.language];
  const [reason, setReason] = useState('');
  const { slot_number, delivery_start, contract_id } = transaction;
  const label = t.common.slotOf(slot_number, format.slot(Date.parse(delivery_start)));
  const invalidate = useMutation({
    mutationFn: (invalid: { id: string; reason: string }) =>
      operatorClient.transactions.invalidate(invalid.id, { reason: invalid.reason }),
    ...useChangeHandlers({
      toast: () => texts.done(label),
      refresh: [['contract', contract_id], ['nominations']],
      onDone: onClose,
    }),
  });
  return (
    <Dialog title={`${texts.action}: ${label}`} onClose={onClose}>
      <Form
        error={invalidate.error}
        fields={['reason']}
        onSubmit={() => invalidate.mutate({ id: transaction.id, reason })}
      >
        <p className="text-sm text-muted">
          {texts.text(`${format.mwh(kwhFromMwh(transaction.volume))} MWh`)}
        </p>
        <TextField
          name="reason"
          label={texts.reason}
          hint={texts.reasonHint}
          autoComplete="off"
          maxLength={LIMITS.reasonLength}
          value={reason}
          onChange={setReason}
        />
        <FormButtons action={texts.action} isBusy={invalidate.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
