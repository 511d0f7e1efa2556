import type { User } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { useChange } from '../session/versions.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { FACTOR_TEXTS } from './factor-texts.ts';
import type { UserActions } from './queries.ts';

type Props = { user: User; reset: NonNullable<UserActions['resetFactors']>; onClose: () => void };

/** Removes the second factors of a user who has lost them. */
export function ResetFactorsDialog({ user, reset: send, onClose }: Props) {
  const { format } = useI18n();
  const texts = FACTOR_TEXTS[format.language];
  const reset = useChange(
    useChangeHandlers({ toast: () => texts.resetDone(user.name), refresh: [['users']], onDone: onClose }),
  );
  return (
    <ConfirmDialog
      title={texts.resetTitle(user.name)}
      text={texts.resetText}
      action={texts.reset}
      isBusy={reset.isPending}
      error={reset.error}
      onConfirm={() => reset.mutate(() => send(user.id))}
      onClose={onClose}
    />
  );
}
