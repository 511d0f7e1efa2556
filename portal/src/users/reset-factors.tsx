import type { User } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { useToast } from '../ui/toast.tsx';

/** Removes the second factors of a user who has lost them. */
export function ResetFactorsDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.factors;
  const toast = useToast();
  const reset = useMutation({
    mutationFn: ({ id }: User) => operatorClient.users.resetFactors(id),
    onSuccess: (_, { name }) => {
      toast(texts.resetDone(name));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={texts.resetTitle(user.name)}
      text={texts.resetText}
      action={texts.reset}
      isBusy={reset.isPending}
      error={reset.error}
      onConfirm={() => reset.mutate(user)}
      onClose={onClose}
    />
  );
}
