import { useEffect } from 'react';
import { createHandover } from './handover.ts';

/** Files that were dropped outside of a drop zone, for the page that takes them. */
export const { offer: offerFile, useOffered: useDroppedFile } = createHandover<File>();

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
