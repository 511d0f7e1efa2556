import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './states.tsx';

type Props = {
  title: string;
  /** Says that the secret is shown only once. */
  text: string;
  /** The label of the button that closes the dialog. */
  done: string;
  onClose: () => void;
  children: ReactNode;
};

/** The only time that a secret is shown. Only its button closes the dialog, so that it is not lost by accident. */
export function SecretDialog({ title, text, done, onClose, children }: Props) {
  return (
    <Dialog title={title} onClose={onClose} isHeldOpen>
      <div className="grid gap-4">
        <Notice tone="warn">{text}</Notice>
        {children}
        <div className="flex justify-end">
          <Button variant="primary" onClick={onClose}>
            {done}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** A secret, or a command with it, to copy. `what` names it for screen readers. */
export function Secret({ label, text, what }: { label: string; text: string; what: string }) {
  return (
    <div className="grid gap-1">
      <span className="text-sm font-medium">{label}</span>
      <div className="flex items-start gap-2 rounded-md border border-line bg-sunken p-2.5">
        <code className="min-w-0 flex-1 font-mono text-xs break-all">{text}</code>
        <CopyButton text={text} what={what} />
      </div>
    </div>
  );
}
