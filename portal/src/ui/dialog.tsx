import {
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Button, IconButton } from './button.tsx';
import { cx } from './cx.ts';
import { FormProblem } from './form.tsx';
import { useMayLeave } from './unsaved.ts';
import { useSingleSubmit } from './use-single-submit.ts';

type DialogProps = {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Only a button in the dialog may close it, because its content is shown only once. */
  isHeldOpen?: boolean;
  /** The page below cannot be read. */
  isPageHidden?: boolean;
};

const CONTROLS = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled';

/**
 * A native modal dialog: it traps the focus and restores it when it closes. The first control of its content gets the
 * focus, not the button that closes it.
 */
export function Dialog({ title, onClose, children, isHeldOpen = false, isPageHidden = false }: DialogProps) {
  const { t } = useI18n();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const mayLeave = useMayLeave();
  const close = async () => {
    if (!isHeldOpen && (await mayLeave(dialog.current ?? undefined))) onClose();
  };
  useEscape(dialog, () => void close());
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Close before unmounting: only then does the browser restore the focus.
    return () => element?.close();
  }, []);
  useLayoutEffect(() => {
    const focusFirst = (): boolean => {
      const control = content.current?.querySelector<HTMLElement>(CONTROLS);
      control?.focus();
      return control != null;
    };
    if (focusFirst() || content.current === null) return;
    // Some contents are loaded first, and rendered without this component.
    const observer = new MutationObserver(() => focusFirst() && observer.disconnect());
    observer.observe(content.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        void close();
      }}
      className={cx(
        'm-auto w-[min(34rem,calc(100vw-2rem))] rounded-xl border border-line bg-surface p-0 text-text shadow-2xl',
        isPageHidden && 'backdrop:backdrop-blur-md',
      )}
    >
      <header className="flex items-center justify-between gap-4 border-b border-line py-2.5 pr-2.5 pl-5">
        <h2 id={id} className="min-w-0 font-semibold wrap-anywhere">
          {title}
        </h2>
        {!isHeldOpen && <IconButton icon="close" label={t.common.close} onClick={() => void close()} />}
      </header>
      <div ref={content} className="p-5">
        {children}
      </div>
    </dialog>
  );
}

/** `preventDefault` on cancel is not enough: browsers close a dialog at the second Escape regardless. */
function useEscape(dialog: RefObject<HTMLDialogElement | null>, onEscape: () => void): void {
  const escape = useEffectEvent(onEscape);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // A list in the dialog may have closed instead. The question about unsaved input is the last dialog of the page.
      const topmost = Array.from(document.querySelectorAll('dialog[open]')).at(-1);
      if (event.key !== 'Escape' || event.defaultPrevented || topmost !== dialog.current) return;
      event.preventDefault();
      escape();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [dialog]);
}

type ConfirmProps = {
  title: string;
  text: string;
  action: string;
  /** The other button, if it is not "Cancel". */
  cancel?: string;
  isDangerous?: boolean;
  /** False while the effects of the action are unknown: it cannot be confirmed yet. */
  isReady?: boolean;
  /** The action makes no sense any more: the dialog can only be closed. */
  isOver?: boolean;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children?: ReactNode;
};

/** Asks for confirmation of an action with effects elsewhere. */
export function ConfirmDialog(props: ConfirmProps) {
  const { t } = useI18n();
  const confirmOnce = useSingleSubmit(props.onConfirm);
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div className="grid gap-4">
        <p className="text-sm text-muted">{props.text}</p>
        {props.children}
        <FormProblem error={props.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={props.onClose}>
            {props.isOver ? t.common.close : (props.cancel ?? t.common.cancel)}
          </Button>
          {!props.isOver && (
            <Button
              variant={props.isDangerous ? 'danger' : 'primary'}
              disabled={props.isReady === false}
              isBusy={props.isBusy}
              onClick={confirmOnce}
            >
              {props.action}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
