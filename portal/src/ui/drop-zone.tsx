import { type DragEvent, useId, useState } from 'react';
import { cx } from './cx.ts';
import { Icon } from './icons.tsx';

type Props = {
  /** The prompt, the button's label, and the accepted files as text. */
  text: string;
  choose: string;
  kinds: string;
  /** The `accept` attribute of the file input. */
  accept: string;
  isSmall?: boolean;
  isBusy?: boolean;
  onFile: (file: File) => void;
};

/** Accepts a file by drag and drop, mouse or keyboard. */
export function DropZone({ text, choose, kinds, accept, isSmall = false, isBusy = false, onFile }: Props) {
  const id = useId();
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const file = event.dataTransfer.files[0];
    if (file && !isBusy) onFile(file);
  };
  return (
    <div
      aria-busy={isBusy || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
      className={cx(
        'grid justify-items-center gap-2 rounded-lg border-2 border-dashed px-4 text-center focus-within:border-accent',
        isSmall ? 'py-4' : 'py-10',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
        isBusy && 'opacity-60',
      )}
    >
      <Icon name="upload" className={cx('text-muted', isSmall ? 'size-5' : 'size-8')} />
      <p className="text-sm">{text}</p>
      <label
        htmlFor={id}
        className="rounded-md border border-line-strong bg-surface px-3 py-1.5 text-sm font-medium hover:bg-sunken"
      >
        {choose}
      </label>
      <input
        id={id}
        type="file"
        accept={accept}
        disabled={isBusy}
        className="sr-only"
        onChange={(event) => {
          const file = event.target.files?.[0];
          // Reset, so that the same file can be chosen again after it was fixed.
          event.target.value = '';
          if (file) onFile(file);
        }}
      />
      <p className="text-xs text-muted">{kinds}</p>
    </div>
  );
}
