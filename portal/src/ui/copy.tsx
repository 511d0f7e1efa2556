import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { cx } from './cx.ts';
import { Icon } from './icons.tsx';
import { SHOWN_MS } from './times.ts';
import { useToast } from './toast.tsx';

/** Copies a text; `isCopied` is true for a moment afterwards. */
export function useCopy(text: string) {
  const { t } = useI18n();
  const toast = useToast();
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Browsers deny clipboard access in pages loaded over plain http; the text can still be selected.
      toast(t.common.copyFailed, 'warn');
      return;
    }
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), SHOWN_MS.copied);
  };
  return { isCopied, copy: () => void copy() };
}

/** Copies a text. `what` names it for screen readers. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { t } = useI18n();
  const { isCopied, copy } = useCopy(text);
  const label = isCopied ? t.common.copied : t.common.copy(what);
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={copy}
      className="target -my-1 inline-flex size-6 shrink-0 items-center justify-center rounded text-muted hover:bg-sunken hover:text-text"
    >
      <Icon name={isCopied ? 'check' : 'copy'} className="size-3.5" />
      <span aria-live="polite" className="sr-only">
        {isCopied ? t.common.copied : ''}
      </span>
    </button>
  );
}

type CodeProps = {
  text: string;
  what?: string;
  /** In a table, only the button is shown, whose label has the text. */
  isShort?: boolean;
};

/** An EIC or an id in a monospaced font, with a copy button. */
export function Code({ text, what = text, isShort = false }: CodeProps) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className={cx('truncate font-mono text-[0.92em]', isShort && 'not-print:in-[td]:hidden')}>
        {text}
      </code>
      <CopyButton text={text} what={what} />
    </span>
  );
}
