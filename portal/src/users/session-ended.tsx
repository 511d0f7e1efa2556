import type { SessionState } from '@saldo/api';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { resumeSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/states.tsx';
import { CodeStep } from './code-step.tsx';
import { SESSION_ENDED_TEXTS } from './session-ended-texts.ts';
import { SignInForm } from './sign-in-form.tsx';

type Props = {
  /** The session that the page was loaded with. */
  former: SessionState;
  /** The present one: none, one that lacks its second factor, or that of another user. */
  session: SessionState | null;
  onLoadAgain: () => void;
};

/** The sign-in over a page whose session has ended. The page stays as it is, with all input. */
export function SessionEndedDialog({ former, session, onLoadAgain }: Props) {
  const { format } = useI18n();
  const texts = SESSION_ENDED_TEXTS[format.language];
  const isOther = session !== null && session.user.id !== former.user.id;
  return (
    <Dialog
      // The focus is set when a dialog opens.
      key={String(session?.user.id)}
      title={isOther ? texts.otherTitle : texts.title}
      isHeldOpen
      isPageHidden
      onClose={() => {}}
    >
      <div className="grid gap-4">
        {isOther ? (
          <>
            <p className="text-sm">{texts.otherText(session.user.name, former.user.name)}</p>
            <div className="flex justify-end">
              <Button variant="primary" onClick={onLoadAgain}>
                {texts.load}
              </Button>
            </div>
          </>
        ) : (
          <SignInSteps former={former.user} pending={session?.pending ?? null} />
        )}
      </div>
    </Dialog>
  );
}

type StepsProps = { former: SessionState['user']; pending: SessionState['pending'] };

function SignInSteps({ former, pending }: StepsProps) {
  const { format } = useI18n();
  const texts = SESSION_ENDED_TEXTS[format.language];
  const router = useRouter();
  const queryClient = useQueryClient();
  const resume = (state: SessionState) => resumeSession(queryClient, state);
  const next = router.state.location.href;
  if (pending === 'set_up')
    return (
      <>
        <Notice tone="warn">{texts.setUpLeaves}</Notice>
        <Button
          variant="primary"
          onClick={() => void router.navigate({ to: '/second-factor', search: { next } })}
        >
          {texts.setUp}
        </Button>
      </>
    );
  return (
    <>
      <Notice tone="warn">{texts.kept}</Notice>
      {pending === null ? (
        <SignInForm
          next={next}
          former={former}
          providerNotice={<p className="text-sm text-muted">{texts.providerLeaves}</p>}
          onSignedIn={resume}
        />
      ) : (
        <CodeStep onSignedIn={resume} />
      )}
      <Button variant="quiet" onClick={() => void router.navigate({ to: '/sign-in' })}>
        {texts.asOther}
      </Button>
    </>
  );
}
