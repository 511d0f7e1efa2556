import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useState,
} from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { cx } from './cx.ts';
import { Icon } from './icons.tsx';
import { SHOWN_MS } from './times.ts';

type ToastTone = 'ok' | 'warn' | 'bad';
type Toast = { readonly id: number; readonly text: string; readonly tone: ToastTone };

const TONES: Readonly<Record<ToastTone, string>> = {
  ok: 'border-l-ok',
  warn: 'border-l-warn',
  bad: 'border-l-bad',
};

const Context = createContext<((text: string, tone?: ToastTone) => void) | null>(null);

/**
 * Short messages about completed actions, announced immediately. Confirmations are removed after a few seconds, the oldest
 * first, but stay while the pointer or the focus is on them. Warnings and errors stay until the user closes them or signs
 * out: who starts a long download and looks elsewhere must not miss that it failed.
 */
export function ToastProvider({ children }: { children: ReactNode }) {
  const { t } = useI18n();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const [isRead, setIsRead] = useState(false);
  const remove = (id: number) => {
    setToasts((shown) => shown.filter((toast) => toast.id !== id));
    // The removed element reports no end of the pointer or the focus.
    setIsRead(false);
  };
  const add = useCallback((text: string, tone: ToastTone = 'ok') => {
    const toast = { id: performance.now(), text, tone };
    // An action that fails again replaces its error.
    setToasts((shown) => [...shown.filter((other) => other.text !== text), toast]);
  }, []);
  const oldest = toasts.find(({ tone }) => tone === 'ok')?.id;
  const removeOldest = useEffectEvent(() => oldest !== undefined && remove(oldest));
  useEffect(() => {
    if (oldest === undefined || isRead) return;
    const timer = setTimeout(removeOldest, SHOWN_MS.toast);
    return () => clearTimeout(timer);
  }, [oldest, isRead]);
  return (
    <Context value={add}>
      {children}
      <div
        role="status"
        aria-live="polite"
        onPointerEnter={() => setIsRead(true)}
        onPointerLeave={() => setIsRead(false)}
        onFocus={() => setIsRead(true)}
        onBlur={() => setIsRead(false)}
        className="pointer-events-none fixed inset-x-4 bottom-4 z-50 grid justify-items-center gap-2 sm:left-auto sm:justify-items-end"
      >
        {toasts.map(({ id, text, tone }) => (
          <div
            key={id}
            className={cx(
              'pointer-events-auto flex max-w-md items-start gap-3 rounded-md border border-l-4 border-line bg-surface py-2 pr-2 pl-3 text-sm shadow-lg',
              TONES[tone],
            )}
          >
            <span className="py-0.5">{text}</span>
            <button
              type="button"
              aria-label={t.common.close}
              className="rounded p-1 text-muted hover:bg-sunken"
              onClick={() => remove(id)}
            >
              <Icon name="close" className="size-3.5" />
            </button>
          </div>
        ))}
      </div>
    </Context>
  );
}

export function useToast() {
  const toast = useContext(Context);
  if (toast === null) throw new Error('there is no ToastProvider above');
  return toast;
}
