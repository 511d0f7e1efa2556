import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { ConfirmDialog } from './dialog.tsx';
import { hasUnsaved, type MayLeave, MayLeaveContext } from './unsaved.ts';

/** Asks before unsaved input is lost: by a link, the browser's buttons, a closed dialog, or a closed window. */
export function UnsavedGuard({ children }: { children: ReactNode }) {
  const { t } = useI18n();
  const [isAsking, setIsAsking] = useState(false);
  const answer = useRef<(isDiscarded: boolean) => void>(null);
  const mayLeave: MayLeave = async (within = document) => {
    if (!hasUnsaved(within)) return true;
    // The question that is open decides only about what it was asked for.
    if (answer.current) return false;
    return new Promise((resolve) => {
      answer.current = (isDiscarded) => {
        answer.current = null;
        setIsAsking(false);
        resolve(isDiscarded);
      };
      setIsAsking(true);
    });
  };
  useBlocker({
    // Choices of a page are in its search parameters, and leave its forms as they are.
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await mayLeave()),
    enableBeforeUnload: () => hasUnsaved(document),
  });
  return (
    <MayLeaveContext value={mayLeave}>
      {children}
      {isAsking && (
        <ConfirmDialog
          title={t.common.unsaved.title}
          text={t.common.unsaved.text}
          action={t.common.unsaved.discard}
          cancel={t.common.unsaved.keep}
          isDangerous
          isBusy={false}
          error={null}
          onConfirm={() => answer.current?.(true)}
          onClose={() => answer.current?.(false)}
        />
      )}
    </MayLeaveContext>
  );
}
