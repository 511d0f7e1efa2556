import { useEffect } from 'react';

/** A file that was dropped outside of a drop zone, until its page takes it. */
let dropped: File | null = null;
const takers = new Set<() => void>();

export function offerFile(file: File): void {
  dropped = file;
  for (const take of takers) take();
}

/** Calls `onFile` with a dropped file, also with one that was dropped before the page was open. */
export function useDroppedFile(onFile: (file: File) => void): void {
  useEffect(() => {
    const take = () => {
      const file = dropped;
      dropped = null;
      if (file !== null) onFile(file);
    };
    take();
    takers.add(take);
    return () => void takers.delete(take);
  }, [onFile]);
}

/** The file of a drag that no drop zone handles. Browsers let an input take a file themselves. */
const isUnhandled = (event: DragEvent): boolean =>
  !event.defaultPrevented &&
  event.dataTransfer?.types.includes('Files') === true &&
  !(event.target instanceof HTMLInputElement);

/** Calls `onDrop` with a file that is dropped anywhere on the page. A browser would leave the portal and show it. */
export function useFileDrop(isOn: boolean, onDrop: (file: File) => Promise<void>): void {
  useEffect(() => {
    if (!isOn) return;
    const over = (event: DragEvent) => {
      if (isUnhandled(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!isUnhandled(event)) return;
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) void onDrop(file);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
    };
  }, [isOn, onDrop]);
}
