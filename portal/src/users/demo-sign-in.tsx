import type { SessionState, UserRole } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NO_RETRY, portalClient } from '../session/clients.ts';
import { Button } from '../ui/button.tsx';
import { FormProblem } from '../ui/form.tsx';
import { DEMO_SIGN_IN_TEXTS } from './demo-sign-in-texts.ts';

/** The order of the buttons: the role with the most to see in a demo first. */
const ROLES: readonly UserRole[] = ['brp', 'operator', 'account'];

type Props = { roles: readonly UserRole[]; onSignedIn: (state: SessionState) => Promise<void> };

/** A button per role of the demo, which signs in without a password. Loaded only by the sign-in form of a demo. */
export function DemoSignIn({ roles, onSignedIn }: Props) {
  const { format } = useI18n();
  const texts = DEMO_SIGN_IN_TEXTS[format.language];
  const titleId = useId();
  const enter = useMutation({
    mutationFn: (role: UserRole) => portalClient.session.enterDemo({ role }, NO_RETRY),
    onSuccess: onSignedIn,
  });
  return (
    <section aria-labelledby={titleId} className="grid gap-3">
      <h2 id={titleId} className="font-semibold">
        {texts.title}
      </h2>
      <p className="text-sm text-muted">{texts.text}</p>
      <FormProblem error={enter.error} />
      {ROLES.filter((role) => roles.includes(role)).map((role) => (
        <div key={role} className="grid gap-1">
          <Button
            variant={role === 'brp' ? 'primary' : 'secondary'}
            isBusy={enter.isPending && enter.variables === role}
            disabled={enter.isPending}
            aria-describedby={`${titleId}-${role}`}
            onClick={() => enter.mutate(role)}
          >
            {texts.enter[role]}
          </Button>
          <p id={`${titleId}-${role}`} className="text-xs text-muted">
            {texts.about[role]}
          </p>
        </div>
      ))}
      <p className="mt-2 border-t border-line pt-4 text-sm text-muted">{texts.form}</p>
    </section>
  );
}
