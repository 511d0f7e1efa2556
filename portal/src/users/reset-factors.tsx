import type { User } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { useToast } from '../ui/toast.tsx';
import type { UserActions } from './queries.ts';

type Props = { user: User; reset: NonNullable<UserActions['resetFactors']>; onClose: () => void };

/** Removes the second factors of a user who has lost them. */
export function ResetFactorsDialog({ user, reset: send, onClose }: Props) {
  const { t } = useI18n();
  const texts = t.factors;
  const toast = useToast();
  const reset = useMutation({
    mutationFn: ({ id }: User) => send(id),
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
